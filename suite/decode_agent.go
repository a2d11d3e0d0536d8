package suite

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
	"mvdan.cc/sh/v3/shell"

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
	// A variable, or how the names of several begin.
	allowedPattern = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)
	formatPattern  = lazy.Regexp(`^[a-z][a-z0-9-]*$`)
)

// agent reads the program under test. Its command is all that it needs.
func (d *decoder) agent(n *yaml.Node, a *Agent) {
	keys := d.agentKeys(a)
	if !yamlnode.Has(n, "http") && !yamlnode.Has(n, "model") && !d.Describes() {
		keys[0].Needed, keys[0].Advice = true, `write it as a list: command: ["./agent", "--model", "small"]`
	}
	if n.Kind == yaml.ScalarNode && !d.Describes() {
		d.Fail(n, "must be a mapping, not "+yamlnode.Describe(n), "write {command: "+asList(n)+"}")
		return
	}
	d.Object(n, keys...)
	d.oneKind(n, a)
	d.configFits(n, a)
}

// ofPrograms are the settings that only a program has.
var ofPrograms = []string{"command", "mode", "env", "env_allow", "working_dir", "output_file", "metrics_file", "grace",
	"confine"}

// kind is what an agent is that is no program: http or model; "" is a program.
func (a *Agent) kind() string {
	switch {
	case a.HTTP != nil:
		return "http"
	case a.Model != nil:
		return "model"
	}
	return ""
}

// oneKind refuses settings of a program where an address or a model is asked, and settings of both of these.
func (d *decoder) oneKind(n *yaml.Node, a *Agent) {
	kind, others := a.kind(), ofPrograms
	owner := "a program"
	switch {
	case yamlnode.Has(n, "http") && yamlnode.Has(n, "model"):
		kind, owner, others = "model", "an agent at an address", []string{"http"}
	case yamlnode.Has(n, "http"):
		kind = "http"
	case yamlnode.Has(n, "model"):
		kind = "model"
	}
	if kind == "" {
		return
	}
	if kind == "model" {
		others = append(slices.Clip(others), "output") // what it answers is a text
	}
	for _, name := range others {
		if yamlnode.Has(n, name) {
			d.At(name, func() {
				d.Fail(valueOf(n, name), "is of "+owner+", and does not go with "+kind, "leave one of the two out")
			})
			return
		}
	}
}

// agentOver reads settings over those of an agent, of which it is a copy: nothing that both share is
// changed. Further keys may stand beside the settings.
func (d *decoder) agentOver(n *yaml.Node, a *Agent, further ...key) {
	a.Env = maps.Clone(a.Env)
	redact := slices.Clone(a.Redact)
	a.Redact = nil
	// What an error is, and how often it is tried again, is the same on all sides: a difference would
	// be one of the counting.
	keys := slices.DeleteFunc(d.agentKeys(a), func(k key) bool {
		return k.Name == "retries" || k.Name == "infrastructure" || k.Name == "redact_keys"
	})
	// Variable by variable: what is tried is most often one of several.
	keys[1].About = "variables over those of the agent; null: not set"
	keys[1].Read = func(n *yaml.Node) { d.envOver(n, a) }
	d.Object(n, append(further, keys...)...)
	d.oneKind(n, a)
	d.configFits(n, a)
	// What is secret of the one is not shown of the other.
	for _, name := range a.Redact {
		if !slices.Contains(redact, name) {
			redact = append(redact, name)
		}
	}
	a.Redact = redact
}

