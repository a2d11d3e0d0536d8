package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// everything reads the rest of the file, which a format without lines needs whole.
func (in *input) everything() ([]byte, error) {
	limit := in.options.maxDocumentBytes
	text, err := io.ReadAll(io.LimitReader(in.text, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > limit:
		return nil, &trial.FileError{
			File: in.file, Problem: "is longer than " + prose.ByteCount(limit) + ", which this format needs whole",
			Advice: "raise the limit with MaxDocumentBytes if there is the memory: it takes some ten times that",
			About:  "MaxDocumentBytes",
		}
	}
	return text, nil
}

// document reads the whole file as one JSON value.
func (in *input) document() (node, error) {
	text, err := in.everything()
	if err != nil {
		return node{}, err
	}
	n, err := decodeNode(text)
	if err != nil {
		return node{}, in.notJSON(err, text)
	}
	return n, nil
}

// notJSON gives an error of the decoder its place.
func (in *input) notJSON(err error, text []byte) error {
	e := &trial.SyntaxError{Place: trial.Place{File: in.file}, Problem: "is not JSON: " + err.Error()}
	offset := int64(len(text))
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = min(max(s.Offset-1, 0), offset)
		if s.Error() == "" {
			e.Problem = "more follows after the end of the JSON value"
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		e.Problem, e.Advice = "the JSON ends inside a value", "it seems to be cut off: was the program that wrote it stopped?"
	}
	before := text[:offset]
	e.Line = 1 + bytes.Count(before, []byte{'\n'})
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	return e
}

// records hands out the objects of a file that is one JSON array of them, one
// object, or JSON lines, with the line where each begins (1 for all of an array).
// Lines are read as a stream. Lines that are empty are passed over; what precedes
// the first brace of a line, such as the time of a log, is left out. A line without
// an object is counted as unread.
func (in *input) records(read func(n node, line int) error) error {
	start, err := in.text.Peek(prefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	if in.isOneValue(start) {
		document, err := in.document()
		if err != nil {
			return err
		}
		elements := []node{document}
		if document.isList() {
			elements = document.list()
		}
		for _, n := range elements {
			if !n.isObject() {
				in.notes.skip(noObject)
				continue
			}
			if err := read(n, 1); err != nil {
				return err
			}
		}
		return nil
	}
	return in.lines(read)
}

// isOneValue reports whether the file is an array, or one object on several lines.
func (in *input) isOneValue(start []byte) bool {
	text := bytes.TrimLeft(start, " \t\r\n")
	if len(text) == 0 || text[0] == '[' && !isLogLine(text) {
		return len(text) > 0
	}
	line, _, more := bytes.Cut(text, []byte{'\n'})
	return text[0] == '{' && more && !json.Valid(line)
}

// lines hands out the object of each line.
func (in *input) lines(read func(n node, line int) error) error {
	return in.eachLine(func(text []byte, line int) error {
		n, err := decodeNode(text[max(0, bytes.IndexByte(text, '{')):])
		if err != nil || !n.isObject() {
			in.unread(text, line)
			return nil
		}
		return read(n, line)
	})
}

// values hands out the values, objects or arrays, of a file that is one JSON value,
// or one a line.
func (in *input) values(read func(n node, line int) error) error {
	start, err := in.text.Peek(prefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	text := bytes.TrimLeft(start, " \t\r\n")
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	isLines := json.Valid(line) && len(bytes.TrimSpace(rest)) > 0 || len(text) > 0 && text[0] == '{' && !in.isOneValue(start)
	if !isLines {
		whole, err := in.everything()
		if err != nil {
			return err
		}
		n, err := decodeNode(whole)
		first, _, _ := bytes.Cut(bytes.TrimLeft(whole, " \t\r\n"), []byte{'\n'})
		switch {
		case err == nil:
			return read(n.parsed(), 1)
		case !json.Valid(first):
			return in.notJSON(err, whole)
		}
		in.text = bufio.NewReader(bytes.NewReader(whole)) // lines, and the first is long
	}
	return in.eachLine(func(text []byte, line int) error {
		n, err := decodeNode(text)
		if err != nil || !n.isObject() && !n.isList() {
			in.unread(text, line)
			return nil
		}
		return read(n, line)
	})
}

// eachLine hands out the lines that are not empty, without the space around them.
func (in *input) eachLine(read func(text []byte, line int) error) error {
	lines := &lineReader{text: in.text, limit: in.options.MaxLineBytes}
	for {
		line, err := lines.next()
		switch {
		case err == io.EOF:
			return nil
		case err == errLong:
			return in.tooLong("line", lines.line)
		case err != nil:
			return err
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := read(text, lines.line); err != nil {
				return err
			}
		}
	}
}

// unread counts a line that is not read.
func (in *input) unread(text []byte, line int) {
	in.notes.skip(noJSONObject)
	if text[0] == '{' {
		in.notes.remark(fmt.Sprintf("line %d is cut off or not JSON", line))
	}
}
