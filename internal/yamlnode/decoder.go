package yamlnode

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Decoder reads nodes into values, and collects what is wrong with them: at most
// [MaxErrors] problems, each with its place and field.
// The zero value reads; only the messages lack their place. A Decoder is for one file
// and one goroutine.
type Decoder struct {
	File     string // for the places of problems
	What     string // what the file is called in a problem that is of no field, such as "the contract"
	Field    string // that is being read, such as "scenarios[1].name"; "" is the whole
	Problems Errors // in the order in which they were found

	// Files are those of nodes that stand in another file than File; may be nil.
	Files map[*yaml.Node]string

	described *description // nil where there is a file to read; see Describe
}

// Err returns the problems, or nil if there is none.
func (d *Decoder) Err() error {
	if len(d.Problems) == 0 {
		return nil
	}
	return d.Problems
}

// Full reports whether no further problem will be kept.
func (d *Decoder) Full() bool { return len(d.Problems) >= MaxErrors }

// Place returns where a node stands.
func (d *Decoder) Place(n *yaml.Node) fault.Place {
	return fault.Place{File: d.FileOf(n), Line: n.Line, Column: n.Column}
}

// FileOf returns the name of the file in which a node stands.
func (d *Decoder) FileOf(n *yaml.Node) string {
	if file, other := d.Files[n]; other {
		return file
	}
	return d.File
}

// StandsIn says that a node and all within it stand in another file.
func (d *Decoder) StandsIn(file string, n *yaml.Node) {
	if d.Files == nil {
		d.Files = map[*yaml.Node]string{}
	}
	d.Files[n] = file
	for _, inner := range n.Content {
		d.StandsIn(file, inner)
	}
}

// Fail notes a problem with the field that is being read, at the place of the node.
func (d *Decoder) Fail(n *yaml.Node, problem, advice string) *Error {
	e := &Error{Place: d.Place(n), Field: d.Field, Problem: problem, Advice: advice, Whole: d.What}
	// Reading goes on without noting more; the caller may still fill in the error.
	if !d.Full() && d.described == nil {
		d.Problems = append(d.Problems, e)
	}
	return e
}

// At reads a part of the field that is being read: "name" or "[3]".
func (d *Decoder) At(part string, read func()) {
	// The field is a stack in one text: it grows by the part, and is put back after
	// reading.
	outer := d.Field
	if outer != "" && part[0] != '[' {
		part = "." + part
	}
	d.Field += part
	read()
	d.Field = outer
}

// Key is a key of a mapping.
type Key struct {
	Name   string             // as it is written
	Read   func(n *yaml.Node) // reads its value
	Needed bool               // it must be there
	Advice string             // what to do where it is needed and missing; may be ""
	About  string             // what it says, for editors; may be ""
	Later  func(n *yaml.Node) // reads its value where Read only keeps it, for the schema; may be nil
}

// Object reads a mapping that has these keys and no others, each of them once. It
// returns the values by their keys, and nil for what is no mapping.
func (d *Decoder) Object(n *yaml.Node, keys ...Key) map[string]*yaml.Node {
	if d.described != nil {
		d.object(keys)
		return nil
	}
	// For the hint: the key that was probably meant.
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	if n.Kind != yaml.MappingNode {
		d.Fail(n, "must be a mapping, not "+Describe(n), "known are "+prose.Some(names, 40))
		return nil
	}
	found := make(map[string]*yaml.Node)
	d.Members(n, func(name string, at, value *yaml.Node) {
		for _, k := range keys {
			if k.Name == name {
				found[name] = value
				d.At(name, func() { k.Read(value) })
				return
			}
		}
		// At the key itself, not at its value.
		d.Fail(at, "has no key "+Shown(name), prose.DidYouMean(name, names)).Keys = names
	})
	for _, k := range keys {
		if k.Needed && found[k.Name] == nil {
			d.Missing(n, k.Name, k.Advice)
		}
	}
	return found
}

// Missing notes that a mapping is without a key.
func (d *Decoder) Missing(n *yaml.Node, name, advice string) {
	d.At(name, func() { d.Fail(n, "is missing", advice) })
}

// Members calls back for each member of a mapping, and refuses keys that are no text
// or stand twice. The field is not changed.
func (d *Decoder) Members(n *yaml.Node, each func(name string, at, value *yaml.Node)) {
	if d.described != nil {
		value := d.taken(func(n *yaml.Node) { each("*", n, n) })
		d.Takes("type", "object", "additionalProperties", value)
		return
	}
	lines := make(map[string]int)
	// The content of a mapping is key, value, key, value.
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if at.Kind != yaml.ScalarNode || at.ShortTag() != "!!str" {
			advice := "write it in quotes"
			if i > 0 && value.ShortTag() == "!!null" && at.ShortTag() == "!!int" { // as in {threshold: 0,9}
				advice = "a decimal number has a point, such as 0." + at.Value
			}
			d.Fail(at, "has a key that is not text", advice)
			continue
		}
		// YAML wants keys to be unique, and of two nobody knows which one is meant.
		if line, twice := lines[at.Value]; twice {
			d.Fail(at, "has the key "+Shown(at.Value)+" twice", fmt.Sprintf("it stands already in line %d", line))
			continue
		}
		lines[at.Value] = at.Line
		each(at.Value, at, value)
	}
}

// Items calls back for each item of a list.
func (d *Decoder) Items(n *yaml.Node, each func(item *yaml.Node)) {
	if d.described != nil {
		d.Takes("type", "array", "items", d.taken(each))
		return
	}
	if !d.Is(n, yaml.SequenceNode) {
		return
	}
	for i, item := range n.Content {
		d.At("["+strconv.Itoa(i)+"]", func() { each(item) })
	}
}

// NamedItems calls back for each item of a list of mappings, until no further problem
// is kept, and refuses a second item of a name that each returned.
func (d *Decoder) NamedItems(n *yaml.Node, each func(item *yaml.Node) (name string)) {
	// The line of each name, for the hint.
	lines := make(map[string]int)
	d.Items(n, func(item *yaml.Node) {
		if d.Full() {
			return
		}
		name := each(item)
		if line, twice := lines[name]; twice && name != "" {
			d.At("name", func() {
				d.Fail(item, Shown(name)+" is given twice", fmt.Sprintf("it stands already in line %d", line))
			})
		}
		lines[name] = item.Line
	})
}

// Is notes a problem unless the node is a mapping, or a list.
func (d *Decoder) Is(n *yaml.Node, kind yaml.Kind) bool {
	if n.Kind == kind || d.described != nil {
		return true
	}
	what := "a mapping"
	if kind == yaml.SequenceNode {
		what = "a list"
	}
	d.Fail(n, "must be "+what+", not "+Describe(n), "")
	return false
}

// Has reports whether a mapping has the key.
func Has(n *yaml.Node, name string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return true
		}
	}
	return false
}
