package trial

import (
	"bytes"
	"unicode/utf8"
)

// plainRaw is a value that is kept as it is written, an input or an output, which [decoder.plain] goes past.
type plainRaw struct {
	text     []byte
	at       int
	notASCII bool
}

// How deep a value nests, and how many members an object of it has, whose names are compared with each other, at most
// for the quick form. Both numbers are chosen: inputs are seldom larger, and any other is left to [decoder.whole].
const (
	mostPlainDepth   = 16
	mostPlainMembers = 16
)

// plainRawValue returns the value at the start and what follows it. It is not ok for null, which is the same as none,
// and for what [decoder.whole] may refuse.
func plainRawValue(text []byte) (value Raw, rest []byte, ok bool) {
	r := plainRaw{text: text}
	if len(text) == 0 || text[0] == 'n' || !r.value(0) || r.notASCII && !utf8.Valid(text[:r.at]) {
		return nil, nil, false
	}
	// The capacity ends with the value: an append to it cannot write over what follows.
	return Raw(text[:r.at:r.at]), text[r.at:], true
}

// peek returns the next byte, 0 at the end.
func (r *plainRaw) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// next returns the byte after white space, 0 at the end.
func (r *plainRaw) next() byte {
	for {
		switch c := r.peek(); c {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return c
		}
	}
}

// skip goes past a byte, if it is the next.
func (r *plainRaw) skip(c byte) bool {
	if r.peek() != c || r.at == len(r.text) {
		return false
	}
	r.at++
	return true
}

func (r *plainRaw) value(depth int) bool {
	switch r.next() {
	case '{':
		return depth < mostPlainDepth && r.object(depth+1)
	case '[':
		return depth < mostPlainDepth && r.list(depth+1)
	case '"':
		_, ok := r.string()
		return ok
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	}
	return r.number()
}

func (r *plainRaw) literal(word string) bool {
	end := r.at + len(word)
	if end > len(r.text) || string(r.text[r.at:end]) != word {
		return false
	}
	r.at = end
	return true
}

// object goes past an object whose names differ.
func (r *plainRaw) object(depth int) bool {
	r.at++
	if r.next() == '}' {
		return r.skip('}')
	}
	var names [mostPlainMembers][]byte
	for n := range names {
		if r.next() != '"' {
			return false
		}
		name, ok := r.string()
		// That two names with escapes are the same is seen by the other form alone.
		if !ok || bytes.IndexByte(name, '\\') >= 0 {
			return false
		}
		for _, other := range names[:n] {
			if string(other) == string(name) {
				return false
			}
		}
		names[n] = name
		if r.next() != ':' {
			return false
		}
		r.at++
		if !r.value(depth) {
			return false
		}
		if r.next() == '}' {
			return r.skip('}')
		}
		if !r.skip(',') {
			return false
		}
	}
	return false
}

func (r *plainRaw) list(depth int) bool {
	r.at++
	if r.next() == ']' {
		return r.skip(']')
	}
	for r.value(depth) {
		if r.next() == ']' {
			return r.skip(']')
		}
		if !r.skip(',') {
			return false
		}
	}
	return false
}

// string goes past a string and returns what is between its quotes.
func (r *plainRaw) string() (content []byte, ok bool) {
	from := r.at + 1
	for i := from; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.at = i + 1
			return r.text[from:i], true
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			r.notASCII = true
		case c == '\\':
			n := escapeLength(r.text[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		}
	}
	return nil, false
}

// escapeLength is that of the escape at the start; 0 if it is none.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < 6 {
			return 0
		}
		for _, c := range text[2:6] {
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return 0
			}
		}
		return 6
	}
	return 0
}

func (r *plainRaw) number() bool {
	r.skip('-')
	if !r.skip('0') && !r.digits() {
		return false
	}
	if r.skip('.') && !r.digits() {
		return false
	}
	if r.skip('e') || r.skip('E') {
		if !r.skip('-') {
			r.skip('+')
		}
		return r.digits()
	}
	return true
}

// digits goes past digits, and reports whether there was one.
func (r *plainRaw) digits() bool {
	n := digits(r.text[r.at:])
	r.at += n
	return n > 0
}
