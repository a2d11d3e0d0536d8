package dialect

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mostValues bounds the values of one JSON text that is read: read, each takes some hundred bytes, of as few as three.
const mostValues = 1 << 19

// mostCalls bounds the calls of tools, or other parts, of an answer that comes in parts.
const mostCalls = 10_000

// ErrExcessive says that a JSON text has more values than are read.
var ErrExcessive = fmt.Errorf("it has more than %d values", mostValues)

// errManyCalls says that an answer has more calls, or parts, than are read.
var errManyCalls = fmt.Errorf("it has more than %d parts", mostCalls)

// Excessive reports whether a text has more values than are read: what begins an object, a list, or another value of
// one. The text need not be JSON.
func Excessive(text []byte) bool {
	if len(text) < mostValues {
		return false
	}
	values, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\':
			if quoted {
				i++
			}
		case '{', '[', ',':
			if !quoted {
				values++
			}
		}
	}
	return values > mostValues
}

// decode reads a text that nobody vouches for.
func decode(text []byte, into any) error {
	if Excessive(text) {
		return ErrExcessive
	}
	return json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// errNone is that of no answer at all, or of what it had too much of.
func errNone(parts int, many bool) error {
	switch {
	case many:
		return errManyCalls
	case parts == 0:
		return errNoAnswer
	}
	return nil
}
