package suite

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// maxSetSize bounds what sets of sets come to. It is chosen.
const maxSetSize = 1000

// evaluatorSets reads lists of evaluators that scenarios ask for by name. A set without columns of data is read here,
// so that a mistake in it is told although nothing uses it; the others are when their columns have values.
func (d *decoder) evaluatorSets(n *yaml.Node) {
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	d.sets = map[string]*yaml.Node{}
	d.Members(n, func(name string, at, value *yaml.Node) {
		const advice = "use letters, digits, dots, dashes and underscores"
		if d.Matches(at, name, namePattern(), advice) {
			d.sets[name] = value
		}
	})
	if d.Describes() {
		d.Members(n, func(_ string, _, value *yaml.Node) { d.evaluations(value, new([]Evaluation)) })
		d.Also("propertyNames", object{"pattern", namePattern().String()})
		return
	}
	d.Members(n, func(name string, _, value *yaml.Node) {
		d.At(name, func() {
			whole := d.spliced(value)
			if d.sets[name] == nil || !d.Is(whole, yaml.SequenceNode) || len(placeholdersIn(whole)) > 0 {
				return
			}
			contracts, programs, references := len(d.contracts), len(d.programs), len(d.references)
			var unused []Evaluation
			d.evaluations(whole, &unused)
			d.contracts, d.programs, d.references = d.contracts[:contracts], d.programs[:programs], d.references[:references]
		})
	})
}

// spliced returns what stands under evaluate with the evaluators of sets in place of their names: in the list itself
// one by one, and within any, not and weighted all of a set as one.
func (d *decoder) spliced(n *yaml.Node) *yaml.Node { return d.splicedIn(n, nil) }

// splicedIn is spliced within sets whose names are the chain.
func (d *decoder) splicedIn(n *yaml.Node, chain []string) *yaml.Node {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() != "!!str" || len(d.sets) == 0 {
			return n
		}
		return d.like(n, yaml.SequenceNode, d.set(n, chain))
	case yaml.SequenceNode:
		var items []*yaml.Node
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode && item.ShortTag() == "!!str" {
				items = append(items, d.set(item, chain)...)
			} else {
				items = append(items, d.splicedItem(item, chain))
			}
		}
		return d.like(n, yaml.SequenceNode, items)
	}
	// The form with inherit.
	content := slices.Clone(n.Content)
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == "of" {
			content[i+1] = d.splicedIn(content[i+1], chain)
		}
	}
	return d.like(n, n.Kind, content)
}

// splicedItem looks for sets within an evaluator that is made of others.
func (d *decoder) splicedItem(n *yaml.Node, chain []string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	content := slices.Clone(n.Content)
	parts := func(list *yaml.Node) *yaml.Node {
		if list.Kind != yaml.SequenceNode {
			return list
		}
		var items []*yaml.Node
		for _, item := range list.Content {
			items = append(items, d.splicedPart(item, chain))
		}
		return d.like(list, yaml.SequenceNode, items)
	}
	for i := 0; i+1 < len(content); i += 2 {
		value := content[i+1]
		switch content[i].Value {
		case "all", "any":
			content[i+1] = parts(value)
		case "not":
			content[i+1] = d.splicedPart(value, chain)
		case "weighted":
			if list := memberOf(value, "of"); list != nil {
				inner := slices.Clone(value.Content)
				inner[slices.Index(inner, list)] = parts(list)
				content[i+1] = d.like(value, yaml.MappingNode, inner)
			}
		}
	}
	return d.like(n, yaml.MappingNode, content)
}

// splicedPart is an evaluator within another: a set is all of its evaluators.
func (d *decoder) splicedPart(n *yaml.Node, chain []string) *yaml.Node {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		return d.splicedItem(n, chain)
	}
	before := len(d.Problems)
	items := d.set(n, chain)
	switch {
	case len(d.Problems) > before:
		return n
	case len(items) == 1:
		return items[0]
	}
	key := d.like(n, yaml.ScalarNode, nil)
	key.Tag, key.Value = "!!str", "all"
	return d.like(n, yaml.MappingNode, []*yaml.Node{key, d.like(n, yaml.SequenceNode, items)})
}

// set returns the evaluators of a set; the name itself where there is no such set, for which the reader of evaluators
// has the message.
func (d *decoder) set(n *yaml.Node, chain []string) []*yaml.Node {
	list, found := d.sets[n.Value]
	if !found {
		return []*yaml.Node{n}
	}
	if slices.Contains(chain, n.Value) {
		d.Fail(n, "names a set that has itself: "+strings.Join(append(slices.Clone(chain), n.Value), " -> "), "")
		return nil
	}
	whole := d.splicedIn(list, append(slices.Clone(chain), n.Value))
	if whole.Kind != yaml.SequenceNode {
		return nil // said where the set is read
	}
	if len(whole.Content) > maxSetSize {
		d.Fail(n, "names a set of more than 1000 evaluators", "")
		return nil
	}
	return whole.Content
}

// like is a node in the place of another.
func (d *decoder) like(n *yaml.Node, kind yaml.Kind, content []*yaml.Node) *yaml.Node {
	tag := map[yaml.Kind]string{yaml.MappingNode: "!!map", yaml.SequenceNode: "!!seq", yaml.ScalarNode: "!!str"}[kind]
	made := &yaml.Node{Kind: kind, Tag: tag, Line: n.Line, Column: n.Column, Content: content}
	if file := d.FileOf(n); file != d.File {
		d.Files[made] = file
	}
	return made
}

// noSet says what a text in place of an evaluator might have been meant for.
func (d *decoder) noSet(n *yaml.Node) {
	var names []string
	for name := range d.sets {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 || n.Kind != yaml.ScalarNode {
		d.Fail(n, "must be an evaluator, not "+yamlnode.Describe(n), "such as contains: billing")
		return
	}
	d.Fail(n, "has no set of evaluators "+yamlnode.Shown(n.Value), prose.DidYouMean(n.Value, names))
}
