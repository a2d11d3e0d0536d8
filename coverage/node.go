package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
)

// What a list of tools may be: it comes from servers that nobody vouches for.
const (
	maxToolBytes = 16 << 20 // of the whole list; chosen, far above any list that a model could use
	maxNodes     = 500_000  // JSON values in it
	maxDepth     = 64       // of values within values
)

// listHint is the advice for a file that is too large to be what it should be.
const listHint = "is it a list of tools?"

// node is a JSON value with the place where it begins. A tree of nodes stands in place of
// maps: members keep their order, so that an error can name the line and the column, and
// their number is bounded while they are read.
type node struct {
	kind    jsontext.Kind
	raw     jsontext.Value // of a scalar
	members []member       // of an object, in their order
	items   []*node        // of a list
	offset  int64          // in the text
}

// member is a member of an object.
type member struct {
	name  string
	value *node
}

// get returns a member of an object, nil where there is none.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// document is a JSON text that is being read. Errors need a line and a column, which follow from an offset in the text.
type document struct {
	file  string // its name, for errors
	text  []byte
	nodes int // values read so far
}

// place returns the line and the column of an offset in the text. Lines and columns are from 1, columns in
// bytes.
func (d *document) place(offset int64) trial.Place {
	before := d.text[:min(max(offset, 0), int64(len(d.text)))]
	return trial.Place{
		File:   d.file,
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// refuse says what of a field cannot be used, and where in the file it stands. The field is
// its path, such as "tools[2].inputSchema.properties.n.minimum".
func (d *document) refuse(n *node, field, problem, hint string) error {
	return &trial.FieldError{Place: d.place(n.offset), Field: field, Problem: problem, Advice: hint}
}

// parse reads the one value of the text.
func (d *document) parse() (*node, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(d.text))
	root, err := d.read(decoder, 0)
	if err != nil {
		return nil, err
	}
	// A second value is a mistake that a decoder alone would not see, such as one tool a line.
	if kind := decoder.PeekKind(); kind != 0 {
		return nil, &trial.SyntaxError{
			Place:   d.place(decoder.InputOffset()),
			Problem: "more follows the list of tools", Advice: "the file holds one JSON value",
		}
	}
	if _, err := decoder.ReadToken(); err != nil { // the end, or what is no JSON
		if syntax := d.syntax(decoder, err); syntax != nil {
			return nil, syntax
		}
	}
	return root, nil
}

// syntax gives an error of the decoder a place. It is nil at the end of the text: that
// nothing was left to read is no mistake of syntax.
//
// The decoder refuses names that stand twice in an object; which of the two values holds would depend on
// the reader.
func (d *document) syntax(decoder *jsontext.Decoder, err error) error {
	offset := decoder.InputOffset()
	problem, hint := err.Error(), "is the file cut off, or no JSON at all?"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, problem = e.ByteOffset, e.Err.Error()
		if errors.Is(err, jsontext.ErrDuplicateName) {
			problem, hint = "a name stands twice in an object", "remove one of the two"
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			problem = "it ends inside a value"
		}
	} else if decoder.StackDepth() == 0 {
		return nil
	}
	return &trial.SyntaxError{Place: d.place(offset), Problem: "this is not JSON: " + problem, Advice: hint}
}

// read reads the next value, which stands so deep within others. The number of values and their depth are
// checked before anything is kept: a text of few bytes can nest deeply.
func (d *document) read(decoder *jsontext.Decoder, depth int) (*node, error) {
	d.nodes++
	if d.nodes > maxNodes {
		problem := fmt.Sprintf("holds more than %d values", maxNodes)
		return nil, &trial.FileError{File: d.file, Problem: problem, Advice: listHint}
	}
	if depth > maxDepth {
		problem := fmt.Sprintf("values are nested deeper than %d levels", maxDepth)
		return nil, &trial.SyntaxError{Place: d.place(decoder.InputOffset()), Problem: problem, Advice: listHint}
	}
	n := &node{kind: decoder.PeekKind()}
	switch n.kind {
	case '{', '[':
		if _, err := decoder.ReadToken(); err != nil {
			return nil, d.syntax(decoder, err)
		}
		// The bracket has just been read: it stands one before.
		n.offset = decoder.InputOffset() - 1
		for decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
			if err := d.readInto(decoder, n, depth); err != nil {
				return nil, err
			}
		}
		if _, err := decoder.ReadToken(); err != nil {
			return nil, d.syntax(decoder, err)
		}
		return n, nil
	}
	value, err := decoder.ReadValue()
	if err != nil {
		if syntax := d.syntax(decoder, err); syntax != nil {
			return nil, syntax
		}
		return nil, &trial.FileError{File: d.file, Problem: "is empty", Advice: "an empty list of tools is []"}
	}
	// The decoder uses its memory again.
	n.raw = bytes.Clone(value)
	n.offset = decoder.InputOffset() - int64(len(n.raw))
	return n, nil
}

// readInto reads a member of an object or an item of a list.
func (d *document) readInto(decoder *jsontext.Decoder, n *node, depth int) error {
	name := ""
	if n.kind == '{' {
		token, err := decoder.ReadToken()
		if err != nil {
			return d.syntax(decoder, err)
		}
		name = token.String()
	}
	value, err := d.read(decoder, depth+1)
	if err != nil {
		return err
	}
	if n.kind == '{' {
		n.members = append(n.members, member{name, value})
	} else {
		n.items = append(n.items, value)
	}
	return nil
}

// json writes a node, for values of an enum. Members keep their order; equal values are compared in
// canonical form later.
func (n *node) json() trial.Raw {
	switch n.kind {
	case '{':
		text := []byte{'{'}
		for i, m := range n.members {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(append(text, trial.RawString(m.name)...), ':'), m.value.json()...)
		}
		return append(text, '}')
	case '[':
		text := []byte{'['}
		for i, item := range n.items {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(text, item.json()...)
		}
		return append(text, ']')
	}
	return trial.Raw(n.raw)
}
