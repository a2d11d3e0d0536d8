package conversion

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// promptfoo reads a configuration: every test with every prompt is a scenario, whose input is the prompt with the
// variables in it, and the variables.
func (c *converter) promptfoo(n *yaml.Node) {
	c.suite.Kind = "a configuration of promptfoo"
	c.leaveKeys(n, "", "description", "prompts", "tests", "defaultTest", "$schema")
	prompts := c.prompts(memberOf(n, "prompts"))
	defaults := memberOf(n, "defaultTest")
	if defaults != nil && defaults.Kind != yaml.MappingNode {
		c.leave(defaults, "defaultTest, which is no mapping")
		defaults = nil
	}
	if defaults != nil {
		c.leaveKeys(defaults, "defaultTest.", "vars", "assert", "metadata", "description")
	}
	tests := memberOf(n, "tests")
	switch {
	case tests == nil:
		c.leave(n, "there are no tests")
		return
	case tests.Kind != yaml.SequenceNode:
		c.leave(tests, "tests that are elsewhere: name them by scenarios: {from: FILE}")
		return
	}
	for i, test := range tests.Content {
		if test.Kind != yaml.MappingNode {
			c.leave(test, "a test that is elsewhere: name it by scenarios: {from: FILE}")
			continue
		}
		c.test(test, i, defaults, prompts)
	}
}

// prompts are the texts of prompts; one that is empty where there is none.
func (c *converter) prompts(n *yaml.Node) (texts []string) {
	list := []*yaml.Node{}
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		list = n.Content
	default:
		list = append(list, n)
	}
	for _, item := range list {
		if raw := memberOf(item, "raw"); raw != nil {
			item = raw
		}
		switch {
		case item.Kind != yaml.ScalarNode:
			c.leave(item, "a prompt that is no text")
		case strings.HasPrefix(item.Value, "file://"):
			c.leave(item, "the prompt in %s: your agent has to read it", item.Value)
		default:
			texts = append(texts, item.Value)
		}
	}
	if len(texts) == 0 {
		texts = append(texts, "")
	}
	return texts
}

// test makes scenarios of a test.
func (c *converter) test(n *yaml.Node, i int, defaults *yaml.Node, prompts []string) {
	c.leaveKeys(n, fmt.Sprintf("tests[%d].", i), "vars", "assert", "description", "metadata")
	vars := map[string]any{}
	for _, from := range []*yaml.Node{memberOf(defaults, "vars"), memberOf(n, "vars")} {
		if from == nil {
			continue
		}
		values, ok := c.value(from).(map[string]any)
		if !ok {
			c.leave(from, "vars that are elsewhere")
			continue
		}
		maps.Copy(vars, values)
	}
	for name, value := range vars {
		if _, isList := value.([]any); isList {
			c.leave(n, "the list of the variable %s stays one value: promptfoo tries each of it", name)
		}
	}
	s := Scenario{Name: "test " + strconv.Itoa(i+1)}
	if text := memberOf(n, "description"); text != nil && text.Value != "" {
		s.Name = text.Value
	}
	for _, list := range []*yaml.Node{memberOf(defaults, "assert"), memberOf(n, "assert")} {
		if list == nil {
			continue
		}
		for _, assert := range list.Content {
			if e := c.assertion(assert, vars, &s); e != nil {
				s.Evaluate = append(s.Evaluate, e)
			}
		}
	}
	if len(s.Evaluate) == 0 {
		c.leave(n, "nothing judges %q yet", s.Name)
	}
	name := s.Name
	for p, prompt := range prompts {
		s.Name = name
		if len(prompts) > 1 {
			s.Name += " [prompt " + strconv.Itoa(p+1) + "]"
		}
		input := map[string]any{"vars": vars}
		if prompt != "" {
			input["prompt"] = c.filled(n, prompt, vars)
		}
		if metadata := memberOf(n, "metadata"); metadata != nil {
			input["metadata"] = c.value(metadata)
		}
		s.Input = input
		c.add(s)
	}
}

