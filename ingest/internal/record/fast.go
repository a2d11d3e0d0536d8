package record

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/jsonlex"
)

// fastDecoder decodes one JSON value as [DecodeNode] does, and gives up on whatever is not plain: what is no JSON, and
// what is nested very deep. Names of members are kept once for all the values that it decodes.
type fastDecoder struct {
	jsonlex.Cursor
	depth int
	names map[string]string

	isBrief bool // few names come again, so that none is kept
}

// Bounds of what a fast decoder does: how long a text is in which few names come again, how deep values nest, and how
// many names are kept and how long they are. They are chosen.
const (
	briefText    = 1000
	mostDepth    = 500
	mostNames    = 1000
	longestShort = 64
)

// decode returns the value of a text. It is false where it gives up.
func (d *fastDecoder) decode(text []byte) (Node, bool) {
	d.Cursor, d.depth = jsonlex.Cursor{Text: text}, 0
	value, ok := d.value()
	if !ok || d.Next() != 0 || d.At < len(text) {
		return Node{}, false
	}
	return Node{value}, true
}

func (d *fastDecoder) value() (any, bool) {
	switch c := d.Next(); c {
	case '{':
		return d.object()
	case '[':
		return d.list()
	case '"':
		return d.string()
	case 't':
		return true, d.Literal("true")
	case 'f':
		return false, d.Literal("false")
	case 'n':
		return nil, d.Literal("null")
	}
	return d.number()
}

// enter goes one deeper, past the opening bracket.
func (d *fastDecoder) enter() bool {
	d.At++
	d.depth++
	return d.depth <= mostDepth
}

// more goes past a comma, or past the closing bracket.
func (d *fastDecoder) more(closing byte) (more, ok bool) {
	switch d.Next() {
	case ',':
		d.At++
		return true, true
	case closing:
		d.At++
		d.depth--
		return false, true
	}
	return false, false
}

func (d *fastDecoder) object() (any, bool) {
	if !d.enter() {
		return nil, false
	}
	object := map[string]any{}
	if d.Next() == '}' {
		d.At++
		d.depth--
		return object, true
	}
	for {
		if d.Next() != '"' {
			return nil, false
		}
		name, ok := d.name()
		if !ok || d.Next() != ':' {
			return nil, false
		}
		d.At++
		value, ok := d.value()
		if !ok {
			return nil, false
		}
		object[name] = value
		if more, ok := d.more('}'); !ok || !more {
			return object, ok
		}
	}
}

func (d *fastDecoder) list() (any, bool) {
	if !d.enter() {
		return nil, false
	}
	list := []any{}
	if d.Next() == ']' {
		d.At++
		d.depth--
		return list, true
	}
	for {
		value, ok := d.value()
		if !ok {
			return nil, false
		}
		list = append(list, value)
		if more, ok := d.more(']'); !ok || !more {
			return list, ok
		}
	}
}

// quoted returns the text of a string with its quotes, and whether it stands for itself.
func (d *fastDecoder) quoted() (text []byte, isPlain, ok bool) {
	from := d.At
	escaped, ok := d.Quoted()
	if !ok {
		return nil, false, false
	}
	text = d.Text[from:d.At]
	return text, !escaped && utf8.Valid(text), true
}

func (d *fastDecoder) string() (any, bool) {
	text, isPlain, ok := d.quoted()
	if !ok {
		return nil, false
	}
	if isPlain {
		return string(text[1 : len(text)-1]), true
	}
	return unquoted(text)
}

// quotedNext is quoted, after white space.
func (d *fastDecoder) quotedNext() (text []byte, isPlain, ok bool) {
	if d.Next() != '"' {
		return nil, false, false
	}
	return d.quoted()
}

// name is a string of which there are few.
func (d *fastDecoder) name() (string, bool) {
	text, isPlain, ok := d.quoted()
	if !ok {
		return "", false
	}
	if !isPlain {
		return unquoted(text)
	}
	text = text[1 : len(text)-1]
	if d.isBrief {
		return string(text), true
	}
	if name, isKnown := d.names[string(text)]; isKnown {
		return name, true
	}
	name := string(text)
	if d.names == nil {
		d.names = map[string]string{}
	}
	if len(name) <= longestShort && len(d.names) < mostNames {
		d.names[name] = name
	}
	return name, true
}

// unquoted is what a string with escapes, or with bytes that are no UTF-8, stands for.
func unquoted(text []byte) (plain string, ok bool) {
	var short [longestShort]byte
	if long, err := jsontext.AppendUnquote(short[:0], text); err == nil {
		return string(long), true
	}
	// It is no string, or has bytes that are no UTF-8, or half a surrogate pair.
	err := json.Unmarshal(text, &plain)
	return plain, err == nil
}

// number returns the digits of a number.
func (d *fastDecoder) number() (any, bool) {
	from := d.At
	if !d.Number() {
		return nil, false
	}
	return json.Number(d.Text[from:d.At]), true
}

// pass goes past a value.
func (d *fastDecoder) pass() bool {
	if c := d.Next(); c == '{' || c == '[' {
		return d.passInner()
	}
	return d.Scalar()
}

// passInner goes past an object or an array.
func (d *fastDecoder) passInner() bool {
	isObject := d.Text[d.At] == '{'
	closing := byte(']')
	if isObject {
		closing = '}'
	}
	if !d.enter() {
		return false
	}
	if d.Next() == closing {
		d.At++
		d.depth--
		return true
	}
	for {
		if isObject {
			if d.Next() != '"' || !d.Scalar() || d.Next() != ':' {
				return false
			}
			d.At++
		}
		if !d.pass() {
			return false
		}
		if more, ok := d.more(closing); !ok || !more {
			return ok
		}
	}
}
