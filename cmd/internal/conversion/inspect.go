package conversion

import (
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
)

// samples reads samples of Inspect: input, target, choices, id and metadata. A data set does not say how a target is
// compared: it must be in the output, in any case, as by Inspect's scorer includes(). One of several targets will do.
func (c *converter) samples(rows []dataset.Row) {
	c.suite.Kind = "a data set of Inspect"
	for i, row := range rows {
		n := row.Node
		c.leaveKeys(n, "", "input", "target", "id", "metadata", "choices")
		s := Scenario{Name: strconv.Itoa(i + 1)} // as Inspect numbers samples without an id
		if id := row.Value("id"); id != nil && id.Kind == yaml.ScalarNode && id.Value != "" {
			s.Name = id.Value
		}
		input := row.Value("input")
		if input == nil {
			c.leave(n, "a sample without input")
			continue
		}
		content := map[string]any{"input": c.value(input)}
		for _, name := range []string{"choices", "metadata"} {
			if value := row.Value(name); value != nil && value.Tag != "!!null" {
				content[name] = c.value(value)
			}
		}
		s.Input = content
		s.Evaluate = c.target(n, row.Value("target"))
		c.add(s)
	}
}

// target is an evaluator for any of the targets.
func (c *converter) target(at, n *yaml.Node) []any {
	var parts []any
	note := func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Value != "" && n.ShortTag() != "!!null" {
			parts = append(parts, contains(n.Value, true))
		}
	}
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			note(item)
		}
	default:
		note(n)
	}
	switch len(parts) {
	case 0:
		c.leave(at, "a sample without target: nothing judges it yet")
		return nil
	case 1:
		return parts
	}
	return []any{map[string]any{"any": parts}}
}

// contains is the evaluator of a text.
func contains(text string, ignoreCase bool) any {
	if !ignoreCase {
		return map[string]any{"contains": text}
	}
	return map[string]any{"contains": map[string]any{"value": text, "ignore_case": true}}
}
