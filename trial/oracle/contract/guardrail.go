package contract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/likeness"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
)

// Patterns are what a guardrail forbids or allows.
type Patterns struct {
	Tools    []string // globs of names of tools
	Paths    []string // globs of file paths: * within a name, ** across folders; they cover what lies below
	URLs     []string // hosts, such as *.example.com, or schemes and hosts, such as http://*
	Commands []string // commands, such as rm -rf /
}

// patterns are patterns ready for use.
type patterns struct {
	tools    []glob
	paths    []pathPattern
	urls     []urlPattern
	commands []commandPattern
}

// empty reports whether there is no pattern.
func (p *patterns) empty() bool {
	return len(p.tools)+len(p.paths)+len(p.urls)+len(p.commands) == 0
}

// guard is a guardrail ready for use.
type guard struct {
	forbid, allow patterns
	// resolve returns further forms of a path, as a tool may resolve it; nil: none, a recording is read without a look
	// at any file system. See [Before].
	resolve func(path string) []string

	preset string                            // its name; "" is none
	judge  func(words []string) (why string) // of a preset, beside the patterns; nil: none
	keys   bool                              // keys in arguments are forbidden
	writes bool                              // paths that are written to alone count
}

// ofPreset is why a preset forbids something.
func (g *guard) ofPreset(why string) string { return "preset " + g.preset + ": " + why }

// breach is what a guardrail found.
//
// what is a verb and its object, such as "calls tool"; evidence is the text in the trial, pattern
// the one that forbids it.
type breach struct {
	what, evidence, pattern string
}

// String writes what was done and which pattern forbids it. Both are escaped.
func (b *breach) String() string {
	return fmt.Sprintf("%s %s, which %s forbids", b.what, shown(b.evidence), shown(b.pattern))
}

// step returns the first thing in a step that is forbidden and not allowed. The error
// says that something in it could not be read.
//
// A breach outweighs what could not be read: the clause is violated, whatever the rest holds.
func (g *guard) step(s *trial.Step) (*breach, error) {
	calls := s.Action == trial.CallTool || s.Tool != ""
	var failure error
	if len(g.forbid.tools) > 0 {
		b := g.named(s, calls)
		if b != nil {
			return b, nil
		}
		if strings.TrimSpace(string(s.Action)+s.Tool) == "" || calls && strings.TrimSpace(s.Tool) == "" {
			failure = errUnnamed
		}
	}
	// Arguments are decoded only where something in them may be forbidden.
	if len(g.forbid.paths)+len(g.forbid.urls)+len(g.forbid.commands) == 0 && g.judge == nil ||
		g.writes && readsOnly(s.Tool) {
		return nil, failure
	}
	for _, t := range argumentsIn(s.Arguments) {
		b, err := g.argument(t)
		if b != nil {
			return b, nil
		}
		if err != nil && failure == nil {
			failure = fmt.Errorf("argument %s %w", shown(t.text), err)
		}
	}
	if !calls { // the output of a tool is not what the agent did
		if b := g.text(s.Output); b != nil {
			return b, nil
		}
	}
	return nil, failure
}

// errUnnamed says why a step may be the call of any tool.
var errUnnamed = errors.New("a step does not say what was done")

// named looks at the name of the tool that a step calls. An action may be any word: one that is the name of
// a tool is nothing else than its call.
func (g *guard) named(s *trial.Step, calls bool) *breach {
	switch {
	case calls:
		for _, name := range append([]string{s.Tool}, calledIn(s.Arguments)...) {
			if b := g.tool(name, g.forbid.tools); b != nil {
				return b
			}
		}
	case s.Action != trial.Reason && s.Action != trial.Respond:
		names := slices.DeleteFunc(slices.Clone(g.forbid.tools), func(p glob) bool { return !p.literal() })
		return g.tool(string(s.Action), names)
	}
	return nil
}

// tool looks at the name of a tool that is called: as it stands, as it reads, and in the letters that it
// looks as if it were written in.
func (g *guard) tool(name string, forbidden []glob) *breach {
	folded, skeleton := likeness.Fold(name), likeness.Skeleton(name)
	for _, pattern := range forbidden {
		if !pattern.match(name) && !pattern.match(folded) && !pattern.match(skeleton) {
			continue
		}
		// An exception is one under its own name: what only looks like it may be another tool.
		if !slices.ContainsFunc(g.allow.tools, func(p glob) bool { return p.match(name) || p.match(folded) }) {
			return &breach{"calls tool", name, pattern.text}
		}
	}
	return nil
}

