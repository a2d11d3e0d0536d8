// Package promotion makes a scenario of a suite of one recorded trial: what it was given, how such trials are judged,
// and what its model answered as a script by which it can be replayed.
//
//	p, err := promotion.New(suite, trial, promotion.Options{Name: "refund-lost", From: "run 4f0c2d1"})
//	for _, f := range p.Files { ... }
//
// Nothing is written: a person looks at it first.
package promotion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/cmd/internal/suggest"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// Options say what the scenario is called and where the trial comes from.
type Options struct {
	Name string // of the scenario; a name that the suite has is an [Error]
	From string // such as "run 4f0c2d1, trial 17", for a comment
}

// Promotion is a scenario that was made of a trial.
type Promotion struct {
	Name  string
	Suite Change // of the suite's file
	Files []File // beside it, none of which is there yet
	Notes []string
	// Replay is the file of the suite that runs the scenario against the recorded answers; "" where the trial tells
	// none.
	Replay string
}

// Change is lines that come into a file.
type Change struct {
	Path  string
	Line  int      // after which they come, from 0
	Lines []string // without line ends
	Text  []byte   // of the whole file, with them
}

// File is a file that is made.
type File struct {
	Path string
	Text []byte
}

// Error says why a trial becomes no scenario.
type Error struct{ Problem, Advice string }

func (e *Error) Error() string { return e.Problem + "; " + e.Advice }

// Message is the problem.
func (e *Error) Message() string { return e.Problem }

// Hint says what to do.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *Error) ExitCode() int { return exit.Input }

// New makes the scenario. What cannot be one is an [Error].
func New(s *suite.Suite, t *trial.Trial, o Options) (*Promotion, error) {
	for _, c := range s.Scenarios {
		if c.Name == o.Name {
			return nil, &Error{"the suite has a scenario " + prose.Quote(o.Name), "give another name"}
		}
	}
	if len(t.Input) == 0 {
		return nil, &Error{"the trial does not tell what it was given, and a scenario needs it",
			"promote one that was recorded with its input"}
	}
	text, err := yamlnode.Read(s.File)
	if err != nil {
		return nil, err
	}
	root, err := yamlnode.Parse(s.File, "suite", text)
	if err != nil {
		return nil, err
	}
	p := &Promotion{Name: o.Name}
	lines, err := p.scenario(s, root, t, o)
	if err != nil {
		return nil, err
	}
	p.Suite, err = insert(s.File, text, root, lines)
	return p, err
}

// scenario returns the lines of the scenario, not indented, and adds the files of its replay.
func (p *Promotion) scenario(s *suite.Suite, root *yaml.Node, t *trial.Trial, o Options) ([]string, error) {
	input, err := value(t.Input)
	if err != nil {
		return nil, err
	}
	what := o.From + ": a trial of " + t.Scenario
	if t.Outcome != trial.Unjudged {
		what += ", " + t.Outcome.String()
	}
	if t.StartedAt != "" {
		what += ", " + string(t.StartedAt)
	}
	lines := []string{"# " + prose.Printable(what), "- name: " + suggest.Flow(o.Name), "  input: " + suggest.Flow(input),
		"  tags: [promoted]"}
	lines = append(lines, p.judged(root, t)...)
	turns := answers(t)
	if turns == nil {
		p.Notes = append(p.Notes, "the trial does not tell what its model answered, so there is nothing to replay")
		return lines, nil
	}
	name := fileName(o.Name)
	made := File{filepath.Join(s.Dir(), name+".script.yaml"), turns}
	p.Files = append(p.Files, made)
	if scripted(s) {
		p.Replay = s.File
		return append(lines, "  model_script: "+suggest.Flow(filepath.Base(made.Path))), nil
	}
	// Where the other scenarios ask a server, one verdict would be of both: the replay has a suite of its own.
	if s.Agent.Wire == nil {
		p.Notes = append(p.Notes, "the agent is not on the wire, by which its model's answers could be replayed: add wire: "+
			"true")
	}
	p.Replay = filepath.Join(s.Dir(), name+".replay.yaml")
	p.Files = append(p.Files, File{p.Replay, []byte(fmt.Sprintf("# Replays what the model answered in %s. It is not a "+
		"new trial:\n# tribunal run %s --only %s\nversion: 1\ninclude: %s\nname: %s\nwire: {script: %s}\n",
		prose.Printable(o.From), filepath.Base(p.Replay), prose.Quote(o.Name), suggest.Flow(filepath.Base(s.File)),
		suggest.Flow(s.Name+"."+name+".replay"), suggest.Flow(filepath.Base(made.Path))))})
	return lines, nil
}

// value is a JSON text as a value, with its numbers as they are written.
func value(raw trial.Raw) (x any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&x)
	return x, err
}

// fileName is the name of a scenario as that of a file.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name), "-")
}

// scripted reports whether scripts answer the scenarios of a suite by themselves, not by the wire.
func scripted(s *suite.Suite) bool {
	return len(s.Scenarios) > 0 &&
		!slices.ContainsFunc(s.Scenarios, func(c suite.Scenario) bool { return c.ModelScript == nil })
}

// judged are the lines that say how the scenario is judged: as that of which it is a trial, or else by what a trial
// that passed did. What makes an answer a good one is for a person to say.
func (p *Promotion) judged(root *yaml.Node, t *trial.Trial) (lines []string) {
	if n := evaluatorsOf(root, t.Scenario); n != nil {
		if text, ok := flowOf(n); ok {
			p.Notes = append(p.Notes, "it is judged as "+prose.Quote(t.Scenario)+" is, of which it is a trial")
			return []string{"  evaluate: " + text}
		}
	}
	called := map[string]bool{}
	for _, step := range t.Steps {
		if step.Action == trial.CallTool && step.Tool != "" && step.Error == "" {
			called[step.Tool] = true
		}
	}
	p.Notes = append(p.Notes, "what makes an answer a good one is not in the trial: look at its evaluate")
	if t.Outcome == trial.Pass && len(called) > 0 {
		return []string{"  evaluate: " + suggest.Flow([]any{map[string]any{"must-call": slices.Sorted(maps.Keys(called))}})}
	}
	return []string{"  expect: {status: completed} # a person says what a good answer is: evaluate: [...]"}
}

// evaluatorsOf finds what judges the scenario of a name, as the suite's file has it; nil where it does not.
func evaluatorsOf(root *yaml.Node, name string) *yaml.Node {
	list := member(root, "scenarios")
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	for _, c := range list.Content {
		if n := member(c, "name"); n != nil && n.Value == name {
			return member(c, "evaluate")
		}
	}
	return nil
}

// member is the value of a key; nil where there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// flowOf is a node on one line.
func flowOf(n *yaml.Node) (text string, ok bool) {
	var x any
	if err := n.Load(&x); err != nil {
		return "", false
	}
	text = suggest.Flow(x)
	return text, text != "null" // which stands for what JSON does not have
}
