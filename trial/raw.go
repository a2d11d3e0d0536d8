package trial

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Raw is one JSON value as it stands in a file, kept without loss; nil is absent.
type Raw []byte

// RawString returns the JSON string that holds the text. Bytes that are not
// UTF-8 become U+FFFD.
func RawString(text string) Raw {
	quoted, _ := jsontext.AppendQuote(nil, text) // the error only reports the replacement
	return quoted
}

// Text returns the content of a JSON string, and the JSON text of any other
// value. Half a surrogate pair becomes U+FFFD. It is "" for nil.
func (r Raw) Text() string {
	if len(r) == 0 || r[0] != '"' {
		return string(r)
	}
	text, _ := jsontext.AppendUnquote(nil, r) // as above
	return string(text)
}

// anySurrogate admits half a surrogate pair written as an escape: tools that cut
// texts at a number of UTF-16 units write them. Bytes that are not UTF-8 are
// refused before this option could admit them.
var anySurrogate = jsontext.AllowInvalidUTF8(true)

// scanners are those that look at values.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

// valid reports whether r is one JSON value without duplicate names. Of nearly all that are, the scanner knows it, in a
// part of the time.
func (r Raw) valid() bool {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	s.reset(r)
	s.open = append(s.open, members{}) // within which no object is the outermost, whose names are expected again
	scanned := utf8.Valid(r) && s.value(0) && s.Next() == 0 && s.At == len(r)
	s.reset(nil)
	return scanned || jsontext.Value(r).IsValid(anySurrogate)
}

// appendTo appends a valid value on one line.
func (r Raw) appendTo(dst []byte) []byte {
	if bytes.IndexByte(r, '\n') < 0 && bytes.IndexByte(r, '\r') < 0 {
		return append(dst, r...)
	}
	line := jsontext.Value(slices.Clone(r))
	if line.Compact(anySurrogate) != nil {
		return append(dst, r...) // not reached: the value was found valid
	}
	return append(dst, line...)
}

// Member is a name and its value: a tag, or a field that this package does not
// know.
type Member struct {
	Name  string // as it is written
	Value Raw    // never nil in what was read: null is a value
}
