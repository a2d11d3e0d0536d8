package suite

import (
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// With returns the suite as it is with the scenarios and variants of a text in place of its own: what the text does not
// say they have from the suite, such as evaluators of the defaults, limits and the test. The text is a YAML mapping
// with scenarios, variants or both, as of a file that the suite may include; where it has no scenarios, those
// of the suite stay, and where it has no variants there are none. The name stands for it in the errors, which are those
// of [Load].
//
// The file of the suite, and those that it includes, are read again.
func (s *Suite) With(name string, text []byte) (*Suite, error) {
	ctx := WithProfile(s.reading(), s.Profile)
	own, err := yamlnode.ReadContext(ctx, s.File)
	if err != nil {
		return nil, err
	}
	over, err := yamlnode.Parse(name, "file of scenarios", text)
	if err != nil {
		return nil, err
	}
	return parseOver(ctx, s.File, own, func(d *decoder, root *yaml.Node) *yaml.Node {
		d.StandsIn(name, over)
		d.Object(over,
			key{Name: "scenarios", Read: func(n *yaml.Node) { d.Is(n, yaml.SequenceNode) }},
			key{Name: "variants", Read: func(*yaml.Node) {}},
		)
		replaced := []string{"variants", "matrix"}
		if yamlnode.Has(over, "scenarios") {
			replaced = append(replaced, "scenarios")
		}
		return merged(withoutKeys(root, replaced...), over, false)
	})
}

// withoutKeys is a mapping without some of its keys.
func withoutKeys(n *yaml.Node, names ...string) *yaml.Node {
	rest := *n
	rest.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		left := true
		for _, name := range names {
			left = left && n.Content[i].Value != name
		}
		if left {
			rest.Content = append(rest.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &rest
}
