package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// defaultAgent is an agent that says nothing but its command.
func defaultAgent() Agent {
	return Agent{
		// All chosen. 16<<20 are 16 MiB of output.
		Timeout: 5 * time.Minute, Output: OutputAuto, MaxOutputBytes: 16 << 20, Grace: 5 * time.Second,
		Retries: Retries{Infrastructure: 2, Backoff: time.Second},
	}
}

// Expressions are compiled when they are needed, not at the start of every command.
var (
	variablePattern = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
	formatPattern   = lazy.Regexp(`^[a-z][a-z0-9-]*$`)
)

// agent reads the program under test. Its command is all that it needs.
func (d *decoder) agent(n *yaml.Node, a *Agent) {
	d.Object(n,
		key{
			Name: "command", Read: d.commandInto(&a.Command),
			Needed: true, Advice: `write it as a list: command: ["./agent", "--model", "small"]`,
		},
		key{Name: "env", Read: d.envInto(&a.Env)},
		key{Name: "env_allow", Read: func(n *yaml.Node) {
			// Also for an empty list, which lets nothing through.
			a.EnvLimited = true
			d.Texts(&a.EnvAllow, d.isVariable)(n)
		}},
		key{Name: "timeout", Read: d.Duration(&a.Timeout, false)},
		key{Name: "output", Read: func(n *yaml.Node) {
			const advice = "write auto, text, trial or the name of a format"
			if text, ok := d.Text(n); ok && d.Matches(n, text, formatPattern(), advice) {
				a.Output = text
			}
		}},
		key{Name: "output_file", Read: d.Line(&a.OutputFile)},
		key{Name: "retries", Read: func(n *yaml.Node) {
			d.Object(n,
				key{Name: "infrastructure", Read: d.Whole(0, 100, func(x int64) { a.Retries.Infrastructure = int(x) })},
				key{Name: "backoff", Read: d.Duration(&a.Retries.Backoff, true)},
			)
		}},
		key{Name: "infrastructure", Read: func(n *yaml.Node) {
			d.Items(n, func(item *yaml.Node) {
				var cause Cause
				yamlnode.Word(&d.Decoder, &cause, NoOutputCause, TimeoutCause)(item)
				if cause != "" {
					a.Infrastructure = append(a.Infrastructure, cause)
				}
			})
		}},
		key{Name: "working_dir", Read: d.Line(&a.WorkingDir)},
		key{Name: "redact", Read: d.Texts(&a.Redact, d.isVariable)},
		key{Name: "max_output_bytes", Read: d.Whole(1, 1<<31-1, func(x int64) { a.MaxOutputBytes = x })},
		key{Name: "grace", Read: d.Duration(&a.Grace, true)},
	)
}

// isVariable notes a problem with what cannot be the name of a variable.
func (d *decoder) isVariable(n *yaml.Node, text string) bool {
	return d.Matches(n, text, variablePattern(), "names of variables have letters, digits and underscores")
}

// commandInto reads an argv. A command line is refused: there is no shell that
// would split it.
func (d *decoder) commandInto(target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			const advice = `no shell splits it: write ["./agent", "--model", "small"]`
			d.Fail(n, "must be a list, not "+yamlnode.Describe(n), advice)
			return
		}
		d.Items(n, func(item *yaml.Node) {
			if text, ok := d.Text(item); ok {
				// Arguments may be empty, the program not.
				if len(*target) == 0 && text == "" {
					d.Fail(item, "must not be empty", "")
				}
				*target = append(*target, text)
			}
		})
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.Fail(n, "must not be empty", "")
		}
	}
}

// envInto reads variables and their values.
//
// Any mapping will do: there are no known keys, only names that must be those of variables.
func (d *decoder) envInto(target *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !d.Is(n, yaml.MappingNode) {
			return
		}
		env := make(map[string]string)
		d.Members(n, func(name string, at, value *yaml.Node) {
			if !d.isVariable(at, name) {
				return
			}
			d.At(name, func() {
				if text, ok := d.Text(value); ok {
					env[name] = text
				}
			})
		})
		*target = env
	}
}
