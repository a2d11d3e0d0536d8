package record

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// fastDecoder decodes one JSON value as [DecodeNode] does, and gives up on whatever is not plain: what is no JSON, and
// what is nested very deep. Names of members are kept once for all the values that it decodes.
type fastDecoder struct {
	text  []byte
	at    int
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
	d.text, d.at, d.depth = text, 0, 0
	value, ok := d.value()
	if !ok || d.next() != 0 || d.at < len(text) {
		return Node{}, false
	}
	return Node{value}, true
}

// next returns the byte after white space, 0 at the end.
func (d *fastDecoder) next() byte {
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (d *fastDecoder) value() (any, bool) {
	switch c := d.next(); c {
	case '{':
		return d.object()
	case '[':
		return d.list()
	case '"':
		return d.string()
	case 't':
		return true, d.literal("true")
	case 'f':
		return false, d.literal("false")
	case 'n':
		return nil, d.literal("null")
	}
	return d.number()
}

func (d *fastDecoder) literal(word string) bool {
	end := d.at + len(word)
	if end > len(d.text) || string(d.text[d.at:end]) != word {
		return false
	}
	d.at = end
	return true
}

// enter goes one deeper, past the opening bracket.
func (d *fastDecoder) enter() bool {
	d.at++
	d.depth++
	return d.depth <= mostDepth
}

// more goes past a comma, or past the closing bracket.
func (d *fastDecoder) more(closing byte) (more, ok bool) {
	switch d.next() {
	case ',':
		d.at++
		return true, true
	case closing:
		d.at++
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
	if d.next() == '}' {
		d.at++
		d.depth--
		return object, true
	}
	for {
		if d.next() != '"' {
			return nil, false
		}
		name, ok := d.name()
		if !ok || d.next() != ':' {
			return nil, false
		}
		d.at++
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
	if d.next() == ']' {
		d.at++
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
	from := d.at
	isPlain = true
	isASCII := true
	for d.at++; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c == '"':
			d.at++
			text = d.text[from:d.at]
			return text, isPlain && (isASCII || utf8.Valid(text)), true
		case c == '\\':
			isPlain = false
			d.at++
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			isASCII = false
		}
	}
	return nil, false, false
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
	if d.next() != '"' {
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
	from := d.at
	if !d.passNumber() {
		return nil, false
	}
	return json.Number(d.text[from:d.at]), true
}

// passNumber goes past a number.
func (d *fastDecoder) passNumber() bool {
	d.skip('-')
	if !d.skip('0') && !d.digits() {
		return false
	}
	if d.skip('.') && !d.digits() {
		return false
	}
	if d.skip('e') || d.skip('E') {
		if !d.skip('-') {
			d.skip('+')
		}
		return d.digits()
	}
	return true
}

// pass goes past a value.
func (d *fastDecoder) pass() bool {
	switch d.next() {
	case '{', '[':
		return d.passInner()
	case '"':
		return d.passString()
	case 't':
		return d.literal("true")
	case 'f':
		return d.literal("false")
	case 'n':
		return d.literal("null")
	}
	return d.passNumber()
}

// passInner goes past an object or an array.
func (d *fastDecoder) passInner() bool {
	isObject := d.text[d.at] == '{'
	closing := byte(']')
	if isObject {
		closing = '}'
	}
	if !d.enter() {
		return false
	}
	if d.next() == closing {
		d.at++
		d.depth--
		return true
	}
	for {
		if isObject {
			if d.next() != '"' || !d.passString() || d.next() != ':' {
				return false
			}
			d.at++
		}
		if !d.pass() {
			return false
		}
		if more, ok := d.more(closing); !ok || !more {
			return ok
		}
	}
}

// passString goes past a string, whose escapes must be right.
func (d *fastDecoder) passString() bool {
	text, isPlain, ok := d.quoted()
	return ok && (isPlain || json.Valid(text))
}

// skip goes past a byte, if it is the next.
func (d *fastDecoder) skip(c byte) bool {
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

// digits goes past digits, and reports whether there was one.
func (d *fastDecoder) digits() bool {
	from := d.at
	for d.at < len(d.text) && d.text[d.at] >= '0' && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at > from
}
