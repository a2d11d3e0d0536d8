package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// JSON writes a result as one indented JSON document with a line end. A result
// that holds NaN or an infinity is refused, and nothing is written. Characters
// that a terminal would act on, and commands of build servers, are escaped, which
// changes no value; < > and & are not.
func JSON(w io.Writer, result any) error {
	lines := &indenter{to: bufio.NewWriterSize(w, 1<<16)}
	encoder := json.NewEncoder(lines)
	// The document is no part of a page: its texts stay readable.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		if lines.begun {
			return fmt.Errorf("write report: %w", err)
		}
		return fmt.Errorf("result cannot be written as JSON: %w", err)
	}
	if err := lines.to.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// indenter writes a compact JSON document as [json.Indent] does, line by line: a document of many trials is large, and
// is not held a second time.
type indenter struct {
	to    *bufio.Writer
	line  []byte
	depth int
	begun bool
	err   error // of the first line that could not be written
}

// Write takes the whole document: an encoder writes it at once.
func (d *indenter) Write(document []byte) (int, error) {
	d.begun = true
	inString, escaped := false, false
	for i, c := range document {
		switch {
		case inString:
			inString = escaped || c != '"'
			escaped = c == '\\' && !escaped
			d.line = append(d.line, c)
		case c == '{' || c == '[':
			d.line = append(d.line, c)
			if next := document[i+1]; next != '}' && next != ']' {
				d.depth++
				d.next()
			}
		case c == '}' || c == ']':
			if before := document[i-1]; before != '{' && before != '[' {
				d.depth--
				d.next()
			}
			d.line = append(d.line, c)
		case c == ',':
			d.line = append(d.line, c)
			d.next()
		case c == ':':
			d.line = append(d.line, ": "...)
		default:
			inString = c == '"'
			d.line = append(d.line, c)
			if c == '\n' { // the end
				d.end()
			}
		}
	}
	return len(document), d.err
}

// next ends a line, and begins one.
func (d *indenter) next() {
	d.line = append(d.line, '\n')
	d.end()
	for range d.depth {
		d.line = append(d.line, "  "...)
	}
}

// end writes what there is of a line.
func (d *indenter) end() {
	if d.err == nil {
		_, d.err = d.to.Write(withoutCommands(escapeUnprintable(d.line)))
	}
	d.line = d.line[:0]
}

// escapeUnprintable writes as \uXXXX what encoding/json passes on: DEL, the second
// set of control characters, bidirectional overrides and the like. They occur
// within strings alone.
func escapeUnprintable(document []byte) []byte {
	if !slices.ContainsFunc(document, func(c byte) bool { return c >= 0x7f }) {
		return document
	}
	escaped := make([]byte, 0, len(document))
	for len(document) > 0 {
		r, size := utf8.DecodeRune(document)
		switch {
		case r < 0x7f || unicode.IsPrint(r):
			escaped = append(escaped, document[:size]...)
		// JSON writes characters beyond the first plane as a pair of surrogates.
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		default:
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		}
		document = document[size:]
	}
	return escaped
}

// withoutCommands escapes a sign of what a build server would take for a command. It occurs within
// strings alone.
func withoutCommands(document []byte) []byte {
	if !bytes.Contains(document, []byte("##")) {
		return document
	}
	return []byte(prose.BreakCommands(string(document), `\u0023`))
}

// write writes everything or returns an error.
func write(w io.Writer, content []byte) error {
	n, err := w.Write(content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
