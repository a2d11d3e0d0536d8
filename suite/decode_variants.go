package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// maxVariants is chosen: each of them is run in every scenario.
const maxVariants = 100

// otherAgents reads the agents that are like the suite's but for what is said of them.
func (d *decoder) otherAgents(baseline, variants, matrix *yaml.Node, s *Suite) {
	if baseline != nil {
		other := s.Agent
		d.At("baseline_agent", func() { d.agentOver(baseline, &other) })
		s.BaselineAgent = &other
		s.Test.Against.SideBySide = s.Test.Against.Baseline == ""
	}
	if variants != nil {
		d.At("variants", func() { s.Variants = d.variantList(variants, s.Agent) })
	}
	if matrix == nil {
		return
	}
	d.At("matrix", func() {
		for _, v := range d.matrix(matrix, s.Agent) {
			// Of one list alone, the names may be those of variants.
			if slices.ContainsFunc(s.Variants, func(other Variant) bool { return other.Name == v.Name }) {
				d.Fail(matrix, "gives the name "+yamlnode.Shown(v.Name)+" to another of the variants", "rename one of them")
			}
			s.Variants = append(s.Variants, v)
		}
		if len(s.Variants) > maxVariants {
			d.Fail(matrix, fmt.Sprintf("and variants make %d variants, more than %d", len(s.Variants), maxVariants), "")
		}
	})
}

// variantList reads a list of variants over the agent.
func (d *decoder) variantList(n *yaml.Node, agent Agent) (list []Variant) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		d.Fail(n, "must not be empty", "omit it: then the agent itself is tested")
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxVariants {
		d.Fail(n, fmt.Sprintf("holds more than %d variants", maxVariants), "")
		return nil
	}
	d.NamedItems(n, func(item *yaml.Node) string {
		v := Variant{Agent: agent}
		d.Named("variant", func(n *yaml.Node) { d.variant(n, &v) })(item)
		list = append(list, v)
		return v.Name
	})
	d.Also("minItems", 1, "maxItems", maxVariants)
	return list
}

// variant reads a variant over the agent that it has.
func (d *decoder) variant(n *yaml.Node, v *Variant) {
	d.agentOver(n, &v.Agent, key{
		Name: "name", About: "tests are named after it", Needed: true, Advice: "every variant needs one",
		Read: func(n *yaml.Node) {
			const advice = "use letters, digits, dots, dashes and underscores: tests are named after it"
			if name, ok := d.Text(n); ok && d.Matches(n, name, namePattern(), advice) {
				v.Name = name
			}
		},
	})
}

// matrix reads lists of variants by name, and returns every combination of one of each, named after
// all of them: small/concise. The settings of two lists must not touch each other.
func (d *decoder) matrix(n *yaml.Node, agent Agent) []Variant {
	before := len(d.Problems)
	var lists []*yaml.Node
	count := 1
	setBy := map[string]string{} // the list that sets a setting
	if d.Is(n, yaml.MappingNode) && len(n.Content) == 0 {
		d.Fail(n, "must not be empty", "such as matrix: {model: [{name: small, env: {MODEL: small}}]}")
	}
	if n.Kind == yaml.MappingNode || d.Describes() {
		d.Members(n, func(name string, at, value *yaml.Node) {
			if !d.IsLine(at, name) {
				return
			}
			d.At(name, func() {
				d.variantList(value, agent)
				d.apart(value, name, setBy)
			})
			lists = append(lists, value)
			// Without an overflow: a list alone is bounded.
			count = min(count*max(1, len(value.Content)), maxVariants+1)
		})
	}
	d.Also("minProperties", 1, "propertyNames", object{"minLength", 1})
	if len(d.Problems) > before || d.Describes() {
		return nil
	}
	if count > maxVariants {
		d.Fail(n, fmt.Sprintf("makes more than %d combinations", maxVariants), "each of them is run in every scenario")
		return nil
	}
	// The last list varies fastest. Nodes are read again, now one over the other.
	combinations := []Variant{{Agent: agent}}
	for _, list := range lists {
		var longer []Variant
		for _, v := range combinations {
			for _, item := range list.Content {
				w := Variant{Agent: v.Agent}
				d.variant(item, &w)
				w.Name = strings.TrimPrefix(v.Name+"/"+w.Name, "/")
				longer = append(longer, w)
			}
		}
		combinations = longer
	}
	return combinations
}

// apart refuses settings of a list that another list of the matrix sets as well: one of them would be
// lost, in some combination.
func (d *decoder) apart(list *yaml.Node, name string, setBy map[string]string) {
	for i, item := range list.Content {
		for _, at := range settingsOf(item) {
			switch other := setBy[at.name]; other {
			case "", name:
				setBy[at.name] = name
			default:
				d.At("["+strconv.Itoa(i)+"]", func() {
					d.Fail(at.node, "sets "+at.name+", as "+yamlnode.Shown(other)+" does",
						"lists of a matrix must set different things: one of the two would be lost")
				})
			}
		}
	}
}

// settingAt is a setting of an agent, such as env.MODEL, where it stands.
type settingAt struct {
	name string
	node *yaml.Node
}

// settingsOf are the settings of a mapping, but for those that add up.
func settingsOf(n *yaml.Node) (list []settingAt) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		switch at.Value {
		case "name", "redact":
		case "env", "model", "config":
			for j := 0; value.Kind == yaml.MappingNode && j+1 < len(value.Content); j += 2 {
				inner := value.Content[j]
				list = append(list, settingAt{at.Value + "." + inner.Value, inner})
			}
		default:
			list = append(list, settingAt{at.Value, at})
		}
	}
	return list
}

// Redacted are the names of variables whose values are removed from what any agent writes.
func (s *Suite) Redacted() []string {
	names := slices.Clone(s.Agent.Redact)
	add := func(a Agent) {
		for _, name := range a.Redact {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if s.BaselineAgent != nil {
		add(*s.BaselineAgent)
	}
	for _, v := range s.Variants {
		add(v.Agent)
	}
	for _, r := range s.Relations {
		if r.Agent != nil {
			add(*r.Agent)
		}
	}
	return names
}