// agentKeys are the keys of an agent, the command first, then the variables. What is a list replaces
// the one that is there.
func (d *decoder) agentKeys(a *Agent) []key {
	return []key{
		{Name: "command", About: "argv, no shell; input on stdin as JSON: scenario, input, trial, seed",
			Read: func(n *yaml.Node) {
				a.Command, a.HTTP, a.Model = nil, nil, nil
				d.commandInto(&a.Command)(n)
			}},
		{Name: "env", About: "variables set for the agent", Read: d.envInto(&a.Env)},
		{Name: "env_allow", About: "variables that it inherits, such as API_KEY or AWS_*, or all; " +
			"default PATH, HOME and the like alone", Read: func(n *yaml.Node) {
			a.EnvAllowGiven = true
			d.envAllowInto(&a.EnvAllow)(n)
		}},
		{Name: "env_file", About: "NAME=value in lines: variables that are set for it", Read: func(n *yaml.Node) {
			d.Line(&a.EnvFile)(n)
			d.dotenvs = append(d.dotenvs, dotenv{d.Place(n), d.Field, a.EnvFile})
		}},
		{Name: "files", About: "patterns of what it consists of beside the files of its command: " +
			"where one changes, it is another agent", Read: d.Texts(&a.Files, d.IsLine)},
		{Name: "timeout", About: "of one attempt; default 5m", Read: d.Duration(&a.Timeout, false)},
		{Name: "output", About: "auto (default), text, trial, or a format of tribunal import",
			Read: func(n *yaml.Node) {
				const advice = "write auto, text, trial or the name of a format"
				if text, ok := d.Text(n); ok && d.Matches(n, text, formatPattern(), advice) {
					a.Output = text
				}
			}},
		{Name: "output_file", About: "where the agent writes its output; default standard output",
			Read: d.Line(&a.OutputFile)},
		{Name: "metrics_file", About: "where the agent writes what an attempt took: turns, cost, " +
			"tokens, calls of tools", Read: d.Line(&a.MetricsFile)},
		{Name: "retries", Read: func(n *yaml.Node) {
			d.Object(n,
				key{Name: "infrastructure", About: "default 2",
					Read: d.Whole(0, 100, func(x int64) { a.Retries.Infrastructure = int(x) })},
				key{Name: "backoff", About: "default 1s, doubled each time", Read: d.Duration(&a.Retries.Backoff, true)},
			)
		}},
		{Name: "infrastructure", About: "default: no-output; what is an error of the trial and not the agent's failure; " +
			"it is not repeated", Read: func(n *yaml.Node) {
			a.Infrastructure = []Cause{} // an empty list is none, and not the default
			d.Items(n, func(item *yaml.Node) {
				var cause Cause
				yamlnode.Word(&d.Decoder, &cause, NoOutputCause, TimeoutCause, SignalCause, OutputCause)(item)
				if cause != "" {
					a.Infrastructure = append(a.Infrastructure, cause)
				}
			})
		}},
		{Name: "working_dir", About: "default: the folder of this file", Read: d.Line(&a.WorkingDir)},
		{Name: "redact", About: "variables whose values never reach journal or report",
			Read: d.Texts(&a.Redact, d.isVariable)},
		{Name: "redact_keys", About: "default true: neither does what looks like a key of a known service",
			Read: func(n *yaml.Node) {
				redact := true
				d.Bool(&redact)(n)
				a.KeepKeys = !redact
			}},
		{Name: "max_output_bytes", About: "default 16777216",
			Read: d.Whole(1, 1<<31-1, func(x int64) { a.MaxOutputBytes = x })},
		{Name: "grace", About: "between asking it to end and killing it; default 5s",
			Read: d.Duration(&a.Grace, true)},
		{Name: "confine", About: "what the agent may write and reach, held by the kernel of Linux; " +
			"default: what its user may", Read: func(n *yaml.Node) { d.confine(n, a) }},
		{Name: "config", About: "what the agent is configured with, and tribunal run mutants changes",
			Read: func(n *yaml.Node) { d.config(n, a) }},
		{Name: "http", About: "an agent that listens at an address, in place of a command",
			Read: func(n *yaml.Node) { d.http(n, a) }},
		{Name: "model", About: "a model that is called, in place of a command",
			Read: func(n *yaml.Node) { d.model(n, a) }},
		{Name: "mode", About: "process (default): started for every trial; session: stays up, a line " +
			"of JSON in and a line out for each", Read: func(n *yaml.Node) {
			const process = "process"
			yamlnode.Word(&d.Decoder, &a.Mode, process, SessionMode)(n)
			if a.Mode == process {
				a.Mode = ProcessMode
			}
		}},
	}
}

