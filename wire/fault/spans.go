package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// node is a JSON value where it stands in a text, so that one part can be changed, and all else stays byte by byte.
type node struct {
	start, end int
	kind       jsontext.Kind
	members    []member // of an object
	items      []*node  // of an array
}

// member is a member of an object.
type member struct {
	name           string
	start, nameEnd int // of the name
	value          *node
}

// errTooDeep refuses what no request is.
var errTooDeep = errors.New("the JSON is nested too deep")

// parse reads a text, which is one value.
func parse(text []byte) (*node, error) {
	if dialect.Excessive(text) {
		return nil, dialect.ErrExcessive
	}
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return parseValue(d, text, 0)
}

func parseValue(d *jsontext.Decoder, text []byte, depth int) (*node, error) {
	const most = 500
	if depth > most {
		return nil, errTooDeep
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: token.Kind(), end: int(d.InputOffset())}
	switch n.kind {
	case '{':
		n.start = n.end - 1
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			m := member{name: name.String(), nameEnd: int(d.InputOffset())}
			m.start = startOf(text, m.nameEnd)
			if m.value, err = parseValue(d, text, depth+1); err != nil {
				return nil, err
			}
			n.members = append(n.members, m)
		}
	case '[':
		n.start = n.end - 1
		for d.PeekKind() != ']' {
			item, err := parseValue(d, text, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case '"':
		n.start = startOf(text, n.end)
		return n, nil
	default: // a number, true, false or null
		n.start = n.end
		for n.start > 0 && strings.IndexByte(" \t\r\n,:[{", text[n.start-1]) < 0 {
			n.start--
		}
		return n, nil
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	n.end = int(d.InputOffset())
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

// get is a member's value; nil is none.
func (n *node) get(names ...string) *node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		i := slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
		if i < 0 {
			return nil
		}
		n = n.members[i].value
	}
	return n
}

// list are the items of an array.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// raw is the text of a value.
func (n *node) raw(text []byte) []byte {
	if n == nil {
		return nil
	}
	return text[n.start:n.end]
}

// str is the content of a JSON string; "" of any other value.
func (n *node) str(text []byte) (s string) {
	if n != nil && n.kind == '"' {
		_ = json.Unmarshal(text[n.start:n.end], &s) // it was read as one
	}
	return s
}

// edit puts a text in the place of another.
type edit struct {
	start, end int
	text       []byte
}

// edited is a text with all edits, which do not overlap.
func edited(text []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// replace puts a value in the place of another.
func (n *node) replace(value any) edit { return edit{n.start, n.end, encoded(value)} }

// encoded is a value as JSON, with its signs as they are.
func encoded(value any) []byte {
	if raw, ok := value.(json.RawMessage); ok {
		return raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // of texts and numbers alone
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// rename gives members of a name another, wherever they stand below a value.
func (n *node) rename(from, to string) (edits []edit) {
	for _, m := range n.members {
		if m.name == from {
			edits = append(edits, edit{m.start, m.nameEnd, encoded(to)})
		}
		edits = append(edits, m.value.rename(from, to)...)
	}
	for _, item := range n.items {
		edits = append(edits, item.rename(from, to)...)
	}
	return edits
}

// drop removes members of an object.
func (n *node) drop(names ...string) (edits []edit) {
	last := n.start + 1 // of what stays
	kept := false
	for i, m := range n.members {
		end := m.value.end
		switch {
		case !slices.Contains(names, m.name):
			last, kept = end, true
		case kept: // with the comma before it
			edits = append(edits, edit{last, end, nil})
			last = end
		case i+1 < len(n.members): // with the comma behind it
			edits = append(edits, edit{m.start, n.members[i+1].start, nil})
		default:
			edits = append(edits, edit{m.start, end, nil})
		}
	}
	return edits
}

// without removes items of an array.
func (n *node) without(gone func(*node) bool) (edits []edit) {
	last := n.start + 1
	kept := false
	for i, item := range n.items {
		switch {
		case !gone(item):
			last, kept = item.end, true
		case kept:
			edits = append(edits, edit{last, item.end, nil})
			last = item.end
		case i+1 < len(n.items):
			edits = append(edits, edit{item.start, n.items[i+1].start, nil})
		default:
			edits = append(edits, edit{item.start, item.end, nil})
		}
	}
	return edits
}
