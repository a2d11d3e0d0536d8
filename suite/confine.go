package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Confine says what a program may write and reach, and all that it starts. It is held to that by the kernel of Linux.
type Confine struct {
	// Write are folders and files, from the working directory; ${NAME} as in Env. The default is that directory, and
	// none is none. A folder for temporary files of its own is there besides.
	Write   []string
	Network confine.Network // default wire
	// OnMissing says what becomes of a run where the machine cannot hold this; default [RefuseMissing].
	OnMissing OnMissing
}

// OnMissing is what is done where a machine lacks something.
type OnMissing string

// What may be done.
const (
	RefuseMissing OnMissing = "refuse" // nothing is run
	TryMissing    OnMissing = "try"    // what can be held is, and the result says what was not
)

// confine reads how the agent is confined: true, try, or what it may.
func (d *decoder) confine(n *yaml.Node, a *Agent) {
	c := &Confine{Write: []string{"."}, Network: confine.Wire, OnMissing: RefuseMissing}
	if n.Kind != yaml.ScalarNode {
		d.Object(n,
			key{Name: "write", Read: func(n *yaml.Node) {
				c.Write = []string{}
				d.Texts(&c.Write, func(n *yaml.Node, text string) bool {
					d.noteReferences(n, text)
					return d.IsLine(n, text)
				})(n)
			}},
			key{Name: "network", Read: yamlnode.Word(&d.Decoder, &c.Network, confine.Wire, confine.None, confine.Host)},
			key{Name: "on_missing", Read: yamlnode.Word(&d.Decoder, &c.OnMissing, RefuseMissing, TryMissing)},
		)
		a.Confine = c
		return
	}
	switch {
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

// Writable are the absolute paths below which an agent that is confined may write.
func (s *Suite) Writable(a Agent) (paths []string) {
	folder := s.Dir()
	if a.WorkingDir != "" {
		folder = s.Resolve(a.WorkingDir)
	}
	for _, path := range a.Confine.Write {
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
	for i, path := range s.Writable(a) {
		if _, err := os.Stat(path); err != nil {
			problems = append(problems, &Error{
				Place: trial.Place{File: s.File}, Field: fmt.Sprintf("agent.confine.write[%d]", i),
				Problem: fmt.Sprintf("names what is not there: %q", a.Confine.Write[i]),
				Advice:  "make it: its path is from the working directory of the agent",
			})
		}
	}
	return problems
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
