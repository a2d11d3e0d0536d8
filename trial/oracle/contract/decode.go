package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Error is one thing that is wrong with a contract, and Errors are all of them.
type (
	Error  = yamlnode.Error
	Errors = yamlnode.Errors
)

// maxBytes is the largest contract file that is read.
const maxBytes = yamlnode.MaxBytes

// All chosen, far beyond contracts that people write.
const (
	maxClauses   = 1_000
	maxNameBytes = 200
	maxPatterns  = 1_000 // of one list
	maxWindow    = 1_000_000
)

// Load reads a contract file. It returns the error of the file system, a
// [trial.FileError] for what is no file or too large, or [Errors].
func Load(path string) (*Contract, error) { return LoadContext(context.Background(), path) }

// LoadContext is [Load] of a file that the context lets be opened.
func LoadContext(ctx context.Context, path string) (*Contract, error) {
	info, err := input.Stat(ctx, path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &trial.FileError{File: path, Problem: "is no regular file", Advice: "name the file of a contract"}
	}
	text, err := yamlnode.ReadContext(ctx, path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a contract. The name stands in messages.
func Parse(name string, text []byte) (*Contract, error) {
	root, err := yamlnode.Parse(name, "contract", text)
	if err != nil {
		return nil, err
	}
	return newDecoder(name, "").contract(root, true)
}

// ParseNode reads a contract that stands within another file, in a field of it. It
// may go without a version and a name.
func ParseNode(file, field string, n *yaml.Node) (*Contract, error) {
	return newDecoder(file, field).contract(n, false)
}

// Describe says what [ParseNode] reads, to a decoder that is asked for a schema.
func Describe(d *yamlnode.Decoder) {
	_, _ = (&decoder{*d}).contract(&yaml.Node{}, false)
}

// contract reads a contract that is a whole file, or a part of one.
func (d *decoder) contract(root *yaml.Node, whole bool) (*Contract, error) {
	c := &Contract{Name: "contract", Promise: Promise{P: 0.9, Delta: 0.1, K: 10}}
	d.Object(root,
		key{Name: "version", Needed: whole, Advice: "write version: 1", Read: d.Whole(1, 1, func(int64) {})},
		key{Name: "name", Needed: whole, Read: d.name(&c.Name)},
		key{Name: "clauses", Needed: true, Read: func(n *yaml.Node) { c.Clauses = d.clauses(n) }},
		key{Name: "p", About: "over k trials in a row the share that keeps the contract is above p; default 0.9",
			Read: d.Real(
				func(x float64) { c.Promise.P = x },
				"must be at least 0 and below 1", "it is the share of trials that keep the contract",
				yamlnode.AtLeast(0), yamlnode.Below(1),
			)},
		key{Name: "delta", About: "and less than delta below the share of all; default 0.1", Read: d.Share(
			func(x float64) { c.Promise.Delta = x },
			"it is how far the share may fall within k trials",
		)},
		key{Name: "k", About: "default 10", Read: d.Whole(1, maxWindow, func(k int64) { c.Promise.K = int(k) })},
	)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// clauses reads the list. A contract without clauses is refused: everything would keep
// it.
func (d *decoder) clauses(n *yaml.Node) (clauses []Clause) {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		d.Fail(n, "must not be empty", "a contract without clauses is kept by everything")
	case n.Kind == yaml.SequenceNode && len(n.Content) > maxClauses:
		d.Fail(n, fmt.Sprintf("holds more than %d clauses", maxClauses), "")
		return nil
	}
	d.NamedItems(n, func(item *yaml.Node) string {
		var c Clause
		d.Named("clause", func(n *yaml.Node) { c = d.clause(n) })(item)
		clauses = append(clauses, c)
		return c.Name
	})
	d.Also("minItems", 1)
	return clauses
}

// clause reads a clause. Its conditions are compiled after its kind is known, which says
// what they may speak of.
func (d *decoder) clause(n *yaml.Node) Clause {
	c := Clause{Severity: Hard}
	nodes := make(map[string]*yaml.Node)
	// Only once kind is known is it known what these may say, wherever the kind stands.
	later := func(name, about string, takes func(n *yaml.Node)) key {
		return key{Name: name, About: about, Read: func(n *yaml.Node) { nodes[name] = n }, Later: takes}
	}
	condition := func(*yaml.Node) { d.Takes("type", []string{"string", "boolean"}) }
	patterns := d.Named("patterns", func(n *yaml.Node) { d.patterns(n, &Patterns{}, &patterns{}) })
	before := len(d.Problems)
	kinds := []Kind{Precondition, Postcondition, Invariant, Guardrail}
	own := !yamlnode.Has(n, "preset") && !d.Describes()
	d.Object(n,
		key{Name: "preset", About: "a guardrail that many contracts need, in place of forbid",
			Read: func(n *yaml.Node) {
				text := d.text(n, &c.Preset)
				d.Also("pattern", "^(git|deploy|secrets|tree:.+)$")
				if text {
					c.Name, c.Kind = cmp.Or(c.Name, c.Preset), Guardrail
					c.guard = d.preset(n, &c)
				}
			}},
		key{Name: "name", Needed: own, Read: d.name(&c.Name)},
		key{Name: "kind", About: "what the trial begins with, what it ends with, every step, or what no step may do",
			Needed: own, Read: yamlnode.Word(&d.Decoder, &c.Kind, kinds...)},
		key{Name: "severity", About: "hard (default): a violation fails the trial",
			Read: yamlnode.Word(&d.Decoder, &c.Severity, Hard, Soft)},
		later("when", "a condition: where it is false, the clause does not apply", condition),
		later("require", "a condition that holds, such as trial.cost_usd < 0.10", condition),
		later("forbid", "", patterns), later("allow", "", patterns),
	)
	d.Also("anyOf", []yamlnode.Schema{{"required", []string{"preset"}}, {"required", []string{"name", "kind"}}})
	if len(d.Problems) > before {
		return c // what a condition may speak of depends on the kind
	}
	d.together(n, &c, nodes)
	c.when = d.condition(nodes["when"], "when", c.Kind, &c.When)
	c.require = d.condition(nodes["require"], "require", c.Kind, &c.Require)
	if c.Preset != "" {
		if allow := nodes["allow"]; allow != nil && c.guard != nil {
			d.At("allow", func() { d.patterns(allow, &c.Allow, &c.guard.allow) })
		}
		return c
	}
	if forbid := nodes["forbid"]; forbid != nil {
		c.guard = &guard{}
		d.At("forbid", func() { d.patterns(forbid, &c.Forbid, &c.guard.forbid) })
		if allow := nodes["allow"]; allow != nil {
			d.At("allow", func() { d.patterns(allow, &c.Allow, &c.guard.allow) })
		}
	}
	return c
}

// together refuses keys that do not go together.
func (d *decoder) together(n *yaml.Node, c *Clause, nodes map[string]*yaml.Node) {
	forbid, require := nodes["forbid"], nodes["require"]
	switch {
	case c.Preset != "":
		for _, name := range []string{"forbid", "require"} {
			if nodes[name] != nil {
				d.At(name, func() { d.Fail(nodes[name], "does not go with preset", "write two clauses") })
			}
		}
		if c.Kind != Guardrail {
			d.At("kind", func() { d.Fail(n, "of a preset is guardrail", "omit it") })
		}
	case forbid != nil && c.Kind != Guardrail:
		d.At("forbid", func() {
			d.Fail(forbid, "is for guardrails", "write kind: guardrail, or require: with a condition")
		})
	// An allowance alone would forbid nothing, and look as if it did.
	case nodes["allow"] != nil && forbid == nil:
		d.At("allow", func() {
			const advice = `forbid: {tools: ["*"]} forbids all tools but those`
			d.Fail(nodes["allow"], "needs a forbid from which it makes exceptions", advice)
		})
	case forbid != nil && require != nil:
		d.At("require", func() { d.Fail(require, "does not go with forbid", "write two clauses") })
	case forbid == nil && require == nil && c.Kind == Guardrail:
		d.At("forbid", func() {
			d.Fail(n, "is missing", "such as forbid: {tools: [delete_*]}; or require: with a condition for every step")
		})
	case forbid == nil && require == nil:
		d.At("require", func() { d.Fail(n, "is missing", "such as require: trial.cost_usd < 0.10") })
	}
}

// preset reads the name of a preset.
func (d *decoder) preset(n *yaml.Node, c *Clause) *guard {
	p, err := presetOf(c.Preset)
	if err == nil {
		var g *guard
		if g, err = p.guardrail(); err == nil {
			return g
		}
	}
	hint := ""
	if e, ok := err.(*patternError); ok {
		hint = e.hint
	}
	d.Fail(n, yamlnode.Shown(c.Preset)+" "+err.Error(), hint)
	return nil
}

// condition reads a condition and compiles it.
func (d *decoder) condition(n *yaml.Node, name string, k Kind, text *string) (compiled *condition) {
	if n == nil {
		return nil
	}
	d.At(name, func() {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
			*text = n.Value // require: true
		} else if ok := d.text(n, text); !ok {
			return
		}
		var err error
		if compiled, err = compile(*text, k); err != nil {
			d.refused(n, err)
		}
	})
	return compiled
}

// refused notes what is wrong with a condition, where it stands in the file if that
// can be told.
func (d *decoder) refused(n *yaml.Node, err error) {
	e, ok := err.(*conditionError)
	if !ok {
		d.Fail(n, prose.Reason(err.Error()), "")
		return
	}
	// A copy of the node at the place within the text. A literal block (|) begins on the next line and
	// keeps its lines; of a folded one (>) the lines of the text are not those of the file.
	at := *n
	switch {
	case e.line < 1:
	case n.Style&(yaml.LiteralStyle) != 0:
		at.Line, at.Column = n.Line+e.line, 0
	case n.Style&yaml.FoldedStyle != 0 || e.line > 1:
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		at.Column += 1 + e.column
	default:
		at.Column += e.column
	}
	d.Fail(&at, e.problem, e.hint)
}

// patterns reads what is forbidden or allowed.
func (d *decoder) patterns(n *yaml.Node, texts *Patterns, p *patterns) {
	before := len(d.Problems)
	d.Object(n,
		key{Name: "tools", About: "globs of names", Read: func(n *yaml.Node) {
			p.tools = list(d, n, &texts.Tools, func(s string) (glob, error) { return parseGlob(s, ofTool) })
		}},
		key{Name: "paths", About: "globs: * within a name, ** across folders; what lies below is covered",
			Read: func(n *yaml.Node) { p.paths = list(d, n, &texts.Paths, parsePath) }},
		key{Name: "urls", About: "hosts, or schemes and hosts: *.example.com, http://*",
			Read: func(n *yaml.Node) { p.urls = list(d, n, &texts.URLs, parseURL) }},
		key{Name: "commands", About: "such as rm -rf /",
			Read: func(n *yaml.Node) { p.commands = list(d, n, &texts.Commands, parseCommand) }},
	)
	d.Also("minProperties", 1)
	if p.empty() && len(d.Problems) == before {
		d.Fail(n, "names nothing", "give tools, paths, urls or commands")
	}
}

// list reads one pattern or a list of them.
//
// A pattern given twice is refused: the second one was meant to be another.
func list[T any](d *decoder, n *yaml.Node, texts *[]string, parse func(string) (T, error)) (parsed []T) {
	one := func(n *yaml.Node) {
		var text string
		if !d.text(n, &text) {
			return
		}
		if slices.Contains(*texts, text) {
			d.Fail(n, yamlnode.Shown(text)+" is given twice", "")
			return
		}
		p, err := parse(text)
		if err != nil {
			hint := ""
			if e, ok := err.(*patternError); ok {
				hint = e.hint
			}
			d.Fail(n, yamlnode.Shown(text)+" "+err.Error(), hint)
			return
		}
		*texts, parsed = append(*texts, text), append(parsed, p)
	}
	many := func(n *yaml.Node) {
		d.Items(n, one)
		d.Also("uniqueItems", true)
	}
	switch {
	case d.Either(one, many):
	case n.Kind == yaml.ScalarNode:
		one(n)
	case len(n.Content) > maxPatterns:
		d.Fail(n, fmt.Sprintf("holds more than %d patterns", maxPatterns), "")
	default:
		many(n)
	}
	return parsed
}
