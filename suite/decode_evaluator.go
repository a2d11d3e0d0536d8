package suite

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/oracle"
)

// evaluators are the names that an item of evaluate may have, in the order in
// which a person would list them.
var evaluators = []string{
	"equals", "contains", "not-contains", "regex", "exists", "range", "json-schema",
	"must-call", "must-not-call", "tool-order", "max_steps", "exit-code", "command", "contract",
	"all", "any", "not", "weighted",
	"token-budget", "tool-call-count", "turn-count", "error-count", "wall-time",
}

// evaluation reads an item of a list of evaluators: a mapping with one key.
func (d *decoder) evaluation(n *yaml.Node) (Evaluation, bool) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "must be an evaluator, not "+describe(n), "such as contains: billing")
		return Evaluation{}, false
	}
	if len(n.Content) != 2 {
		d.severalKeys(n)
		return Evaluation{}, false
	}
	return d.named(n.Content[0], n.Content[1])
}

func (d *decoder) severalKeys(n *yaml.Node) {
	var names []string
	for i := 0; i < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	hint := "each evaluator stands in an item of its own"
	if len(names) == 0 {
		d.fail(n, "names no evaluator", "such as contains: billing")
		return
	}
	if len(names) > 1 && !isEvaluator(names[1]) {
		hint = "write options inside: " + prose.Excerpt(names[0]) + ": {" + prose.Excerpt(names[1]) + ": ...}"
	}
	d.fail(n, "holds several keys: "+prose.Excerpt(strings.Join(names, ", ")), hint)
}

func isEvaluator(name string) bool {
	for _, known := range evaluators {
		if name == known {
			return true
		}
	}
	return false
}

// named builds the evaluator of that name.
func (d *decoder) named(at, value *yaml.Node) (e Evaluation, ok bool) {
	if !isEvaluator(at.Value) {
		d.fail(at, "has no evaluator "+shown(at.Value), didYouMean(at.Value, evaluators)).Keys = evaluators
		return e, false
	}
	before := len(d.problems)
	e = Evaluation{Name: at.Value, Place: d.place(at)}
	d.at(at.Value, func() {
		if e.Spec = d.json(value); e.Spec == nil {
			return
		}
		f := form{decoder: d, node: value}
		built, err := f.build(at.Value)
		switch refused, isOption := errors.AsType[*oracle.OptionError](err); {
		case len(d.problems) > before:
		case isOption:
			d.refused(value, refused)
		case err != nil:
			d.fail(value, "cannot be used: "+prose.Excerpt(err.Error()), "")
		default:
			e.Evaluator = built
		}
	})
	return e, e.Evaluator != nil
}

// refused gives what an evaluator refuses the place of the option.
func (d *decoder) refused(n *yaml.Node, e *oracle.OptionError) {
	problem, at, option := e.Problem, n, e.Option
	if option == "text" || option == "pattern" {
		option = "value" // as it is called in a suite
	}
	if e.Value != "" {
		problem = prose.Excerpt(e.Value) + " " + problem
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == option {
			at = n.Content[i+1]
		}
	}
	if n.Kind == yaml.MappingNode {
		d.at(option, func() { d.fail(at, problem, e.Advice) })
		return
	}
	d.fail(at, problem, e.Advice)
}

// form reads what an evaluator is given: a value, or a mapping with options.
type form struct {
	*decoder
	node *yaml.Node
}

// read reads the mapping by its keys, or the value by that of the short key; "" is
// for an evaluator without a short form. The keys named must be there.
func (f form) read(short string, keys []key, needed ...string) {
	if f.node.Kind != yaml.MappingNode && short != "" {
		for _, k := range keys {
			if k.name == short {
				k.read(f.node)
			}
		}
		return
	}
	found := f.object(f.node, keys...)
	if found == nil {
		return
	}
	for _, name := range needed {
		if found[name] == nil {
			f.missing(f.node, name, "")
		}
	}
}

func (f form) pathInto(p *oracle.Path) key {
	return key{"path", func(n *yaml.Node) {
		text, ok := f.text(n)
		if !ok {
			return
		}
		parsed, err := oracle.ParsePath(text)
		if refused, isOption := errors.AsType[*oracle.OptionError](err); isOption {
			f.fail(n, refused.Value+" "+refused.Problem, refused.Advice)
		}
		*p = parsed
	}}
}

// build reads the node and makes the evaluator of that name.
func (f form) build(name string) (oracle.Evaluator, error) {
	switch name {
	case "equals", "contains", "not-contains", "regex", "exists", "range", "json-schema":
		return f.ofOutput(name)
	case "must-call", "must-not-call", "tool-order":
		return f.ofTools(name)
	case "exit-code":
		return f.exitCode()
	case "command":
		return f.command()
	case "contract":
		return f.contract()
	case "all", "any", "not", "weighted":
		return f.combination(name)
	}
	return f.budget(name)
}
