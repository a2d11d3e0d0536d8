package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Confine says what a program may write and reach, and all that it starts. It is held to that by the kernel of Linux.
type Confine struct {
	// Write are folders and files, from the working directory; ${NAME} as in Env. The default is that directory, and
	// none is none. A folder for temporary files of its own is there besides. Without a working directory the program
	// has a fresh one, which may be written in any case, and paths are from the folder of the suite.
	Write   []string
	Network confine.Network // default wire
	// OnMissing says what becomes of a run where the machine cannot hold this; default [RefuseMissing].
	OnMissing MissingPolicy
}

// MissingPolicy is what is done where a machine lacks something.
type MissingPolicy string

// What may be done.
const (
	RefuseMissing MissingPolicy = "refuse" // nothing is run
	TryMissing    MissingPolicy = "try"    // what can be held is, and the result says what was not
)

// confine reads how the agent is confined: true, try, or what it may.
func (d *decoder) confine(n *yaml.Node, a *Agent) {
	c := &Confine{Write: []string{"."}, Network: confine.Wire, OnMissing: RefuseMissing}
	whole := func(n *yaml.Node) {
		d.Object(n,
			key{Name: "write", About: "folders below which it may write, and files, from the working " +
				"directory; default that alone", Read: func(n *yaml.Node) {
				c.Write = []string{}
				d.Texts(&c.Write, func(n *yaml.Node, text string) bool {
					d.noteReferences(n, text)
					return d.IsLine(n, text)
				})(n)
			}},
			key{Name: "network", About: "what it reaches: the wire alone, nothing, or what this " +
				"machine does; default wire",
				Read: yamlnode.Word(&d.Decoder, &c.Network, confine.Wire, confine.None, confine.Host)},
			key{Name: "on_missing", About: "what becomes of a run where the machine cannot hold " +
				"this; default refuse", Read: yamlnode.Word(&d.Decoder, &c.OnMissing, RefuseMissing, TryMissing)},
		)
	}
	switch {
	case d.Either(func(*yaml.Node) { d.Takes("enum", []any{true, false, TryMissing}) }, whole):
		return
	case n.Kind != yaml.ScalarNode:
		whole(n)
	case n.ShortTag() == "!!bool":
		on := false
		d.Bool(&on)(n)
		if !on {
			c = nil
		}
	case n.Value == string(TryMissing):
		c.OnMissing = TryMissing
	default:
		d.Fail(n, "must be true, try or a mapping, not "+yamlnode.Describe(n),
			"such as confine: {write: [.], network: wire, on_missing: refuse}, which is what true says")
		return
	}
	a.Confine = c
}

// confineFits refuses the network of a wire where there is none.
func (d *decoder) confineFits(s *Suite, agent *yaml.Node) {
	if len(d.Problems) > 0 {
		return
	}
	for _, a := range s.allAgents() {
		if a.Confine == nil || a.Confine.Network != confine.Wire || a.Wire != nil {
			continue
		}
		d.At("agent.confine", func() {
			d.Fail(agent, "leaves the agent the wire alone, and the suite has none",
				"write wire: true, or confine: {network: none}, or host for the network of this machine")
		})
		return
	}
}

// Fresh reports whether an agent has a working directory of its own, which is empty when its program begins and gone
// when that has ended: one that is confined has, unless the suite says where it works.
func (a Agent) Fresh() bool { return a.Confine != nil && a.WorkingDir == "" }

// Writable are the absolute paths below which an agent that is confined may write, beside a fresh working directory.
func (s *Suite) Writable(a Agent) (paths []string) {
	folder := s.Dir()
	if a.WorkingDir != "" {
		folder = s.Resolve(a.WorkingDir)
	}
	for _, path := range a.Confine.Write {
		if a.Fresh() && filepath.Clean(path) == "." {
			continue
		}
		path = resolve(folder, path)
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		paths = append(paths, path)
	}
	return paths
}

// unwritable says which paths are not there that an agent is to write below.
func (s *Suite) unwritable(a Agent) (problems Errors) {
	if a.Confine == nil {
		return nil
	}
	expanded := *a.Confine
	a.Confine = expanded.expanded(s.anyVariable())
	for i, written := range a.Confine.Write {
		one := a
		one.Confine = &Confine{Write: []string{written}}
		for _, path := range s.Writable(one) {
			problem, advice := "", ""
			if _, err := os.Stat(path); err != nil {
				problem = fmt.Sprintf("names what is not there: %q", written)
				advice = "make it: its path is from the working directory of the agent, or else from the suite's folder"
			} else if kept := s.judgedBy(path); kept != "" {
				problem = fmt.Sprintf("lets the agent write what it is judged by: %q has %s", written,
					prose.FileName(kept))
				advice = "give it a working_dir of its own, or none, which is a new folder for each trial"
			}
			if problem != "" {
				problems = append(problems, &Error{
					Place: trial.Place{File: s.File}, Field: fmt.Sprintf("agent.confine.write[%d]", i),
					Problem: problem, Advice: advice,
				})
			}
		}
	}
	return problems
}

// judgedBy is a file by which agents are judged that stands at a path or below it; "" is none: the suite and what it
// includes, programs and scripts that judge, the files of their variables, and the folder of journals, results and
// looks.
func (s *Suite) judgedBy(path string) string {
	files := append([]string{s.File, filepath.Join(s.Dir(), ".tribunal")}, s.parts...)
	for _, f := range s.dotenvs {
		files = append(files, s.Resolve(f.file))
	}
	files = append(files, oracle.JudgeFiles(s.ScoreJudges()...)...)
	for _, c := range s.Scenarios {
		files = append(files, oracle.JudgeFiles(c.Evaluators()...)...)
	}
	for _, file := range files {
		if file != "" && below(path, file) {
			return file
		}
	}
	return ""
}

// below reports whether a file is at a path, or below it.
func below(path, file string) bool {
	inner, err := filepath.Rel(confine.Resolved(path), confine.Resolved(file))
	return err == nil && filepath.IsLocal(inner)
}

// Writes reports whether an agent that is confined may write a file.
func (s *Suite) Writes(file string) bool {
	if absolute, err := filepath.Abs(file); err == nil {
		// It may be made first by the run.
		file = filepath.Join(confine.Resolved(filepath.Dir(absolute)), filepath.Base(absolute))
	}
	for _, a := range s.allAgents() {
		if a.Confine != nil && slices.ContainsFunc(s.Writable(a), func(path string) bool { return below(path, file) }) {
			return true
		}
	}
	return false
}

// expanded is the same with the values of variables.
func (c Confine) expanded(value func(string) (string, bool)) *Confine {
	c.Write = slices.Clone(c.Write)
	for i, path := range c.Write {
		c.Write[i] = expand(path, value)
	}
	return &c
}

// settings are lines of [Suite.AgentSettings].
func (c *Confine) settings() []string {
	return []string{
		setting("agent.confine.write", listed(c.Write)), setting("agent.confine.network", string(c.Network)),
		setting("agent.confine.on_missing", string(c.OnMissing)),
	}
}
