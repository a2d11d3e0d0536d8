package suite

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

func (d *decoder) coverage(n *yaml.Node, c *Coverage) {
	var boundaries *yaml.Node
	found := d.object(n,
		key{"minimum", func(n *yaml.Node) {
			if x, ok := d.number(n); ok {
				if !(x >= 0 && x <= 1) {
					d.fail(n, prose.Excerpt(n.Value)+" must lie between 0 and 1", "")
				}
				c.Minimum = trial.Some(x)
			}
		}},
		key{"tools", d.textsInto(&c.Tools, d.printable)},
		key{"tools_file", d.textInto(&c.ToolsFile)},
		key{"models", d.textsInto(&c.Models, d.printable)},
		key{"boundaries", func(n *yaml.Node) { boundaries = n }},
		key{"weights", func(n *yaml.Node) { d.weights(n, c) }},
		key{"lambda", func(n *yaml.Node) {
			if x, ok := d.number(n); ok {
				if !(x > 0) {
					d.fail(n, prose.Excerpt(n.Value)+" must be positive", "it is the number of distinct states to expect")
				}
				c.Lambda = x
			}
		}},
	)
	if at := found["tools_file"]; at != nil && found["tools"] != nil {
		d.at("tools_file", func() { d.fail(at, "says the same as tools", "leave one of the two out") })
	}
	if boundaries != nil {
		d.at("boundaries", func() { d.boundaries(boundaries, c) })
	}
}

func (d *decoder) weights(n *yaml.Node, c *Coverage) {
	weights := make(map[coverage.Dimension]float64)
	var keys []key
	for _, dimension := range coverage.Dimensions() {
		keys = append(keys, key{string(dimension), func(n *yaml.Node) {
			d.amountInto(func(x float64) {
				if x > 1e9 {
					d.fail(n, prose.Excerpt(n.Value)+" must be at most 1e9", "")
				}
				weights[dimension] = x
			})(n)
		}})
	}
	d.object(n, keys...)
	c.Weights = weights
}

// boundaries reads domains by tool and parameter.
func (d *decoder) boundaries(n *yaml.Node, c *Coverage) {
	c.Boundaries = make(map[string]map[string]coverage.Domain)
	d.byName(n, "tool", func(tool string, at, parameters *yaml.Node) {
		if len(c.Tools) > 0 && !slices.Contains(c.Tools, tool) {
			d.fail(at, "has no tool "+shown(tool), didYouMean(tool, firstFew(c.Tools)))
			return
		}
		c.Boundaries[tool] = make(map[string]coverage.Domain)
		d.at(tool, func() {
			d.byName(parameters, "parameter", func(parameter string, _, value *yaml.Node) {
				d.at(parameter, func() { c.Boundaries[tool][parameter] = d.domain(value) })
			})
		})
	})
}

// byName reads a mapping whose keys are names that others chose.
func (d *decoder) byName(n *yaml.Node, what string, each func(name string, at, value *yaml.Node)) {
	if !d.is(n, yaml.MappingNode, "a mapping") {
		return
	}
	d.members(n, func(name string, at, value *yaml.Node) {
		if name == "" {
			d.fail(at, "has a "+what+" without a name", "")
			return
		}
		each(name, at, value)
	})
}

// domain reads what a parameter may be, in the words of JSON Schema.
func (d *decoder) domain(n *yaml.Node) (domain coverage.Domain) {
	real := func(name string, target *trial.Optional[float64]) key {
		return key{name, func(n *yaml.Node) { target.Value, target.Known = d.number(n) }}
	}
	length := func(name string, target *trial.Optional[int]) key {
		return key{name, d.wholeInto(0, 1<<31-1, func(x int64) { *target = trial.Some(int(x)) })}
	}
	kind := ""
	before := len(d.problems)
	found := d.object(n,
		key{"type", wordOf(d, &kind, "integer", "number", "string", "array", "boolean")},
		real("minimum", &domain.Minimum), real("maximum", &domain.Maximum),
		real("exclusiveMinimum", &domain.ExclusiveMinimum), real("exclusiveMaximum", &domain.ExclusiveMaximum),
		length("minLength", &domain.MinLength), length("maxLength", &domain.MaxLength),
		length("minItems", &domain.MinItems), length("maxItems", &domain.MaxItems),
		key{"enum", func(n *yaml.Node) {
			d.items(n, func(_ int, item *yaml.Node) {
				if value := d.json(item); value != nil {
					domain.Enum = append(domain.Enum, value)
				}
			})
		}},
	)
	domain.Integer = kind == "integer"
	if kind == "boolean" {
		domain.Enum = append(domain.Enum, trial.Raw("false"), trial.Raw("true"))
	}
	if len(d.problems) > before {
		return domain
	}
	if err := domain.Validate(); err != nil {
		at := found[err.Field]
		if at == nil {
			at = n
		}
		d.at(err.Field, func() { d.fail(at, describe(at)+" "+err.Problem, "") })
	} else if domain.Empty() {
		d.fail(n, "has no limit", "such as {minimum: 1, maximum: 500}, {maxLength: 80} or {enum: [EUR, USD]}")
	}
	return domain
}

// capability checks a capability of a scenario against those of the suite: one that
// is not there is a slip of the pen, and must not be counted.
func (d *decoder) capability(known []string) func(*yaml.Node, string) bool {
	return func(n *yaml.Node, text string) bool {
		switch {
		case len(known) == 0:
			d.fail(n, "names "+shown(text)+", and the suite lists no capabilities", "list them at the top: capabilities: ["+prose.Excerpt(text)+"]")
		case !slices.Contains(known, text):
			d.fail(n, "has no capability "+shown(text), didYouMean(text, firstFew(known)))
		default:
			return true
		}
		return false
	}
}
