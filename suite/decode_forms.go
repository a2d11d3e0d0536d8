package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/trial"
)

func (f form) ofOutput(name string) (oracle.Evaluator, error) {
	var at oracle.Path
	path := f.pathInto(&at)
	var value trial.Raw
	var text string
	var fold bool
	var low, high trial.Optional[float64]
	asText := key{"value", func(n *yaml.Node) { text, _ = f.text(n) }}
	bound := func(name string, target *trial.Optional[float64]) key {
		return key{name, func(n *yaml.Node) { target.Value, target.Known = f.number(n) }}
	}
	before := len(f.problems)
	switch name {
	case "equals":
		f.read("value", []key{path, {"value", func(n *yaml.Node) { value = f.json(n) }}}, "value")
	case "contains", "not-contains":
		f.read("value", []key{path, asText, {"ignore_case", f.boolInto(&fold)}}, "value")
	case "regex":
		f.read("value", []key{path, asText}, "value")
	case "exists":
		f.read("path", []key{path}, "path")
	case "range":
		f.read("", []key{path, bound("min", &low), bound("max", &high)})
	case "json-schema":
		f.read("", []key{path, {"schema", func(n *yaml.Node) { value = f.json(n) }}}, "schema")
	}
	if len(f.problems) > before {
		return nil, nil
	}
	switch name {
	case "equals":
		return oracle.Equals(at, value)
	case "contains":
		return oracle.Contains(at, text, oracle.TextOptions{IgnoreCase: fold})
	case "not-contains":
		return oracle.NotContains(at, text, oracle.TextOptions{IgnoreCase: fold})
	case "regex":
		return oracle.Regex(at, text)
	case "exists":
		return oracle.Exists(at)
	case "range":
		return oracle.Range(at, low, high)
	}
	return oracle.JSONSchema(at, value)
}

func (f form) ofTools(name string) (oracle.Evaluator, error) {
	var tools []string
	var least int
	var exact bool
	names := key{"tools", func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			if text, ok := f.text(n); ok {
				tools = []string{text}
			}
			return
		}
		f.items(n, func(_ int, item *yaml.Node) {
			if text, ok := f.text(item); ok {
				tools = append(tools, text)
			}
		})
	}}
	before := len(f.problems)
	switch name {
	case "must-call":
		f.read("tools", []key{names, {"min", f.wholeInto(1, maxTrials, func(x int64) { least = int(x) })}}, "tools")
	case "must-not-call":
		f.read("tools", []key{names}, "tools")
	case "tool-order":
		f.read("tools", []key{names, {"exact", f.boolInto(&exact)}}, "tools")
	}
	switch {
	case len(f.problems) > before:
		return nil, nil
	case name == "must-call":
		return oracle.MustCall(tools, least)
	case name == "must-not-call":
		return oracle.MustNotCall(tools)
	}
	return oracle.ToolOrder(tools, exact)
}

func (f form) exitCode() (oracle.Evaluator, error) {
	var codes []int
	one := f.wholeInto(0, 255, func(x int64) { codes = append(codes, int(x)) })
	before := len(f.problems)
	f.read("code", []key{{"code", func(n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			f.items(n, func(_ int, item *yaml.Node) { one(item) })
			return
		}
		one(n)
	}}}, "code")
	if len(f.problems) > before {
		return nil, nil
	}
	return oracle.ExitCode(codes...)
}

func (f form) command() (oracle.Evaluator, error) {
	var argv []string
	o := oracle.CommandOptions{Dir: f.dir, Redact: f.redact}
	before := len(f.problems)
	f.read("command", []key{
		{"command", f.commandInto(&argv)},
		{"env", f.envInto(&o.Env)},
		{"timeout", f.durationInto(&o.Timeout, false)},
		{"threshold", f.share(&o.Threshold)},
		{"max_output_bytes", f.wholeInto(1, 1<<31-1, func(x int64) { o.MaxOutputBytes = int(x) })},
	}, "command")
	if len(f.problems) > before {
		return nil, nil
	}
	return oracle.Command(program(f.dir, argv), o)
}

// share reads a number above 0 and at most 1.
func (f form) share(target *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		x, ok := f.number(n)
		switch {
		case !ok:
		case !(x > 0 && x <= 1):
			f.fail(n, prose.Excerpt(n.Value)+" must lie above 0 and be at most 1", "")
		default:
			*target = x
		}
	}
}

func (f form) combination(name string) (oracle.Evaluator, error) {
	var parts []oracle.Evaluator
	var weights []oracle.Weight
	var threshold float64
	each := func(n *yaml.Node) {
		f.items(n, func(_ int, item *yaml.Node) {
			if e, ok := f.evaluation(item); ok {
				parts = append(parts, e.Evaluator)
			}
		})
	}
	before := len(f.problems)
	switch name {
	case "all", "any":
		each(f.node)
	case "not":
		if e, ok := f.evaluation(f.node); ok {
			parts = append(parts, e.Evaluator)
		}
	case "weighted":
		f.read("", []key{
			{"threshold", f.share(&threshold)},
			{"of", func(n *yaml.Node) {
				f.items(n, func(_ int, item *yaml.Node) {
					if w, ok := f.weight(item); ok {
						weights = append(weights, w)
					}
				})
			}},
		}, "threshold", "of")
	}
	switch {
	case len(f.problems) > before:
		return nil, nil
	case name == "all":
		return oracle.All(parts...)
	case name == "any":
		return oracle.Any(parts...)
	case name == "not":
		return oracle.Not(parts[0])
	}
	return oracle.Weighted(threshold, weights...)
}

// weight reads an evaluator with a weight beside it; 1 where it has none.
func (f form) weight(n *yaml.Node) (oracle.Weight, bool) {
	w := oracle.Weight{Weight: 1}
	if n.Kind != yaml.MappingNode {
		f.evaluation(n) // says what is wrong
		return w, false
	}
	rest := *n
	rest.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "weight" {
			rest.Content = append(rest.Content, n.Content[i], n.Content[i+1])
			continue
		}
		f.at("weight", func() {
			value := n.Content[i+1]
			x, ok := f.number(value)
			if ok && !(x > 0 && x <= 1e9) {
				f.fail(value, prose.Excerpt(value.Value)+" must be a positive number", "")
			}
			w.Weight = x
		})
	}
	e, ok := f.evaluation(&rest)
	w.Evaluator = e.Evaluator
	return w, ok
}

// budget reads a metric budget: a number, or for wall time a duration.
func (f form) budget(name string) (oracle.Evaluator, error) {
	metric := oracle.TokenBudget
	for m := oracle.TokenBudget; m <= oracle.StepCount; m++ {
		if m.String() == name {
			metric = m
		}
	}
	var limit float64
	before := len(f.problems)
	read := f.wholeInto(0, 1<<53, func(x int64) { limit = float64(x) })
	if metric == oracle.WallTime {
		var duration time.Duration
		into := f.durationInto(&duration, true)
		read = func(n *yaml.Node) { into(n); limit = duration.Seconds() }
	}
	f.read("max", []key{{"max", read}}, "max")
	if len(f.problems) > before {
		return nil, nil
	}
	return oracle.Budget(metric, limit)
}
