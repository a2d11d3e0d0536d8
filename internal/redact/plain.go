package redact

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// bareText is a text without so many layers of escapes, and without space and what is not seen. Where places are
// kept, its byte i comes from the bytes from[i] to to[i] of the text.
type bareText struct {
	text     []byte
	from, to []int32
}

// maxLayers bounds how often escapes are undone: JSON within JSON within a log line is three.
const maxLayers = 6

// plainText undoes so many layers of the escapes of a text, and reports whether there were so many. A secret is
// what it is in one of them, whatever looks like an escape in itself.
func plainText(text string, layers int, places bool) (bareText, bool) {
	p := bareText{text: []byte(text)}
	if places {
		p.from, p.to = make([]int32, len(text)), make([]int32, len(text))
		for i := range len(text) {
			p.from[i], p.to[i] = int32(i), int32(i+1)
		}
	}
	deep := true
	for range layers {
		if deep = p.unescape(); !deep {
			break
		}
	}
	p.squeeze()
	return p, deep
}

// rewrite replaces the text by what next makes of it: next is given the rest, and returns what stands for its
// first bytes, and how many these are.
func (p *bareText) rewrite(next func(rest []byte) (instead []byte, length int)) {
	w := 0
	for r := 0; r < len(p.text); {
		instead, length := next(p.text[r:])
		// What is written is never longer than what was read.
		for _, c := range instead {
			p.text[w] = c
			if p.from != nil {
				p.from[w], p.to[w] = p.from[r], p.to[r+length-1]
			}
			w++
		}
		r += length
	}
	p.text = p.text[:w]
	if p.from != nil {
		p.from, p.to = p.from[:w], p.to[:w]
	}
}

// unescape undoes one layer, and reports whether there was one.
func (p *bareText) unescape() (changed bool) {
	var buffer [utf8.UTFMax]byte
	p.rewrite(func(rest []byte) ([]byte, int) {
		r, length := rune(-1), 0
		switch rest[0] {
		case '\\':
			r, length = backslash(rest)
		case '%':
			if c, ok := hexByte(rest, 1, 2); ok { // a byte of a character, which is not one yet
				changed = true
				buffer[0] = byte(c)
				return buffer[:1], 3
			}
		case '&':
			r, length = reference(rest)
		}
		if length == 0 {
			return rest[:1], 1
		}
		changed = true
		return utf8.AppendRune(buffer[:0], r), length
	})
	return changed
}

// backslash reads an escape as JSON, JavaScript, Go and Python write it; length is 0 where it is none.
func backslash(rest []byte) (r rune, length int) {
	if len(rest) < 2 {
		return 0, 0
	}
	switch rest[1] {
	case 'n', 'r', 't', 'b', 'f', 'v':
		return ' ', 2
	case '\\', '/', '"', '\'':
		return rune(rest[1]), 2
	case 'x':
		if x, ok := hexByte(rest, 2, 2); ok {
			return rune(x), 4
		}
	case 'u':
		x, ok := hexByte(rest, 2, 4)
		if !ok {
			return 0, 0
		}
		if utf16.IsSurrogate(rune(x)) && len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' {
			if low, ok := hexByte(rest, 8, 4); ok {
				if both := utf16.DecodeRune(rune(x), rune(low)); both != utf8.RuneError {
					return both, 12
				}
			}
		}
		return rune(x), 6
	}
	return 0, 0
}

// hexByte reads so many hexadecimal digits.
func hexByte(text []byte, at, digits int) (x uint64, ok bool) {
	if len(text) < at+digits {
		return 0, false
	}
	x, err := strconv.ParseUint(string(text[at:at+digits]), 16, 32)
	return x, err == nil
}

// reference reads a reference to a character of XML and HTML; length is 0 where it is none.
func reference(rest []byte) (r rune, length int) {
	const longest = len("&#x0010ffff;")
	end := strings.IndexByte(string(rest[:min(len(rest), longest)]), ';')
	if end < 0 {
		return 0, 0
	}
	text := html.UnescapeString(string(rest[:end+1]))
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) || r == utf8.RuneError || size > end {
		return 0, 0
	}
	return r, end + 1
}

// squeeze drops space and what is not seen.
func (p *bareText) squeeze() {
	p.rewrite(func(rest []byte) ([]byte, int) {
		r, length := utf8.DecodeRune(rest)
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return nil, length
		}
		return rest[:length], length
	})
}
