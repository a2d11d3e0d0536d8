package trial

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// readDocument hands out the trials of JSON arrays, or of objects that span
// lines. It holds one of them at a time.
func readDocument(source io.Reader, o Options, yield func(*Trial, error) bool) {
	limited := &limitedReader{source: source, limit: o.maxLineBytes()}
	doc := document{
		json:    jsontext.NewDecoder(limited, anySurrogate),
		limited: limited,
		decoder: newDecoder(o),
		place:   Place{File: o.File, Line: 1, Column: 1},
	}
	doc.decoder.names = newInterner()
	for {
		t, err := doc.trial()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			yield(nil, err)
			return
		case !yield(t, nil):
			return
		}
	}
}

// document is a stream of JSON values that may span lines.
type document struct {
	json    *jsontext.Decoder
	limited *limitedReader
	decoder *decoder
	place   Place // of the next byte of json
	inArray bool
	current Trial
}

// trial returns the next trial, or io.EOF.
func (doc *document) trial() (*Trial, error) {
	for {
		kind := doc.json.PeekKind()
		doc.passSpace()
		// An array is opened and closed on the way; one within another is a value, and refused as a trial.
		if kind == '[' && !doc.inArray || kind == ']' && doc.inArray {
			if _, err := doc.json.ReadToken(); err != nil {
				return nil, doc.syntax(err)
			}
			doc.inArray = kind == '['
			doc.place.Column++
			continue
		}
		start := doc.place
		value, err := doc.json.ReadValue()
		if err != nil {
			return nil, doc.syntax(err)
		}
		doc.pass(value)
		doc.limited.reset()
		if len(value) > doc.limited.limit {
			return nil, doc.tooLong()
		}
		return doc.decode(value, start)
	}
}

// decode decodes one trial, which begins at the place. It is void when the next one is
// decoded.
func (doc *document) decode(value []byte, start Place) (*Trial, error) {
	d := doc.decoder
	d.recycle()
	doc.current = Trial{}
	if err := d.trial(&doc.current, value); err != nil {
		locate(err, start)
		return nil, err
	}
	start.Column = 0
	doc.current.Place = start
	return &doc.current, nil
}

// passSpace moves the place to the start of the next value, which a look at its
// kind has brought into the buffer.
func (doc *document) passSpace() {
	unread := doc.json.UnreadBuffer()
	doc.pass(unread[:len(unread)-len(bytes.TrimLeft(unread, ", \t\r\n"))])
}

// pass moves the place to the end of the text.
func (doc *document) pass(text []byte) {
	if lines := bytes.Count(text, []byte{'\n'}); lines > 0 {
		doc.place.Line += lines
		doc.place.Column = 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	doc.place.Column += len(text)
}

// syntax turns an error of the JSON decoder into one with a place. The text from
// doc.place on is still in its buffer.
func (doc *document) syntax(err error) error {
	if err == io.EOF {
		return err
	}
	if errors.Is(err, errLongLine) {
		return doc.tooLong()
	}
	s, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return readError(doc.place.File, err)
	}
	unread := doc.json.UnreadBuffer()
	space := len(unread) - len(bytes.TrimLeft(unread, ", \t\r\n"))
	inner := *s
	inner.ByteOffset -= doc.json.InputOffset() + int64(space)
	inner.JSONPointer = pointerWithin(unread[space:], inner.ByteOffset)
	doc.decoder.text = unread[space:]
	place := doc.decoder.syntaxOf(&inner, "text")
	locate(place, doc.place)
	return place
}

// pointerWithin returns where in the value at the start of the text the error is
// at the offset. (The pointer that the decoder of a stream gives holds names from
// a buffer that has moved on.)
func pointerWithin(text []byte, offset int64) jsontext.Pointer {
	_, err := jsontext.NewDecoder(bytes.NewBuffer(text), anySurrogate).ReadValue()
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok && s.ByteOffset == offset {
		return s.JSONPointer
	}
	return ""
}

// tooLong says that the value that begins at the place is longer than the limit.
func (doc *document) tooLong() error {
	err := longLine(doc.limited.limit, 0)
	err.Column = 1
	err.Problem = "the trial that begins here is longer than " + prose.ByteCount(doc.limited.limit)
	locate(err, doc.place)
	return err
}

// limitedReader fails when one value takes more than the limit.
type limitedReader struct {
	source io.Reader
	limit  int
	read   int // since the last value began, at most
}

// slack is what the decoder may read beyond a value.
//
// Chosen. A value that is longer by that much may be read before it is refused; what is in fact too
// long is checked by its length.
const slack = 1 << 16

// Read reads from the source until the value that is being read goes beyond the limit.
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.read > l.limit+slack {
		return 0, errLongLine
	}
	n, err := l.source.Read(b[:min(len(b), slack)])
	l.read += n
	return n, err
}

// reset begins to count again: the next value begins.
func (l *limitedReader) reset() { l.read = 0 }
