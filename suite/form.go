package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// form is what an evaluator is given in a suite: a value, or a mapping with options.
// The function of an evaluator names its options once, and they are read, or described:
// without a node, nothing is read, and the schema is set.
//
// So one list of options makes both: what can be read and what the schema says cannot differ.
type form struct {
	*decoder
	// what was given; nil where the schema is asked for
	node   *yaml.Node
	schema object
}

// option is a key of the mapping that an evaluator may be given.
type option struct {
	key
	schema object // of its value; nil is any
	either bool   // one of several of which one at least must be there, as the evaluator checks
}

// needed says that the option must be there.
func (o option) needed() option {
	o.Needed = true
	return o
}

// options reads the mapping, or a bare value as the option of the short name, which is
// "" where there is none. It reports whether there are now values to make an evaluator
// of.
func (f *form) options(short string, options ...option) bool {
	if f.node == nil {
		f.schema = schemaOf(short, options)
		return false
	}
	before := len(f.Problems)
	var keys []key
	for _, o := range options {
		keys = append(keys, o.key)
	}
	// A mapping is always options. A bare value that is not allowed is refused by Object as well.
	if f.node.Kind == yaml.MappingNode || short == "" {
		f.Object(f.node, keys...)
		return len(f.Problems) == before
	}
	for _, k := range keys {
		if k.Name == short {
			k.Read(f.node)
		}
	}
	return len(f.Problems) == before
}

// describes sets the schema of an evaluator that reads its node itself, and reports
// whether that was all that was asked for.
func (f *form) describes(schema object) bool {
	f.schema = schema
	return f.node == nil
}

// path is the option of a place in the output.
func (f *form) path(p *oracle.Path) option {
	read := func(n *yaml.Node) {
		text, ok := f.Text(n)
		if !ok {
			return
		}
		parsed, err := oracle.ParsePath(text)
		// A path that was refused is the zero one; the problem keeps the evaluator from being made.
		f.refusedPart(n, err)
		*p = parsed
	}
	schema := append(textSchema(1), member{"description", "into a JSON output, such as department or items[0].price"})
	return option{key: key{Name: "path", Read: read}, schema: schema}
}

// value is the option of any value, as JSON.
func (f *form) value(name string, raw *trial.Raw) option {
	return option{key: key{Name: name, Read: func(n *yaml.Node) { *raw = f.JSON(n) }}}
}

// text is the option of a text of at least so many characters.
func (f *form) text(name string, text *string, least int) option {
	return option{
		key:    key{Name: name, Read: func(n *yaml.Node) { *text, _ = f.Text(n) }},
		schema: textSchema(least),
	}
}

// flag is the option of true or false.
func (f *form) flag(name string, on *bool) option {
	return option{key: key{Name: name, Read: f.Bool(on)}, schema: object{{"type", "boolean"}}}
}

// number is the option of a finite number.
func (f *form) number(name string, x *trial.Optional[float64]) option {
	return option{
		key:    key{Name: name, Read: func(n *yaml.Node) { x.Value, x.Known = f.Number(n) }},
		schema: object{{"type", "number"}},
	}
}

// whole is the option of a whole number from least to most.
func (f *form) whole(name string, least, most int64, set func(int64)) option {
	return option{
		key:    key{Name: name, Read: f.Whole(least, most, set)},
		schema: object{{"type", "integer"}, {"minimum", least}},
	}
}

// share is the option of a number above 0 and at most 1.
func (f *form) share(name string, x *float64) option {
	return option{
		key:    key{Name: name, Read: f.Share(func(share float64) { *x = share }, "")},
		schema: object{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}},
	}
}

// duration is the option of a time such as 90s.
func (f *form) duration(name string, x *time.Duration, zero bool) option {
	return option{key: key{Name: name, Read: f.Duration(x, zero)}, schema: durationSchema()}
}

// oneOrMany is the option of one value or a list of them.
func (f *form) oneOrMany(name string, one func(n *yaml.Node), schema object) option {
	read := func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			one(n)
			return
		}
		f.Items(n, one)
	}
	many := object{{"type", "array"}, {"items", schema}, {"minItems", 1}}
	return option{key: key{Name: name, Read: read}, schema: object{{"anyOf", []object{schema, many}}}}
}

// tools is the option of names of tools.
func (f *form) tools(tools *[]string) option {
	return f.oneOrMany("tools", func(n *yaml.Node) {
		if text, ok := f.Text(n); ok {
			*tools = append(*tools, text)
		}
	}, textSchema(1)).needed()
}

// exactNames reads whether names of tools are compared byte by byte.
func (f *form) exactNames(o *oracle.ToolOptions) option { return f.flag("exact_names", &o.ExactNames) }

// refusedPart notes what the oracle refuses of a value.
func (f *form) refusedPart(n *yaml.Node, err error) {
	if refused, ok := err.(*oracle.OptionError); ok {
		f.Fail(n, prose.Excerpt(refused.Value)+" "+refused.Problem, refused.Advice)
	}
}
