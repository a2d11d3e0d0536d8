package suite

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/trial"
)

const maxNameBytes = 200

// scenarios reads the list, each over what the suite says.
func (d *decoder) scenarios(n *yaml.Node, s *Suite, shared limits, test *yaml.Node) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		d.fail(n, "must not be empty", "a verdict needs trials, and trials need a scenario")
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxScenarios {
		d.fail(n, fmt.Sprintf("holds more than %d scenarios", maxScenarios), "")
		return
	}
	lines := make(map[string]int)
	d.items(n, func(_ int, item *yaml.Node) {
		if len(d.problems) == maxErrors {
			return
		}
		scenario := d.scenario(item, s, shared, test)
		if line, twice := lines[scenario.Name]; twice && scenario.Name != "" {
			d.at("name", func() {
				d.fail(item, shown(scenario.Name)+" is given twice", fmt.Sprintf("it stands already in line %d", line))
			})
		}
		lines[scenario.Name] = item.Line
		s.Scenarios = append(s.Scenarios, scenario)
	})
}

func (d *decoder) scenario(n *yaml.Node, s *Suite, own limits, test *yaml.Node) Scenario {
	c := Scenario{Input: trial.Raw("null"), Test: s.Test, Place: d.place(n)}
	before := len(d.problems)
	found := d.object(n,
		key{"name", func(n *yaml.Node) {
			if d.textInto(&c.Name)(n); len(c.Name) > maxNameBytes {
				d.fail(n, fmt.Sprintf("is longer than %d bytes", maxNameBytes), "")
			}
		}},
		key{"input", func(n *yaml.Node) { c.Input = d.json(n) }},
		key{"tags", d.textsInto(&c.Tags, d.printable)},
		key{"capabilities", d.textsInto(&c.Capabilities, d.capability(s.Capabilities))},
		key{"min_pass_rate", d.passRateInto(&c.Floor)},
		key{"all_trials", d.boolInto(&c.Floor.AllTrials)},
		key{"evaluate", func(n *yaml.Node) {
			d.items(n, func(_ int, item *yaml.Node) {
				if e, ok := d.evaluation(item); ok {
					c.Evaluate = append(c.Evaluate, e)
				}
			})
		}},
		key{"limits", func(n *yaml.Node) { d.limits(n, &own) }},
		key{"test", func(n *yaml.Node) { d.scenarioTest(n, &c.Test) }},
		key{"trials", d.wholeInto(1, maxTrials, func(x int64) { c.Trials = int(x) })},
	)
	if found == nil {
		return c
	}
	if found["name"] == nil {
		d.missing(n, "name", "every scenario needs one")
	}
	if at := found["trials"]; at != nil && s.Test.By == BySuite {
		d.at("trials", func() {
			d.fail(at, "cannot be given in a test by suite", "all trials together are tested: leave it out, or test by scenario")
		})
	}
	c.Limits = own.Limits
	const both = "declare it here or for the suite; limits: none says on purpose that there is none"
	if !own.turns {
		d.at("limits", func() { d.missing(n, turnsKey, both) })
	}
	if !own.cost {
		d.at("limits", func() { d.missing(n, costKey, both) })
	}
	// The hypotheses of the suite are complete or wrong where a threshold stands
	// there; without one, the scenario must bring it.
	if c.Test.Threshold == 0 && len(d.problems) == before && (test == nil || !has(test, "threshold")) {
		d.at("test", func() {
			d.missing(n, "threshold", "give the pass rate to hold, here or for the suite: test: {threshold: 0.9}")
		})
	}
	return c
}

const (
	turnsKey = "max_turns"
	costKey  = "max_cost_usd"
)

func (d *decoder) scenarioTest(n *yaml.Node, t *Test) {
	if t.By == BySuite {
		d.fail(n, "cannot differ from the suite's in a test by suite", "leave it out, or test by scenario")
		return
	}
	d.test(n, t, false)
}

// has reports whether a mapping has the key.
func has(n *yaml.Node, name string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return true
		}
	}
	return false
}
