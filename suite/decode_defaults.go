package suite

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// defaults is what a suite says of all of its scenarios beside their limits and their test.
type defaults struct {
	tags     []string
	evaluate []Evaluation
	// What reading the evaluators left behind: each scenario that has them reads the same contracts and starts the
	// same programs.
	contracts  []string
	programs   []startedProgram
	references []reference
}

// defaults reads what holds for every scenario. Limits go over those of the suite, one by one.
func (d *decoder) defaults(n *yaml.Node, shared *scenarioDefaults) {
	contracts, programs, references := len(d.contracts), len(d.programs), len(d.references)
	d.Object(n,
		key{Name: "evaluate", About: "added to those of each scenario",
			Read: func(n *yaml.Node) { d.evaluations(d.spliced(n), &shared.defaults.evaluate) }},
		key{Name: "limits", Read: func(n *yaml.Node) { d.limits(n, &shared.limits) }},
		key{Name: "tags", About: "added to those of each scenario", Read: d.Texts(&shared.defaults.tags, d.IsLine)},
	)
	// They belong to the scenarios that have them: see inherit.
	shared.defaults.contracts = slices.Clone(d.contracts[contracts:])
	shared.defaults.programs = slices.Clone(d.programs[programs:])
	shared.defaults.references = slices.Clone(d.references[references:])
	d.contracts, d.programs, d.references = d.contracts[:contracts], d.programs[:programs], d.references[:references]
}

// evaluations reads a list of evaluators.
func (d *decoder) evaluations(n *yaml.Node, list *[]Evaluation) {
	each := func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode && len(n.Content) > 1 {
			value := "..."
			if at := n.Content[1]; at.Kind == yaml.ScalarNode {
				value = at.Value
			}
			d.Fail(n, "must be a list, not a mapping",
				"write ["+prose.Excerpt("{"+n.Content[0].Value+": "+value+"}")+"]")
			return
		}
		d.Items(n, func(item *yaml.Node) {
			if e, ok := d.evaluation(item); ok {
				*list = append(*list, e)
			}
		})
	}
	if d.Describes() {
		d.Named("evaluations", func(*yaml.Node) { d.Either(d.setName, each) })(n)
		return
	}
	each(n)
}

// scenarioEvaluations reads the evaluators of a scenario: a list, beside which those of the defaults count, or a
// mapping that may leave these out.
func (d *decoder) scenarioEvaluations(n *yaml.Node, list *[]Evaluation, inherits *bool) {
	n = d.spliced(n)
	all := func(n *yaml.Node) { d.evaluations(n, list) }
	switch {
	case d.Either(all, func(n *yaml.Node) { d.inheriting(n, list, inherits) }):
	case !yamlnode.Has(n, "of") && !yamlnode.Has(n, "inherit"):
		all(n)
	default:
		d.inheriting(n, list, inherits)
	}
}

// inheriting reads whether those of the defaults count, and evaluators.
func (d *decoder) inheriting(n *yaml.Node, list *[]Evaluation, inherits *bool) {
	d.Object(n,
		key{Name: "inherit", About: "false leaves out those of the defaults", Read: d.Bool(inherits)},
		key{Name: "of", Read: func(n *yaml.Node) { d.evaluations(n, list) }, Needed: true,
			Advice: "a list of evaluators, which may be empty: evaluate: {inherit: false, of: [contains: billing]}"},
	)
}

// inherit gives a scenario what the defaults add to its own: tags that it does not have, and evaluators behind its
// own, unless it wants none.
func (d *decoder) inherit(c *Scenario, from defaults, evaluators bool) {
	for _, tag := range from.tags {
		if !slices.Contains(c.Tags, tag) {
			c.Tags = append(c.Tags, tag)
		}
	}
	if !evaluators {
		return
	}
	c.Evaluate = append(c.Evaluate, from.evaluate...)
	d.contracts = append(d.contracts, from.contracts...)
	d.programs = append(d.programs, from.programs...)
	d.references = append(d.references, from.references...)
}
