package suite

import (
	"cmp"
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// evaluation reads an item of a list of evaluators: a mapping with one key.
func (d *decoder) evaluation(n *yaml.Node) (Evaluation, bool) {
	if d.Describes() {
		d.Named("evaluation", func(*yaml.Node) { d.Either(d.setName, d.Named("evaluator", d.anyEvaluator)) })(n)
		return Evaluation{}, false
	}
	if n.Kind != yaml.MappingNode {
		d.noSet(n)
		return Evaluation{}, false
	}
	// A key and its value: the nodes of a mapping alternate.
	if len(n.Content) != 2 {
		d.severalKeys(n)
		return Evaluation{}, false
	}
	return d.named(n.Content[0], n.Content[1])
}

// setName says what names a set of evaluators, to a decoder that is asked for a schema.
func (d *decoder) setName(*yaml.Node) {
	d.Takes("type", "string", "minLength", 1, "description", "the name of a set of evaluators")
}

// anyEvaluator says what one is: a mapping with one key.
func (d *decoder) anyEvaluator(n *yaml.Node) {
	var keys []key
	for _, e := range evaluators() {
		keys = append(keys, key{Name: e.name, About: e.about, Read: func(n *yaml.Node) {
			_, _ = e.read(&form{decoder: d, node: n}) // there is nothing to make one of
		}})
	}
	d.Object(n, keys...)
	d.Also("minProperties", 1, "maxProperties", 1)
}

// severalKeys says what is wrong with an item of no key or of several, which is most
// often an evaluator with its options beside it.
func (d *decoder) severalKeys(n *yaml.Node) {
	var names []string
	for i := 0; i < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	hint := "each evaluator stands in an item of its own"
	if len(names) == 0 {
		d.Fail(n, "names no evaluator", "such as contains: billing")
		return
	}
	if len(names) > 1 {
		// Two evaluators in one item, or options that stand a level too high.
		if _, another := findEvaluator(names[1]); !another {
			hint = "write options inside: " + prose.Excerpt(names[0]) + ": {" + prose.Excerpt(names[1]) + ": ...}"
		}
	}
	d.Fail(n, "holds several keys: "+prose.Excerpt(strings.Join(names, ", ")), hint)
}

// named builds the evaluator of that name.
//
// The value is kept as JSON too, for the digest and for whoever shows the suite.
func (d *decoder) named(at, value *yaml.Node) (e Evaluation, ok bool) {
	row, ok := findEvaluator(at.Value)
	if !ok {
		names := evaluatorNames()
		meant := cmp.Or(otherEvaluators()[at.Value], at.Value)
		d.Fail(at, "has no evaluator "+yamlnode.Shown(at.Value), prose.DidYouMean(meant, names)).Keys = names
		return e, false
	}
	before := len(d.Problems)
	e = Evaluation{Name: at.Value, Place: d.Place(at)}
	d.At(at.Value, func() {
		e.Spec = d.JSON(value)
		// It has no form in JSON, and a problem says so.
		if e.Spec == nil {
			return
		}
		built, err := row.read(&form{decoder: d, node: value})
		switch refused, isOption := errors.AsType[*oracle.OptionError](err); {
		// The options have problems already, which are nearer to the cause than what follows from them.
		case len(d.Problems) > before:
		case isOption:
			d.refused(value, refused)
		case err != nil:
			d.Fail(value, "cannot be used: "+prose.Reason(err.Error()), "")
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
	// The place of the option's value, where it is written out.
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == option {
			at = n.Content[i+1]
		}
	}
	if n.Kind == yaml.MappingNode {
		d.At(option, func() { d.Fail(at, problem, e.Advice) })
		return
	}
	d.Fail(at, problem, e.Advice)
}
