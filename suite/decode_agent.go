package suite

import (
	"regexp"
	"time"

	"go.yaml.in/yaml/v4"
)

func defaultAgent() Agent {
	return Agent{
		Timeout: 5 * time.Minute, Output: OutputAuto, MaxOutputBytes: 16 << 20, Grace: 5 * time.Second,
		Retries: Retries{Infrastructure: 2, Backoff: time.Second},
	}
}

var (
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	formatPattern   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

const variableHint = "names of variables have letters, digits and underscores"

func (d *decoder) agent(n *yaml.Node, a *Agent) {
	variable := d.pattern(variablePattern, variableHint)
	found := d.object(n,
		key{"command", d.commandInto(&a.Command)},
		key{"env", d.envInto(&a.Env)},
		key{"env_allow", func(n *yaml.Node) { a.EnvLimited = true; d.textsInto(&a.EnvAllow, variable)(n) }},
		key{"timeout", d.durationInto(&a.Timeout, false)},
		key{"output", func(n *yaml.Node) {
			if text, ok := d.text(n); ok && d.pattern(formatPattern, "write auto, text, trial or the name of a format")(n, text) {
				a.Output = text
			}
		}},
		key{"output_file", d.textInto(&a.OutputFile)},
		key{"retries", func(n *yaml.Node) {
			d.object(n,
				key{"infrastructure", d.wholeInto(0, 100, func(x int64) { a.Retries.Infrastructure = int(x) })},
				key{"backoff", d.durationInto(&a.Retries.Backoff, true)},
			)
		}},
		key{"infrastructure", func(n *yaml.Node) {
			d.items(n, func(_ int, item *yaml.Node) {
				var cause Cause
				if wordOf(d, &cause, NoOutputCause, TimeoutCause)(item); cause != "" {
					a.Infrastructure = append(a.Infrastructure, cause)
				}
			})
		}},
		key{"working_dir", d.textInto(&a.WorkingDir)},
		key{"redact", d.textsInto(&a.Redact, variable)},
		key{"max_output_bytes", d.wholeInto(1, 1<<31-1, func(x int64) { a.MaxOutputBytes = x })},
		key{"grace", d.durationInto(&a.Grace, true)},
	)
	if found != nil && found["command"] == nil {
		d.missing(n, "command", `write it as a list: command: ["./agent", "--model", "small"]`)
	}
}

// commandInto reads an argv. A command line is refused: there is no shell that
// would split it.
func (d *decoder) commandInto(target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			d.fail(n, "must be a list, not "+describe(n), `no shell splits it: write ["./agent", "--model", "small"]`)
			return
		}
		d.items(n, func(i int, item *yaml.Node) {
			if text, ok := d.text(item); ok {
				if i == 0 && text == "" {
					d.fail(item, "must not be empty", "")
				}
				*target = append(*target, text)
			}
		})
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.fail(n, "must not be empty", "")
		}
	}
}

// envInto reads variables and their values.
func (d *decoder) envInto(target *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !d.is(n, yaml.MappingNode, "a mapping") {
			return
		}
		env := make(map[string]string)
		d.members(n, func(name string, at, value *yaml.Node) {
			if !d.pattern(variablePattern, variableHint)(at, name) {
				return
			}
			d.at(name, func() {
				if text, ok := d.text(value); ok {
					env[name] = text
				}
			})
		})
		*target = env
	}
}
