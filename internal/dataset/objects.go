package dataset

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// maxDepth of values within a row is that of suites.
const maxDepth = 64

// values reads the values of a JSON text as nodes.
type values struct {
	*jsontext.Decoder
	file string
	text []byte
	// the line of what is read
	line   int
	offset int64 // up to which line ends were counted
}

// objects reads JSON lines, one JSON object, or a list of them.
func objects(file string, text []byte) ([]Row, error) {
	v := &values{Decoder: jsontext.NewDecoder(bytes.NewReader(text)), file: file, text: text, line: 1}
	list := v.PeekKind() == '['
	if list {
		if _, err := v.ReadToken(); err != nil {
			return nil, v.unreadable(err)
		}
	}
	var rows []Row
	for len(rows) <= MaxRows {
		switch kind := v.PeekKind(); {
		case list && kind == ']':
			if _, err := v.ReadToken(); err != nil {
				return nil, v.unreadable(err)
			}
			if _, err := v.ReadToken(); err != io.EOF {
				return nil, broken(v.place(), "stands behind the end of the list", "a file is one list, or a value a line")
			}
			return rows, nil
		case kind != '{':
			if err := v.SkipValue(); err == io.EOF && !list {
				return v.all(rows)
			} else if err != nil {
				return nil, v.unreadable(err)
			}
			return nil, broken(v.place(), "must be a JSON object of columns, and begins otherwise",
				`such as {"id": "a-1", "question": "..."}`)
		}
		n, err := v.node(0)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Place: fault.Place{File: file, Line: n.Line}, Node: n})
	}
	return rows, nil
}

// Value reads a text that is one JSON value.
func Value(text string) (*yaml.Node, error) {
	v := &values{Decoder: jsontext.NewDecoder(strings.NewReader(text)), text: []byte(text), line: 1}
	n, err := v.node(0)
	if err != nil {
		return nil, err
	}
	if _, err := v.ReadToken(); err != io.EOF {
		return nil, broken(v.place(), "stands behind the end of the value", "")
	}
	return n, nil
}

// all returns the rows of a file at its end.
func (v *values) all(rows []Row) ([]Row, error) {
	if len(rows) == 0 {
		return nil, &fault.FileError{File: v.file, Problem: "is empty"}
	}
	// One line of many lines is no file of its own, though it may be the first.
	rows[0].Alone = len(rows) == 1 && strings.EqualFold(filepath.Ext(v.file), ".json")
	return rows, nil
}

// place is where the last token was read.
func (v *values) place() fault.Place {
	v.count(v.InputOffset())
	return fault.Place{File: v.file, Line: v.line}
}

// count goes on to the line of an offset.
func (v *values) count(offset int64) {
	if offset > v.offset {
		v.line += bytes.Count(v.text[v.offset:offset], []byte{'\n'})
		v.offset = offset
	}
}

// unreadable gives an error of the decoder its place.
func (v *values) unreadable(err error) error {
	at := v.InputOffset()
	reason := err.Error()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, reason = max(at, syntax.ByteOffset), syntax.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		at, reason = int64(len(v.text)), "the file ends within a value"
	}
	v.count(min(at, int64(len(v.text))))
	return broken(fault.Place{File: v.file, Line: v.line},
		"is not JSON: "+prose.Reason(strings.TrimPrefix(reason, "jsontext: ")), "")
}

// node reads the next value.
func (v *values) node(depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, broken(v.place(), "is nested deeper than 64 levels", "")
	}
	token, err := v.ReadToken()
	if err != nil {
		return nil, v.unreadable(err)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	v.count(v.InputOffset())
	n.Line = v.line
	switch token.Kind() {
	case 'n':
		n.Tag, n.Value = "!!null", "null"
	case 't', 'f':
		n.Tag, n.Value = "!!bool", token.String()
	case '"':
		n.Tag, n.Value = "!!str", token.String()
	case '0':
		n.Tag, n.Value = "!!int", token.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case '{':
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		return n, v.within(n, depth, '}')
	case '[':
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		return n, v.within(n, depth, ']')
	}
	return n, nil
}

// within reads what is in a mapping or a list, up to its end.
func (v *values) within(n *yaml.Node, depth int, end jsontext.Kind) error {
	for v.PeekKind() != end {
		inner, err := v.node(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, inner)
	}
	if _, err := v.ReadToken(); err != nil {
		return v.unreadable(err)
	}
	return nil
}