// argument looks at a text that a tool is given. The words of commands in it are read
// for commands and for paths.
func (g *guard) argument(t argumentText) (*breach, error) {
	// The words of a list are looked at one by one, as texts of their own.
	if len(g.forbid.urls) > 0 && t.words == nil {
		if b := g.addresses(addressesIn(t.text, true)); b != nil {
			return b, nil
		}
	}
	if g.keys && redact.HasKey(t.text) { // which is not shown
		return &breach{"hands over", "a key in " + cmp.Or(t.name, "its arguments"), g.ofPreset("keys in arguments")}, nil
	}
	if len(g.forbid.commands)+len(g.forbid.paths) == 0 && g.judge == nil {
		return nil, nil
	}
	var commands [][]string
	var files []string
	var err error
	if t.words != nil {
		commands, files, err = commandsOf(t.words)
	} else {
		commands, files, err = commandsIn(t.text)
	}
	for _, command := range commands {
		if b := g.command(command); b != nil {
			return b, nil
		}
	}
	if len(g.forbid.paths) > 0 {
		text := t.text
		if g.writes {
			commands = writing(commands)
			if ofCommands().MatchString(t.name) {
				text = ""
			}
		}
		for _, p := range pathsIn(text, t.name, commands, files) {
			if b := g.path(p); b != nil {
				return b, nil
			}
		}
	}
	return nil, err
}

// text looks for URLs in what the agent said.
func (g *guard) text(output trial.Raw) *breach {
	if len(g.forbid.urls) == 0 || output == nil {
		return nil
	}
	for _, t := range textsIn(output) {
		if b := g.addresses(addressesIn(t.text, false)); b != nil {
			return b
		}
	}
	return nil
}

// addresses looks at where URLs lead.
func (g *guard) addresses(found []address) *breach {
	for _, a := range found {
		for _, pattern := range g.forbid.urls {
			if pattern.match(a) && !g.allowsURL(a) {
				return &breach{"names URL", a.text, pattern.text}
			}
		}
	}
	return nil
}

// allowsURL reports whether an address is an exception.
func (g *guard) allowsURL(a address) bool {
	for _, pattern := range g.allow.urls {
		if pattern.match(a) {
			return true
		}
	}
	return false
}

// path looks at a path in every form that it may stand for. An exception must allow it
// as it is written: a path from an unknown folder is not known to be the one that is
// allowed. Where paths are resolved, it must allow every form, which is what it leads to.
func (g *guard) path(written string) *breach {
	normal := normalPath(written)
	if g.resolve != nil {
		return g.resolved(written)
	}
	// A forbidden form anywhere, and no allowance of the path as written.
	for _, form := range formsOf(normal) {
		for _, pattern := range g.forbid.paths {
			if pattern.match(form) && !g.allowsPath(normal) {
				return &breach{"names path", normal, pattern.text}
			}
		}
	}
	return nil
}

// resolved looks at a path in every form in which a tool may resolve it.
func (g *guard) resolved(written string) *breach {
	for _, form := range g.resolve(written) {
		normal := normalPath(form)
		for _, pattern := range g.forbid.paths {
			if pattern.matchFolded(normal) && !g.allowsPath(normal) {
				return &breach{"names path", normalPath(written), pattern.text}
			}
		}
	}
	return nil
}

// allowsPath reports whether a path, or a folder above it, is an exception.
func (g *guard) allowsPath(normal string) bool {
	for _, pattern := range g.allow.paths {
		if pattern.match(normal) {
			return true
		}
	}
	return false
}

// command looks at the words of a command.
func (g *guard) command(words []string) *breach {
	for _, pattern := range g.forbid.commands {
		if pattern.in(words) && !g.allowsCommand(words) {
			return &breach{"runs", joined(words), pattern.text}
		}
	}
	if g.judge == nil {
		return nil
	}
	if why := g.judge(words); why != "" && !g.allowsCommand(words) {
		return &breach{"runs", joined(words), g.ofPreset(why)}
	}
	return nil
}

// allowsCommand reports whether an exception covers the whole command.
func (g *guard) allowsCommand(words []string) bool {
	for _, pattern := range g.allow.commands {
		if pattern.covers(words) {
			return true
		}
	}
	return false
}

// joined writes the words of a command, as many as make an excerpt.
func joined(words []string) string {
	text := ""
	for i, word := range words {
		if i > 0 {
			text += " "
		}
		// Far more than an excerpt shows.
		if text += word; len(text) > 200 {
			break
		}
	}
	return text
}

// shown is a text of others in a sentence.
func shown(text string) string { return `"` + prose.Excerpt(text) + `"` }
