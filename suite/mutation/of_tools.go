package mutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
)

// withTool is a configuration with another tool in a place.
func withTool(c Configuration, i int, t Tool) Configuration {
	c.Tools = slices.Clone(c.Tools)
	c.Tools[i] = t
	return c
}

// removeToolSites are the tools.
func removeToolSites(v *view) (sites []site) {
	for i, t := range v.Tools {
		sites = append(sites, site{
			Site: Site{Tool: t.Name(), Text: short(t.Description())}, identity: t.Name(),
			change: func(c Configuration, _ *rand.Rand) Configuration {
				c.Tools = slices.Delete(slices.Clone(c.Tools), i, i+1)
				return c
			},
		})
	}
	return sites
}

// reorderToolSites is the list of tools, of two and more.
func reorderToolSites(v *view) []site {
	n := len(v.Tools)
	if n < 2 {
		return nil
	}
	return []site{{
		Site: Site{Text: fmt.Sprintf("the order of %d tools", n)}, identity: "tools",
		change: func(c Configuration, r *rand.Rand) Configuration {
			tools := make([]Tool, n)
			for i, j := range permutation(n, r) {
				tools[i] = c.Tools[j]
			}
			c.Tools = tools
			return c
		},
	}}
}

// noiseToolSites are the tools.
func noiseToolSites(v *view) (sites []site) {
	for i, t := range v.Tools {
		_, about := t.parsed()
		old := about.Get("description")
		if about.Get("name") == nil || old != nil && old.Kind != '"' {
			continue // one of the provider's own, which has no description
		}
		var others []string
		for j, other := range v.Tools {
			if name := other.Name(); j != i && name != t.Name() {
				others = append(others, name)
			}
		}
		var texts []string
		for _, text := range misleading() {
			if len(others) > 0 || !strings.Contains(text, "{other}") {
				texts = append(texts, text)
			}
		}
		sites = append(sites, site{
			Site: Site{Tool: t.Name(), Text: "its description"}, identity: t.Name(),
			change: func(c Configuration, r *rand.Rand) Configuration {
				text := strings.ReplaceAll(texts[r.IntN(len(texts))], "{tool}", t.Name())
				if strings.Contains(text, "{other}") {
					text = strings.ReplaceAll(text, "{other}", others[r.IntN(len(others))])
				}
				if old == nil {
					at := about.Get("name").End
					put := append([]byte(`, "description": `), jsonspan.Encoded(text)...)
					return withTool(c, i, t.edited(jsonspan.Put(at, at, put)))
				}
				return withTool(c, i, t.edited(old.Replace(strings.TrimSpace(t.Description()+" "+text))))
			},
		})
	}
	return sites
}

// parameter is a property of the schema of a tool's arguments.
type parameter struct {
	name     string
	tool     Tool
	schema   *jsonspan.Node // of all arguments
	value    *jsonspan.Node // the schema of this one
	required *jsonspan.Node // where the list of required ones has it; nil: it is not required
	strict   bool           // the provider asks that all are required
}

// parameterSitesOf are sites at the parameters of tools.
func parameterSitesOf(v *view, edit func(p parameter) (edits []jsonspan.Edit, text string)) (sites []site) {
	for i, t := range v.Tools {
		root, about := t.parsed()
		schema := schemaOf(about)
		properties := schema.Get("properties")
		if properties == nil || properties.Kind != '{' {
			continue
		}
		for _, m := range properties.Members {
			p := parameter{name: m.Name, tool: t, schema: schema, value: m.Value}
			p.strict = string(about.Get("strict").Raw(t.Raw)) == "true" || string(root.Get("strict").Raw(t.Raw)) == "true"
			for _, item := range schema.Get("required").List() {
				if item.Str(t.Raw) == m.Name {
					p.required = item
				}
			}
			edits, text := edit(p)
			if edits == nil {
				continue
			}
			sites = append(sites, site{
				Site: Site{Tool: t.Name(), Parameter: m.Name, Text: text}, identity: t.Name() + "\n" + m.Name,
				change: func(c Configuration, _ *rand.Rand) Configuration {
					return withTool(c, i, t.edited(edits...))
				},
			})
		}
	}
	return sites
}

// describeSites are the descriptions of parameters.
func describeSites(v *view) []site {
	return parameterSitesOf(v, func(p parameter) ([]jsonspan.Edit, string) {
		old := p.value.Get("description")
		if old == nil {
			return nil, ""
		}
		return p.value.Drop("description"), short(old.Str(p.tool.Raw))
	})
}

// requireSites are the parameters. Where the provider checks strictly that all are required there are none.
func requireSites(v *view) []site {
	return parameterSitesOf(v, func(p parameter) ([]jsonspan.Edit, string) {
		switch {
		case p.strict:
			return nil, ""
		case p.required != nil:
			return p.optional(), "is required, and is not then"
		}
		return p.demanded(), "is optional, and is required then"
	})
}

// optional takes a parameter off the list of those that are required; an empty list goes as a whole.
func (p parameter) optional() []jsonspan.Edit {
	list := p.schema.Get("required")
	if len(list.Items) == 1 {
		return p.schema.Drop("required")
	}
	return list.Without(func(n *jsonspan.Node) bool { return n.Start == p.required.Start })
}

// demanded puts a parameter on the list of those that are required.
func (p parameter) demanded() []jsonspan.Edit {
	name := jsonspan.Encoded(p.name)
	list := p.schema.Get("required")
	switch {
	case list == nil:
		at := p.schema.End - 1
		put := append(append([]byte(`, "required": [`), name...), ']')
		return []jsonspan.Edit{jsonspan.Put(at, at, put)}
	case list.Kind != '[':
		return nil
	case len(list.Items) == 0:
		return []jsonspan.Edit{jsonspan.Put(list.End-1, list.End-1, name)}
	}
	at := list.Items[len(list.Items)-1].End
	return []jsonspan.Edit{jsonspan.Put(at, at, append([]byte(", "), name...))}
}

// parameterSites are the parameters, which are left out of the schema.
func parameterSites(v *view) []site {
	return parameterSitesOf(v, func(p parameter) ([]jsonspan.Edit, string) {
		edits := p.schema.Get("properties").Drop(p.name)
		if p.required != nil {
			edits = append(edits, p.optional()...)
		}
		text := short(p.value.Get("description").Str(p.tool.Raw))
		if text == "" {
			text = "is not offered"
		}
		return edits, text
	})
}
