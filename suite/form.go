package suite

import (
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// form is what an evaluator is given in a suite: a value, or a mapping with options. The function of an evaluator names
// its options once, and they are read, or described for the schema.
type form struct {
	*decoder
	node *yaml.Node // what was given
}

// needed is a key that must be there.
func needed(k key) key {
	k.Needed = true
	return k
}

// options reads the mapping, or a bare value as the option of the short name, which is
// "" where there is none. It reports whether there are now values to make an evaluator
// of.
func (f *form) options(short string, keys ...key) bool {
	whole := func(n *yaml.Node) { f.Object(n, keys...) }
	bare := whole
	for _, k := range keys {
		if k.Name == short {
			bare = k.Read
		}
	}
	before := len(f.Problems)
	switch {
	case short != "" && f.Either(bare, whole):
	// A mapping is always options. A bare value that is not allowed is refused by Object as well.
	case f.node.Kind == yaml.MappingNode:
		whole(f.node)
	default:
		bare(f.node)
	}
	return len(f.Problems) == before && !f.Describes()
}

// path is the option of a place in the output.
func (f *form) path(p *oracle.Path) key {
	return key{Name: "path", Read: func(n *yaml.Node) {
		text, ok := f.Text(n)
		f.Also("minLength", 1, "description", aboutPath)
		if !ok {
			return
		}
		parsed, err := oracle.ParsePath(text)
		// A path that was refused is the zero one; the problem keeps the evaluator from being made.
		f.refusedPart(n, err)
		*p = parsed
	}}
}

// aboutPath says what a path is.
const aboutPath = "into a JSON output, such as department or items[0].price"

// value is the option of any value, as JSON. A bare one is no mapping, which is read as options.
func (f *form) value(name string, raw *trial.Raw) key {
	return key{
		Name: name, Later: func(*yaml.Node) { f.Takes() },
		Read: func(n *yaml.Node) {
			if !f.Takes("not", object{"type", "object"}) {
				*raw = f.JSON(n)
			}
		},
	}
}

// text is the option of a text of at least so many characters, which the evaluator checks.
func (f *form) text(name string, text *string, least int) key {
	return key{Name: name, Read: func(n *yaml.Node) {
		*text, _ = f.Text(n)
		if least > 0 {
			f.Also("minLength", least)
		}
	}}
}

// flag is the option of true or false.
func (f *form) flag(name string, on *bool) key { return key{Name: name, Read: f.Bool(on)} }

// number is the option of a finite number.
func (f *form) number(name string, x *trial.Optional[float64]) key {
	return key{Name: name, Read: func(n *yaml.Node) { x.Value, x.Known = f.Number(n) }}
}

// share is the option of a number above 0 and at most 1.
func (f *form) share(name string, x *float64) key {
	return key{Name: name, Read: f.Share(func(share float64) { *x = share }, "")}
}

// oneOrMany reads one value or a list of them.
func (d *decoder) oneOrMany(one func(n *yaml.Node)) func(n *yaml.Node) {
	many := func(n *yaml.Node) {
		d.Items(n, one)
		d.Also("minItems", 1)
	}
	return func(n *yaml.Node) {
		switch {
		case d.Either(one, many):
		case n.Kind == yaml.ScalarNode:
			one(n)
		default:
			many(n)
		}
	}
}

// tools is the option of names of tools.
func (f *form) tools(tools *[]string) key {
	return key{Name: "tools", Needed: true, Read: f.oneOrMany(func(n *yaml.Node) {
		text, ok := f.Text(n)
		f.Also("minLength", 1)
		if ok {
			*tools = append(*tools, text)
		}
	})}
}

// exactNames reads whether names of tools are compared byte by byte.
func (f *form) exactNames(o *oracle.ToolOptions) key { return f.flag("exact_names", &o.ExactNames) }

// refusedPart notes what the oracle refuses of a value.
func (f *form) refusedPart(n *yaml.Node, err error) {
	if refused, ok := err.(*oracle.OptionError); ok {
		f.Fail(n, prose.Excerpt(refused.Value)+" "+refused.Problem, refused.Advice)
	}
}