// variablePattern is a variable in a template.
var variablePattern = lazy.Regexp(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// filled puts variables into a text. What the templates of promptfoo have besides is listed.
func (c *converter) filled(at *yaml.Node, text string, vars map[string]any) string {
	text = variablePattern().ReplaceAllStringFunc(text, func(found string) string {
		name := variablePattern().FindStringSubmatch(found)[1]
		switch value := vars[name].(type) {
		case nil:
			c.leave(at, "the variable %s has no value", name)
			return found
		case string:
			return value
		default:
			text, _ := json.Marshal(value) // it came of JSON
			return string(text)
		}
	})
	if strings.Contains(text, "{%") || strings.Contains(text, "{{") {
		c.leave(at, "a template that is more than variables stays as it is")
	}
	return text
}

// assertion is an evaluator; nil where there is none, which is listed, or where a limit says the same.
func (c *converter) assertion(n *yaml.Node, vars map[string]any, s *Scenario) any {
	kind := memberOf(n, "type")
	if kind == nil {
		c.leave(n, "an assertion without a type")
		return nil
	}
	value := memberOf(n, "value")
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch name := n.Content[i].Value; name {
		case "type", "value", "threshold":
		case "metric", "description":
			c.leave(n.Content[i], "%s of an assertion", name)
		default: // such as transform: it judges something else then
			c.leave(n, "%s with %s", kind.Value, name)
			return nil
		}
	}
	e := c.judged(n, kind.Value, value, vars, s)
	if e == nil && kind.Value != "cost" && kind.Value != "latency" {
		c.leave(n, "the assertion %s", kind.Value)
	}
	return e
}

// judged is the evaluator of a type of assertion.
func (c *converter) judged(n *yaml.Node, kind string, value *yaml.Node, vars map[string]any, s *Scenario) any {
	if rest, negated := strings.CutPrefix(kind, "not-"); negated {
		if rest == "cost" || rest == "latency" {
			return nil
		}
		if e := c.judged(n, rest, value, vars, s); e != nil {
			return map[string]any{"not": e}
		}
		return nil
	}
	threshold := memberOf(n, "threshold")
	switch kind {
	case "cost", "latency":
		return c.budget(n, kind, threshold, s)
	case "is-json":
		if value == nil {
			return map[string]any{"json-schema": map[string]any{"schema": true}}
		}
		if value.Kind == yaml.MappingNode {
			return map[string]any{"json-schema": map[string]any{"schema": c.value(value)}}
		}
		return nil
	case "contains-all", "contains-any", "icontains-all", "icontains-any":
		if value == nil || value.Kind != yaml.SequenceNode || len(value.Content) == 0 || threshold != nil {
			return nil
		}
		var parts []any
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode || item.Value == "" {
				return nil
			}
			parts = append(parts, contains(c.filled(item, item.Value, vars), kind[0] == 'i'))
		}
		return map[string]any{kind[strings.LastIndexByte(kind, '-')+1:]: parts}
	}
	if value == nil || value.Kind != yaml.ScalarNode || strings.HasPrefix(value.Value, "file://") || threshold != nil {
		if kind == "equals" && value != nil && value.Kind != yaml.ScalarNode {
			return map[string]any{"equals": map[string]any{"value": c.value(value)}}
		}
		return nil
	}
	text := c.filled(value, value.Value, vars)
	switch {
	case kind == "equals":
		return map[string]any{"equals": text}
	case text == "":
		return nil
	case kind == "contains":
		return contains(text, false)
	case kind == "icontains":
		return contains(text, true)
	case kind == "starts-with":
		return map[string]any{"regex": `\A` + regexp.QuoteMeta(text)}
	case kind == "regex":
		if _, err := regexp.Compile(text); err == nil {
			return map[string]any{"regex": text}
		}
	}
	return nil
}

// budget is what an attempt may take: its cost is a limit of the scenario, its time an evaluator.
func (c *converter) budget(n *yaml.Node, kind string, threshold *yaml.Node, s *Scenario) any {
	if threshold == nil {
		c.leave(n, "%s without a threshold", kind)
		return nil
	}
	x, err := strconv.ParseFloat(threshold.Value, 64)
	switch {
	case err != nil || !(x >= 0) || x > 1e9:
		c.leave(n, "%s with the threshold %s", kind, threshold.Value)
	case kind == "latency":
		return map[string]any{"wall-time": time.Duration(x * float64(time.Millisecond)).String()}
	default:
		s.Limits = map[string]any{"max_cost_usd": x}
	}
	return nil
}