// isVariable notes a problem with what cannot be the name of a variable.
func (d *decoder) isVariable(n *yaml.Node, text string) bool {
	return d.Matches(n, text, variablePattern(), "names of variables have letters, digits and underscores")
}

// allVariables is what a suite writes in place of a list of variables.
const allVariables = "all"

// envAllowInto reads which variables are inherited: a list of names, or all.
func (d *decoder) envAllowInto(target *[]string) func(*yaml.Node) {
	list := d.Texts(target, func(n *yaml.Node, text string) bool {
		const advice = "names of variables have letters, digits and underscores, and may end with one *; all stands " +
			"without a list"
		return d.Matches(n, text, allowedPattern(), advice)
	})
	return func(n *yaml.Node) {
		*target = nil
		defer func() { d.inherited = append(d.inherited, *target...) }()
		switch {
		case d.Either(func(*yaml.Node) { d.Takes("const", allVariables) }, list):
			d.Also("description",
				"variables that it inherits, such as API_KEY or AWS_*, or all; default PATH, HOME and the like alone")
		case n.Kind == yaml.ScalarNode && n.Value == allVariables:
			*target = []string{"*"}
		case n.Kind == yaml.ScalarNode:
			const advice = "write a list of names, such as [OPENAI_API_KEY], or all"
			d.Fail(n, "must be a list or all, not "+yamlnode.Describe(n), advice)
		default:
			list(n)
		}
	}
}

// commandInto reads an argv. A command line is refused: there is no shell that
// would split it.
func (d *decoder) commandInto(target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			d.Fail(n, "must be a list, not "+yamlnode.Describe(n), "no shell splits it: write "+asList(n))
			return
		}
		d.Items(n, func(item *yaml.Node) {
			if text, ok := d.Text(item); ok {
				// Arguments may be empty, the program not.
				if len(*target) == 0 && text == "" {
					d.Fail(item, "must not be empty", "")
				}
				*target = append(*target, text)
				d.noteProgram(item, *target)
				d.noteReferences(item, text)
			}
		})
		d.Also("minItems", 1)
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.Fail(n, "must not be empty", "")
		}
	}
}

// asList writes a command line as the list that it most likely means.
func asList(n *yaml.Node) string {
	words, err := strings.Fields(n.Value), error(nil)
	// Variables are no shell's here, and would be expanded.
	if !strings.Contains(n.Value, "$") {
		words, err = shell.Fields(n.Value, nil)
	}
	if err != nil || len(words) == 0 || n.ShortTag() != "!!str" {
		words = []string{"./agent", "--model", "small"}
	}
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = strconv.Quote(word)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// envInto reads variables and their values.
func (d *decoder) envInto(target *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		env := make(map[string]string)
		d.variables(n, func(name string, value *yaml.Node) {
			if text, ok := d.Text(value); ok {
				env[name] = text
				d.noteReferences(value, text)
			}
		})
		if n.Kind == yaml.MappingNode {
			*target = env
		}
	}
}

// envOver reads variables over those of an agent. One that is null is not set.
func (d *decoder) envOver(n *yaml.Node, a *Agent) {
	d.variables(n, func(name string, value *yaml.Node) {
		if d.Takes("type", []string{"string", "null"}) {
			return
		}
		if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null" {
			delete(a.Env, name)
			return
		}
		if text, ok := d.Text(value); ok {
			if a.Env == nil {
				a.Env = make(map[string]string)
			}
			a.Env[name] = text
			d.noteReferences(value, text)
		}
	})
}

// variables calls back for each variable.
//
// Any mapping will do: there are no known keys, only names that must be those of variables.
func (d *decoder) variables(n *yaml.Node, each func(name string, value *yaml.Node)) {
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	d.Members(n, func(name string, at, value *yaml.Node) {
		if d.isVariable(at, name) {
			d.At(name, func() { each(name, value) })
		}
	})
	d.Also("propertyNames", object{"pattern", variablePattern().String()})
}
