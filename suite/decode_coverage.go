package suite

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// coverage reads what the trials are to try. Boundaries and the graph are read last: they may
// name only the tools that are listed.
func (d *decoder) coverage(n *yaml.Node, c *Coverage) {
	var boundaries *yaml.Node
	found := d.Object(n,
		key{Name: "minimum", About: "the least overall coverage that is good enough", Read: d.Real(
			func(x float64) { c.Minimum = trial.Some(x) }, "must lie between 0 and 1", "",
			yamlnode.AtLeast(0), yamlnode.AtMost(1),
		)},
		key{Name: "tools", About: "that the agent may call", Read: d.Texts(&c.Tools, d.IsLine)},
		key{Name: "tools_file", About: "a list of tools, as MCP or OpenAI have it, in place of tools",
			Read: d.Line(&c.ToolsFile)},
		key{Name: "models", About: "that the agent is to run on, as trials name them",
			Read: d.Texts(&c.Models, d.IsLine)},
		key{Name: "boundaries", About: "the domain of each parameter, by tool and parameter",
			Read:  func(n *yaml.Node) { boundaries = n },
			Later: func(n *yaml.Node) { d.boundaries(n, c) }},
		key{Name: "weights", About: "in the mean; default 1 each", Read: func(n *yaml.Node) { d.weights(n, c) }},
		key{Name: "targets", About: "what tribunal check suggest is to reach; default 1 each",
			Read: func(n *yaml.Node) { d.targets(n, c) }},
		key{Name: "default_extremes", About: "what is extreme of parameters without limits is a " +
			"boundary: 0, negative, large, empty, long", Read: d.Bool(&c.DefaultExtremes)},
		key{Name: "graph", Read: func(*yaml.Node) {}, // read when the depth and the tools are known
			Later: d.Named("graph", (&graphReader{Decoder: &d.Decoder}).read)},
		key{Name: "graph_file", About: "a file that holds the graph, in place of graph", Read: d.Line(&c.GraphFile)},
		key{Name: "max_depth", About: "steps up to which paths of the graph count",
			Read: d.Whole(1, graph.DeepestPath, func(x int64) { c.MaxDepth = int(x) })},
		key{Name: "lambda", About: "distinct states to expect", Read: d.Real(
			func(x float64) { c.Lambda = x }, "must be positive", "it is the number of distinct states to expect",
			yamlnode.Above(0),
		)},
	)
	d.Also("description", "what is declared of the agent; what is not is not measured",
		"dependentRequired", yamlnode.Schema{"graph", []string{"max_depth"}, "graph_file", []string{"max_depth"}},
		"not", yamlnode.Schema{"required", []string{"graph", "graph_file"}})
	if d.Describes() {
		return
	}
	// Two lists could disagree, and nobody would see which one counts.
	if at := found["tools_file"]; at != nil && found["tools"] != nil {
		d.At("tools_file", func() { d.Fail(at, "says the same as tools", "leave one of the two out") })
	}
	d.graph(found, c)
	if boundaries != nil {
		d.At("boundaries", func() { d.boundaries(boundaries, c) })
	}
}

// weights reads the weights of dimensions by their names.
func (d *decoder) weights(n *yaml.Node, c *Coverage) {
	weights := make(map[coverage.Dimension]float64)
	var keys []key
	for _, dimension := range coverage.Dimensions() {
		keys = append(keys, key{Name: string(dimension), Read: func(n *yaml.Node) {
			d.Amount(func(x float64) {
				// Chosen: a sum of weights stays finite, and ratios beyond it mean nothing.
				if x > 1e9 {
					d.Fail(n, prose.Excerpt(n.Value)+" must be at most 1e9", "")
				}
				weights[dimension] = x
			})(n)
			d.Also("maximum", 1e9)
		}})
	}
	d.Object(n, keys...)
	c.Weights = weights
}

// targets reads what dimensions are to reach, by their names.
func (d *decoder) targets(n *yaml.Node, c *Coverage) {
	targets := make(map[coverage.Dimension]float64)
	var keys []key
	for _, dimension := range coverage.Dimensions() {
		keys = append(keys, key{Name: string(dimension), Read: d.Share(
			func(x float64) { targets[dimension] = x },
			"weights: {"+string(dimension)+": 0} leaves the dimension out",
		)})
	}
	d.Object(n, keys...)
	c.Targets = targets
}

