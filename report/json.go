package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	// The document is no part of a page: its texts stay readable.
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(result); err != nil {
		return fmt.Errorf("result cannot be written as JSON: %w", err)
	}
	return write(w, withoutCommands(escapeUnprintable(document.Bytes())))
}

// escapeUnprintable writes as \uXXXX what encoding/json passes on: DEL, the second
// set of control characters, bidirectional overrides and the like. They occur
// within strings alone.
func escapeUnprintable(document []byte) []byte {
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
