package oracle

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Span finds what the path leads to in the text of a JSON document, from begin up to end, so that it can be replaced
// and the rest stays as it is written. Of two members of one name the first is found. found is false where the path
// leads nowhere, or the text is no JSON up to there.
func (p Path) Span(document []byte) (begin, end int, found bool) {
	d := jsontext.NewDecoder(bytes.NewReader(document), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	for _, part := range p.parts {
		if !enter(d, part) {
			return 0, 0, false
		}
	}
	value, err := d.ReadValue()
	if err != nil {
		return 0, 0, false
	}
	end = int(d.InputOffset())
	return end - len(value), end, true
}

// enter leaves a decoder before the value of a part of a path, and reports whether there is one.
func enter(d *jsontext.Decoder, part pathPart) bool {
	want := jsontext.Kind('{')
	if part.item {
		want = '['
	}
	if opened, err := d.ReadToken(); err != nil || opened.Kind() != want {
		return false
	}
	for i := 0; ; i++ {
		switch next := d.PeekKind(); {
		case next == '}', next == ']', next == 0:
			return false
		case part.item && i == part.index:
			return true
		case !part.item:
			name, err := d.ReadToken()
			if err != nil {
				return false
			}
			if name.String() == part.name {
				return true
			}
		}
		if d.SkipValue() != nil {
			return false
		}
	}
}
