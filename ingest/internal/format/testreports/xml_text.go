package testreports

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// xmlText leaves characters that XML forbids (section 2.2) out of a text, as bytes and as references: runners copy what
// tests print, and few take care. A color of a terminal goes as a whole.
type xmlText struct {
	text  *bufio.Reader
	cdata bool // within a CDATA section, which has no references
}

// newXMLText begins to read a text.
func newXMLText(text io.Reader) *xmlText { return &xmlText{text: bufio.NewReader(text)} }

// longestForbidden is how much is looked at for a forbidden character and the color that it begins, in bytes; chosen.
const longestForbidden = 64

// Forms of forbidden characters, and what stands behind an escape that colors a text.
var (
	xmlReference  = lazy.Regexp(`^&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));`)
	terminalColor = lazy.Regexp(`^\[[0-9;]*m`)
)

// Read reads the lawful characters.
func (x *xmlText) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if n > 0 && x.text.Buffered() == 0 {
			return n, nil
		}
		if _, err := x.text.Peek(1); err != nil {
			return n, err
		}
		// What is there is as much as there can be.
		there, _ := x.text.Peek(min(x.text.Buffered(), len(b)-n))
		plain := slices.IndexFunc(there, mayBeSpecial)
		if plain < 0 {
			plain = len(there)
		}
		if plain == 0 {
			ahead, _ := x.text.Peek(longestForbidden)
			if forbidden := x.forbidden(ahead); forbidden > 0 {
				x.text.Discard(forbidden) // never fails: so much was peeked
				continue
			}
			there, plain = ahead, 1
		}
		n += copy(b[n:], there[:plain])
		x.text.Discard(plain)
	}
	return n, nil
}

// mayBeSpecial reports whether a byte may begin a forbidden character, or begin or end a CDATA section.
func mayBeSpecial(c byte) bool {
	return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == '&' || c == '<' || c == ']' || c == 0xEF
}

// forbidden is how many bytes a forbidden character takes with which a text begins; 0 for any other. It heeds where
// CDATA sections begin and end.
func (x *xmlText) forbidden(text []byte) int {
	size, code := 1, int64(text[0])
	switch text[0] {
	case '<':
		x.cdata = x.cdata || bytes.HasPrefix(text, []byte("<![CDATA["))
		return 0
	case ']':
		x.cdata = x.cdata && !bytes.HasPrefix(text, []byte("]]>"))
		return 0
	case 0xEF: // U+FFFE and U+FFFF
		if !bytes.HasPrefix(text, []byte("\xEF\xBF\xBE")) && !bytes.HasPrefix(text, []byte("\xEF\xBF\xBF")) {
			return 0
		}
		return 3
	case '&':
		if size, code = referenceOf(xmlReference(), text); x.cdata || isLawful(code) {
			return 0
		}
	}
	if code == '\x1b' {
		size += len(terminalColor().Find(text[size:]))
	}
	return size
}

// referenceOf is the length of the reference with which a text begins, and its character; a space where there is none.
func referenceOf(reference *regexp.Regexp, text []byte) (size int, code int64) {
	m := reference.FindSubmatch(text)
	if m == nil {
		return 0, ' '
	}
	base, digits := 10, m[2]
	if m[1] != nil {
		base, digits = 16, m[1]
	}
	code, _ = strconv.ParseInt(string(digits), base, 64) // the pattern has digits alone, and few
	return len(m[0]), code
}

// isLawful reports whether XML has a character. Halves of surrogate pairs are left to the decoder.
func isLawful(code int64) bool {
	return code >= ' ' && code != 0xFFFE && code != 0xFFFF || code == '\n' || code == '\t' || code == '\r'
}
