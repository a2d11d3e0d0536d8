// Package jsonlex goes over JSON text in place, word by word: for decoders that keep few values, or parts of the text.
//
//	c := jsonlex.Cursor{Text: text}
//	if c.Next() == '"' {
//		start := c.At
//		escaped, ok := c.Quoted()
//		word := text[start:c.At]
//	}
//
// It accepts what JSON allows (RFC 8259), and nothing else; that the text is UTF-8 is for the caller to see to.
package jsonlex

import (
	"encoding/binary"
	"math/bits"
)

// Cursor is a place in a text.
type Cursor struct {
	Text []byte
	At   int // of the next byte
}

// Next returns the next byte that is no white space, and goes to it; 0 at the end.
func (c *Cursor) Next() byte {
	for ; c.At < len(c.Text); c.At++ {
		if b := c.Text[c.At]; b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b
		}
	}
	return 0
}

// Skip goes past a byte, if it is the next.
func (c *Cursor) Skip(b byte) bool {
	if c.At == len(c.Text) || c.Text[c.At] != b {
		return false
	}
	c.At++
	return true
}

// Literal goes past a word.
func (c *Cursor) Literal(word string) bool {
	end := c.At + len(word)
	if end > len(c.Text) || string(c.Text[c.At:end]) != word {
		return false
	}
	c.At = end
	return true
}

// Scalar goes past the next value, a string, a number, true, false or null.
func (c *Cursor) Scalar() bool {
	switch c.Next() {
	case '"':
		_, ok := c.Quoted()
		return ok
	case 't':
		return c.Literal("true")
	case 'f':
		return c.Literal("false")
	case 'n':
		return c.Literal("null")
	}
	return c.Number()
}

// Quoted goes past a string, whose opening quote is the next byte, and reports whether it has escapes.
func (c *Cursor) Quoted() (escaped, ok bool) {
	i := c.At + 1
	i += ordinary(c.Text[i:])
	for ; i < len(c.Text) && c.Text[i] == '\\'; escaped = true {
		length := escapeLength(c.Text[i:])
		if length == 0 {
			return true, false
		}
		i += length
		i += ordinary(c.Text[i:])
	}
	c.At = i + 1
	return escaped, i < len(c.Text) && c.Text[i] == '"'
}

// Number goes past a number.
func (c *Cursor) Number() bool {
	c.Skip('-')
	if !c.Skip('0') && !c.digits() {
		return false
	}
	if c.Skip('.') && !c.digits() {
		return false
	}
	if c.Skip('e') || c.Skip('E') {
		if !c.Skip('-') {
			c.Skip('+')
		}
		return c.digits()
	}
	return true
}

// digits goes past digits, and reports whether there was one.
func (c *Cursor) digits() bool {
	start := c.At
	for c.At < len(c.Text) && c.Text[c.At]-'0' <= 9 {
		c.At++
	}
	return c.At > start
}

// ordinary counts the bytes at the start that are no quote, no backslash and no control character. It looks at eight
// at once: a byte of a word is below n, or zero, where the borrow of a subtraction sets its highest bit (Mycroft 1987).
func ordinary(text []byte) (n int) {
	const ones, highest = 0x0101010101010101, 0x8080808080808080
	for ; len(text)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(text[n:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		found := ((quote - ones) &^ quote) | ((backslash - ones) &^ backslash) | ((x - ' '*ones) &^ x)
		if found &= highest; found != 0 {
			return n + bits.TrailingZeros64(found)/8 // a borrow can only mark bytes behind the first
		}
	}
	for n < len(text) && text[n] >= ' ' && text[n] != '"' && text[n] != '\\' {
		n++
	}
	return n
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
