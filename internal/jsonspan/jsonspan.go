// Package jsonspan finds the parts of a JSON text where they stand, so that one of them can be changed and all else
// stays byte by byte.
//
//	n, err := jsonspan.Parse(text)
//	text = jsonspan.Edited(text, []jsonspan.Edit{n.Get("model").Replace("small")})
package jsonspan

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Node is a JSON value where it stands in a text, so that one part can be changed, and all else stays byte by byte.
type Node struct {
	Start, End int           // from the first byte of the text, the end behind the last
	Kind       jsontext.Kind // of its first token
	Members    []Member      // of an object
	Items      []*Node       // of an array
}

// Member is a member of an object.
type Member struct {
	Name           string
	Start, NameEnd int // of the name, with its quotes
	Value          *Node
}

// What no request is, is refused.
var (
	errTooDeep = errors.New("the JSON is nested too deep")
	errTooMany = errors.New("the JSON has more than 524288 values")
)

// mostValues bounds what is held of a text: each value takes many times its bytes.
const mostValues = 1 << 19

// Parse reads a text, which is one value.
func Parse(text []byte) (*Node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	values := 0
	return parseValue(d, text, 0, &values)
}

func parseValue(d *jsontext.Decoder, text []byte, depth int, values *int) (*Node, error) {
	const most = 500
	if depth > most {
		return nil, errTooDeep
	}
	if *values++; *values > mostValues {
		return nil, errTooMany
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: token.Kind(), End: int(d.InputOffset())}
	switch n.Kind {
	case '{':
		n.Start = n.End - 1
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			m := Member{Name: name.String(), NameEnd: int(d.InputOffset())}
			m.Start = startOf(text, m.NameEnd)
			if m.Value, err = parseValue(d, text, depth+1, values); err != nil {
				return nil, err
			}
			n.Members = append(n.Members, m)
		}
	case '[':
		n.Start = n.End - 1
		for d.PeekKind() != ']' {
			item, err := parseValue(d, text, depth+1, values)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
	case '"':
		n.Start = startOf(text, n.End)
		return n, nil
	default: // a number, true, false or null
		n.Start = n.End
		for n.Start > 0 && strings.IndexByte(" \t\r\n,:[{", text[n.Start-1]) < 0 {
			n.Start--
		}
		return n, nil
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	n.End = int(d.InputOffset())
	return n, nil
}

// startOf finds where a string begins that ends before a place.
func startOf(text []byte, end int) int {
	for i := end - 2; i >= 0; i-- {
		if text[i] != '"' {
			continue
		}
		escapes := 0
		for j := i - 1; j >= 0 && text[j] == '\\'; j-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return 0
}

// Get is the value of a member, or of a member of its value by further names; nil is none. n may be nil.
func (n *Node) Get(names ...string) *Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		i := slices.IndexFunc(n.Members, func(m Member) bool { return m.Name == name })
		if i < 0 {
			return nil
		}
		n = n.Members[i].Value
	}
	return n
}

// List are the items of an array. n may be nil.
func (n *Node) List() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// Raw is the text of a value; nil of none.
func (n *Node) Raw(text []byte) []byte {
	if n == nil {
		return nil
	}
	return text[n.Start:n.End]
}

// Str is the content of a JSON string; "" of any other value.
func (n *Node) Str(text []byte) (s string) {
	if n != nil && n.Kind == '"' {
		_ = json.Unmarshal(text[n.Start:n.End], &s) // it was read as one
	}
	return s
}

// Edit puts a text in the place of another.
type Edit struct {
	Start, End int // as those of a [Node]
	Text       []byte
}

// Put is an edit; where it starts at its end, the text is put in.
func Put(start, end int, text []byte) Edit { return Edit{start, end, text} }

// Edited is a text with all edits, which do not overlap.
func Edited(text []byte, edits []Edit) []byte {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// Replace puts a value in the place of another.
func (n *Node) Replace(value any) Edit { return Edit{n.Start, n.End, Encoded(value)} }

// Encoded is a value of texts and numbers as JSON, with its signs as they are; a [json.RawMessage] is itself.
func Encoded(value any) []byte {
	if raw, ok := value.(json.RawMessage); ok {
		return raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // of texts and numbers alone
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Drop removes members of an object.
func (n *Node) Drop(names ...string) (edits []Edit) {
	last := n.Start + 1 // of what stays
	kept := false
	for i, m := range n.Members {
		end := m.Value.End
		switch {
		case !slices.Contains(names, m.Name):
			last, kept = end, true
		case kept: // with the comma before it
			edits = append(edits, Edit{last, end, nil})
			last = end
		case i+1 < len(n.Members): // with the comma behind it
			edits = append(edits, Edit{m.Start, n.Members[i+1].Start, nil})
		default:
			edits = append(edits, Edit{m.Start, end, nil})
		}
	}
	return edits
}

// Without removes items of an array.
func (n *Node) Without(gone func(*Node) bool) (edits []Edit) {
	last := n.Start + 1
	kept := false
	for i, item := range n.Items {
		switch {
		case !gone(item):
			last, kept = item.End, true
		case kept:
			edits = append(edits, Edit{last, item.End, nil})
			last = item.End
		case i+1 < len(n.Items):
			edits = append(edits, Edit{item.Start, n.Items[i+1].Start, nil})
		default:
			edits = append(edits, Edit{item.Start, item.End, nil})
		}
	}
	return edits
}