// boundaries reads domains by tool and parameter.
func (d *decoder) boundaries(n *yaml.Node, c *Coverage) {
	c.Boundaries = make(map[string]map[string]coverage.Domain)
	d.byName(n, "tool", func(tool string, at, parameters *yaml.Node) {
		// Where a file lists the tools it is checked by [Suite.Declared], which reads that file.
		if len(c.Tools) > 0 && !slices.Contains(c.Tools, tool) {
			d.Fail(at, "has no tool "+yamlnode.Shown(tool), prose.DidYouMean(tool, firstFew(c.Tools)))
			return
		}
		c.Boundaries[tool] = make(map[string]coverage.Domain)
		d.At(tool, func() {
			d.byName(parameters, "parameter", func(parameter string, _, value *yaml.Node) {
				d.At(parameter, func() {
					d.Named("domain", func(n *yaml.Node) {
						c.Boundaries[tool][parameter] = d.domain(n, c.DefaultExtremes)
					})(value)
				})
			})
		})
	})
}

// byName reads a mapping whose keys are names that others chose.
func (d *decoder) byName(n *yaml.Node, what string, each func(name string, at, value *yaml.Node)) {
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	d.Members(n, func(name string, at, value *yaml.Node) {
		if name == "" {
			d.Fail(at, "has a "+what+" without a name", "")
			return
		}
		each(name, at, value)
	})
	d.Also("propertyNames", textSchema(1))
}

// domain reads what a parameter may be, in the words of JSON Schema. Where extremes are boundaries, a type is enough.
func (d *decoder) domain(n *yaml.Node, extremes bool) (domain coverage.Domain) {
	real := func(name string, target *trial.Optional[float64]) key {
		return key{Name: name, Read: func(n *yaml.Node) { target.Value, target.Known = d.Number(n) }}
	}
	length := func(name string, target *trial.Optional[int]) key {
		return key{Name: name, Read: d.Whole(0, 1<<31-1, func(x int64) { *target = trial.Some(int(x)) })}
	}
	kind := ""
	before := len(d.Problems)
	found := d.Object(n,
		key{Name: "type", Read: yamlnode.Word(&d.Decoder, &kind, "integer", "number", "string", "array", "object",
			"boolean")},
		real("minimum", &domain.Minimum), real("maximum", &domain.Maximum),
		real("exclusiveMinimum", &domain.ExclusiveMinimum), real("exclusiveMaximum", &domain.ExclusiveMaximum),
		length("minLength", &domain.MinLength), length("maxLength", &domain.MaxLength),
		length("minItems", &domain.MinItems), length("maxItems", &domain.MaxItems),
		key{Name: "enum", About: "each value is a boundary", Read: func(n *yaml.Node) {
			d.Items(n, func(item *yaml.Node) {
				if value := d.JSON(item); value != nil {
					domain.Enum = append(domain.Enum, value)
				}
			})
		}},
	)
	d.Also("minProperties", 1, "description", "what a parameter may be, as JSON Schema says it")
	// Other types say nothing that the limits do not say; a boolean has just two values.
	domain.Integer = kind == "integer"
	if kind == "boolean" {
		domain.Enum = append(domain.Enum, trial.Raw("false"), trial.Raw("true"))
	}
	// A domain of which a part was refused would be refused again, for what is missing.
	if len(d.Problems) > before {
		return domain
	}
	if extremes && domain.Empty() && kind != "" {
		domain.Types = []string{kind}
		return domain
	}
	// At the key that is wrong, or at the domain where the key is not there.
	if err := domain.Validate(); err != nil {
		at := found[err.Field]
		if at == nil {
			at = n
		}
		d.At(err.Field, func() { d.Fail(at, yamlnode.Describe(at)+" "+err.Problem, "") })
	} else if domain.Empty() {
		d.Fail(n, "has no limit", "such as {minimum: 1, maximum: 500}, {maxLength: 80} or {enum: [EUR, USD]}")
	}
	return domain
}

// capability checks a capability of a scenario against those of the suite: one that
// is not there is a slip of the pen, and must not be counted.
func (d *decoder) capability(known []string) func(*yaml.Node, string) bool {
	return func(n *yaml.Node, text string) bool {
		switch {
		case len(known) == 0:
			advice := "list them at the top: capabilities: [" + prose.Excerpt(text) + "]"
			d.Fail(n, "names "+yamlnode.Shown(text)+", and the suite lists no capabilities", advice)
		case !slices.Contains(known, text):
			d.Fail(n, "has no capability "+yamlnode.Shown(text), prose.DidYouMean(text, firstFew(known)))
		default:
			return true
		}
		return false
	}
}
