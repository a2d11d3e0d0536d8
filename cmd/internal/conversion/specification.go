package conversion

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// isSpecification reports whether a mapping has graders, or scenarios and is no suite.
func isSpecification(n *yaml.Node) bool {
	return memberOf(n, "graders") != nil || memberOf(n, "scenarios") != nil && memberOf(n, "version") == nil
}

// specification reads scenarios as the AgentAssay paper specifies them (section 8.4), by properties and an evaluator,
// and graders by their type and config. Graders alone are those of one scenario.
func (c *converter) specification(n *yaml.Node) {
	c.suite.Kind = "a specification of scenarios or graders"
	c.leaveKeys(n, "", "name", "scenarios", "graders", "config")
	if at := memberOf(n, "name"); at != nil {
		c.suite.Name = at.Value
	}
	graders := c.graders(n)
	defer c.config(memberOf(n, "config"))
	scenarios := memberOf(n, "scenarios")
	switch {
	case scenarios == nil:
		c.leave(n, "there are no scenarios: the one of the graders has no input yet")
		c.add(Scenario{Name: "all", Evaluate: graders})
		return
	case scenarios.Kind != yaml.SequenceNode:
		c.leave(scenarios, "scenarios that are elsewhere: name them by scenarios: {from: FILE}")
		return
	}
	for i, item := range scenarios.Content {
		what := fmt.Sprintf("scenarios[%d]", i)
		if item.Kind != yaml.MappingNode {
			c.leave(item, "%s, which is no mapping", what)
			continue
		}
		c.leaveKeys(item, what+".", "name", "input", "properties", "evaluator", "graders")
		input := memberOf(item, "input")
		s := Scenario{Name: "scenario " + strconv.Itoa(i+1), Input: c.value(input)}
		for _, at := range []*yaml.Node{input, memberOf(item, "name")} {
			if at != nil && at.Kind == yaml.ScalarNode && strings.TrimSpace(at.Value) != "" {
				s.Name = at.Value
			}
		}
		s.Evaluate = append(c.properties(item, what), c.graders(item)...)
		if s.Evaluate = append(s.Evaluate, graders...); len(s.Evaluate) == 0 {
			c.leave(item, "nothing judges %q yet", s.Name)
		}
		c.add(s)
	}
}

// properties are evaluators of what a scenario expects: expected of the whole output, and expected_NAME of its member
// NAME, which exact_match compares; and max_steps.
func (c *converter) properties(scenario *yaml.Node, what string) (list []any) {
	evaluator, properties := memberOf(scenario, "evaluator"), memberOf(scenario, "properties")
	compares := evaluator != nil && evaluator.Value == "exact_match"
	if evaluator != nil && !compares {
		c.leave(evaluator, "%s.evaluator: %s; contract: FILE holds a trial to a contract", what, c.JSON(evaluator))
	}
	if properties == nil {
		return nil
	}
	maps := []*yaml.Node{properties}
	if properties.Kind == yaml.SequenceNode {
		maps = properties.Content
	}
	for _, m := range maps {
		if m.Kind != yaml.MappingNode {
			c.leave(m, "%s.properties: %s", what, c.JSON(m))
			continue
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			key, value := m.Content[i], m.Content[i+1]
			member, isOf := strings.CutPrefix(key.Value, "expected_")
			switch {
			case key.Value == "max_steps":
				c.At(what+".properties.max_steps", func() {
					c.Whole(0, mostCount, func(most int64) { list = append(list, map[string]any{"max_steps": most}) })(value)
				})
			case compares && isOf && member != "":
				if strings.ContainsAny(member, `.[]"`) { // not the name of a member, as a path has it
					member = fmt.Sprintf("[%q]", member)
				}
				list = append(list, map[string]any{"equals": map[string]any{"path": member, "value": c.value(value)}})
			case compares && key.Value == "expected":
				list = append(list, map[string]any{"equals": map[string]any{"value": c.value(value)}})
			default:
				c.leave(key, "%s.properties.%s: %s", what, key.Value, c.JSON(value))
			}
		}
	}
	return list
}

// mostCount is the most that a grader can allow.
const mostCount = 1 << 53

// graders are evaluators of budgets: of the same names, each by its max.
func (c *converter) graders(n *yaml.Node) (list []any) {
	graders := memberOf(n, "graders")
	if graders == nil {
		return nil
	}
	c.At("graders", func() {
		c.Items(graders, func(item *yaml.Node) {
			var kind string
			var config *yaml.Node
			c.Object(item, yamlnode.Key{Name: "type", Needed: true, Read: yamlnode.Word(&c.Decoder, &kind,
				"token-budget", "tool-call-count", "turn-count", "error-count", "wall-time")},
				yamlnode.Key{Name: "config", Needed: true, Read: func(n *yaml.Node) { config = n }})
			if kind == "" || config == nil {
				return
			}
			var most any
			read := c.Whole(0, mostCount, func(x int64) { most = x })
			if kind == "wall-time" {
				read = func(n *yaml.Node) { c.Duration(new(time.Duration), true)(n); most = n.Value }
			}
			c.At("config", func() { c.Object(config, yamlnode.Key{Name: "max", Needed: true, Read: read}) })
			list = append(list, map[string]any{kind: most})
		})
	})
	return list
}

// config makes the test of it. What it compares with is not carried over: a baseline is a run of tribunal.
func (c *converter) config(n *yaml.Node) {
	if n == nil {
		return
	}
	found := map[string]string{"threshold": "0.9", "delta": "0.1"}
	share := func(n *yaml.Node, name string) {
		if at := memberOf(n, name); at != nil {
			c.At("config."+name, func() {
				c.Inside(func(float64) { found[name] = at.Value }, "it is a share, such as 0.1")(at)
			})
		}
	}
	regression := memberOf(n, "regression")
	share(n, "threshold")
	share(n, "alpha")
	share(n, "beta")
	share(regression, "delta")
	known := []string{"threshold", "alpha", "beta", "regression", "trials"}
	if method := memberOf(n, "method"); method != nil && method.Value == "sprt" {
		known, found["design"] = append(known, "method"), "wald"
	}
	c.leaveKeys(n, "config.", known...)
	if trials := memberOf(n, "trials"); trials != nil {
		c.leave(trials, "config.trials: %s: a run makes as many as the verdict takes", trials.Value)
	}
	if regression != nil && regression.Kind == yaml.MappingNode {
		c.leaveKeys(regression, "config.regression.", "delta")
	}
	var keys []string
	for _, name := range []string{"threshold", "delta", "alpha", "beta", "design"} {
		if value := found[name]; value != "" {
			keys = append(keys, name+": "+value)
		}
	}
	c.suite.test = "test: {" + strings.Join(keys, ", ") + "} # of each scenario"
}
