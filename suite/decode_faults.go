package suite

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// faults reads what happens on the wire: kinds, or mappings that say when and how.
func (d *decoder) faults(n *yaml.Node, s *Suite, list *[]fault.Fault) {
	if d.Takes("type", "array", "items", object{"$ref", "#/$defs/fault"}) {
		return
	}
	if slices.ContainsFunc(s.allAgents(), func(a Agent) bool { return a.Wire == nil }) {
		d.Fail(n, "happen on the wire, which the agent is not on",
			"write wire: true beside the agent, which is a program")
		return
	}
	d.Items(n, func(item *yaml.Node) {
		if f, ok := d.fault(item); ok {
			*list = append(*list, f)
		}
	})
}

// fault reads one.
func (d *decoder) fault(n *yaml.Node) (f fault.Fault, ok bool) {
	before := len(d.Problems)
	if n.Kind != yaml.MappingNode {
		d.faultKind(n, &f)
		return f, len(d.Problems) == before
	}
	kind := func(n *yaml.Node) { d.faultKind(n, &f) }
	keys := []key{{Name: "kind", Needed: true, Advice: "such as rate-limit", Read: kind}}
	options := map[string]*yaml.Node{}
	for _, option := range fault.Options() {
		keys = append(keys, key{Name: option, Read: func(n *yaml.Node) { options[option] = n }})
	}
	d.Object(n, keys...)
	for _, option := range fault.Options() {
		at := options[option]
		if at == nil || len(d.Problems) > before {
			continue
		}
		d.At(option, func() {
			if at.Kind != yaml.ScalarNode {
				d.Fail(at, "must be a text or a number", "")
			} else if err := f.Set(option, at.Value); err != nil {
				problem := strings.TrimPrefix(strings.TrimPrefix(err.Error(), prose.Quote(option)), option)
				d.Fail(at, strings.TrimLeft(problem, ": "), "")
			}
		})
	}
	return f, len(d.Problems) == before
}

// faultKind reads a kind.
func (d *decoder) faultKind(n *yaml.Node, f *fault.Fault) {
	text, ok := d.Text(n)
	if !ok {
		return
	}
	if !slices.Contains(fault.Names(), text) {
		d.Fail(n, "has no kind "+yamlnode.Shown(text), prose.DidYouMean(text, fault.Names()))
		return
	}
	f.Kind = fault.Kind(text)
}
