package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Everything reads the rest of the file, which a format without lines needs whole.
func (in *Input) Everything() ([]byte, error) {
	limit := in.Options.MaxDocumentBytes
	text, err := io.ReadAll(io.LimitReader(in.Text, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > limit:
		return nil, &trial.FileError{
			File: in.File, Problem: "is longer than " + prose.ByteCount(limit) + ", which this format needs whole",
			Advice: "raise the limit with MaxDocumentBytes if there is the memory: it takes some ten times that",
			About:  "MaxDocumentBytes",
		}
	}
	return text, nil
}

// Document reads the whole file as one JSON value.
func (in *Input) Document() (Node, error) {
	text, err := in.Everything()
	if err != nil {
		return Node{}, err
	}
	in.whole = true
	n, err := in.Decode(text)
	switch {
	case OutOfMemory(err):
		return Node{}, err
	case err != nil:
		return Node{}, in.notJSON(err, text)
	}
	return n, nil
}

// OutOfMemory reports whether an error says that there is not the memory.
func OutOfMemory(err error) bool {
	_, ok := errors.AsType[*memory.Error](err)
	return ok
}

// notJSON gives an error of the decoder its place.
// The decoder tells an offset; people need a line and a column, in bytes from 1.
func (in *Input) notJSON(err error, text []byte) error {
	e := &trial.SyntaxError{Place: trial.Place{File: in.File}, Problem: "is not JSON: " + err.Error()}
	offset := int64(len(text))
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = min(max(s.Offset-1, 0), offset)
		if s.Error() == "" {
			e.Problem = "more follows after the end of the JSON value"
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		e.Problem, e.Advice = "the JSON ends inside a value",
			"it seems to be cut off: was the program that wrote it stopped?"
	}
	before := text[:offset]
	e.Line = 1 + bytes.Count(before, []byte{'\n'})
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	return e
}

// Records hands out the objects of a file that is one JSON array of them, one
// object, or JSON lines, with the line where each begins (1 for all of an array).
// Lines are read as a stream. Lines that are empty are passed over; what precedes
// the first brace of a line, such as the time of a log, is left out. A line without
// an object is counted as unread.
func (in *Input) Records(read func(n Node, line int) error) error {
	start, err := in.Text.Peek(PrefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	if in.IsOneValue(start) {
		document, err := in.Document()
		if err != nil {
			return err
		}
		elements := []Node{document}
		if document.IsList() {
			elements = document.List()
		}
		for _, n := range elements {
			if !n.IsObject() {
				in.Notes.Skip(NoObject)
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

// IsOneValue reports whether the file is an array, or one object on several lines.
// An object whose first line is valid by itself is the first of JSON lines.
func (in *Input) IsOneValue(start []byte) bool {
	text := bytes.TrimLeft(start, " \t\r\n")
	if len(text) == 0 || text[0] == '[' && !IsLogLine(text) {
		return len(text) > 0
	}
	line, _, more := bytes.Cut(text, []byte{'\n'})
	return text[0] == '{' && more && !json.Valid(line)
}

// lines hands out the object of each line.
func (in *Input) lines(read func(n Node, line int) error) error {
	return in.EachLine(func(text []byte, line int) error {
		if text = eventData(text); len(text) == 0 {
			return nil
		}
		n, err := in.Decode(text[max(0, bytes.IndexByte(text, '{')):])
		if OutOfMemory(err) {
			return err
		}
		if err != nil || !n.IsObject() {
			in.Unread(text, line)
			return nil
		}
		return read(n, line)
	})
}

// Values hands out the values, objects or arrays, of a file that is one JSON value,
// or one a line.
// What the first line is decides; where it is longer than the prefix, the whole file does.
func (in *Input) Values(read func(n Node, line int) error) error {
	start, err := in.Text.Peek(PrefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	text := bytes.TrimLeft(start, " \t\r\n")
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	isLines := isEventLine(line) || json.Valid(line) && len(bytes.TrimSpace(rest)) > 0 ||
		len(text) > 0 && text[0] == '{' && !in.IsOneValue(start)
	if !isLines {
		whole, err := in.Everything()
		if err != nil {
			return err
		}
		in.whole = true
		n, err := in.Decode(whole)
		first, _, _ := bytes.Cut(bytes.TrimLeft(whole, " \t\r\n"), []byte{'\n'})
		switch {
		case OutOfMemory(err):
			return err
		case err == nil:
			return read(n.Parsed(), 1)
		case !json.Valid(first):
			return in.notJSON(err, whole)
		}
		in.whole = false
		in.Text = bufio.NewReader(bytes.NewReader(whole)) // lines, and the first is long
	}
	return in.EachLine(func(text []byte, line int) error {
		if text = eventData(text); len(text) == 0 {
			return nil
		}
		n, err := in.Decode(text)
		if OutOfMemory(err) {
			return err
		}
		if err != nil || !n.IsObject() && !n.IsList() {
			in.Unread(text, line)
			return nil
		}
		return read(n, line)
	})
}

// isEventLine reports whether a line is one of a stream of events (HTML, section 9.2), as models answer in parts:
//
//	event: message_start
//	data: {"type":"message_start"}
func isEventLine(line []byte) bool {
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// eventData is what a line of a stream of events carries, nothing if that is no data. Any other line stays as it is,
// and so does one with an object: logs put words of their own before it.
func eventData(line []byte) []byte {
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	switch {
	case isData && string(data) != "[DONE]":
		return data
	case isEventLine(line) && bytes.IndexByte(line, '{') < 0:
		return nil
	}
	return line
}

// EachLine hands out the lines that are not empty, without the space around them.
func (in *Input) EachLine(read func(text []byte, line int) error) error {
	return in.EachWholeLine(func(whole []byte, line int) error {
		if text := bytes.TrimSpace(whole); len(text) > 0 {
			return read(text, line)
		}
		return nil
	})
}

// EachWholeLine hands out the lines without their ends.
func (in *Input) EachWholeLine(read func(whole []byte, line int) error) error {
	lines := &LineReader{Text: in.Text, Limit: in.Options.MaxLineBytes}
	for {
		line, err := lines.Next()
		switch {
		case err == io.EOF:
			return nil
		case err == ErrLong:
			return in.TooLong("line", lines.Line)
		case err != nil:
			return err
		}
		if err := read(line, lines.Line); err != nil {
			return err
		}
	}
}

// Unread counts a line that is not read.
// Only a line that looks like JSON gets a remark: others are lines of a log.
func (in *Input) Unread(text []byte, line int) {
	in.Notes.Skip(noJSONObject)
	if text[0] == '{' {
		in.Notes.Remark(fmt.Sprintf("line %d is cut off or not JSON", line))
	}
}
