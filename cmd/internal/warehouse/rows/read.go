package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// headerAdvice says where rows come from.
const headerAdvice = "tribunal import sql prints the query whose rows are read here"

// mostLine bounds a row, in bytes: ids of a sample of a thousand trials, and names.
const mostLine = 4 << 20

// Read reads rows as databases export them: CSV with a header, JSON lines, or one JSON list of objects; also
// compressed. The source is named in errors.
func Read(r io.Reader, source string) (*Rows, error) {
	text, err := trial.Decompress(r, source)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(text, 1<<16)
	switch first, err := firstByte(in); {
	case err == io.EOF:
		return nil, &Error{Source: source, Problem: "there is no row", Advice: headerAdvice}
	case err != nil:
		return nil, err
	case first == '{' || first == '[':
		return readJSON(in, source, first == '[')
	}
	return readCSV(in, source)
}

// firstByte is the first one that is no space and no mark of byte order.
func firstByte(in *bufio.Reader) (byte, error) {
	if mark, err := in.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return 0, err
		}
	}
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b, in.UnreadByte()
		}
	}
}

// From makes rows of the names of columns and of texts of their values, as a query gives them. The source is named in
// errors.
func From(source string, names []string, values iter.Seq2[[]string, error]) (*Rows, error) {
	all := &Rows{Source: source}
	lowered := make([]string, len(names))
	for i, name := range names {
		lowered[i] = strings.ToLower(strings.TrimSpace(name))
	}
	if err := checkHeader(lowered); err != nil {
		return nil, &Error{Source: source, Problem: err.Error(), Advice: headerAdvice}
	}
	number := 0
	for row, err := range values {
		if err != nil {
			return nil, err
		}
		number++
		c := cells{}
		for i, value := range row {
			c[lowered[i]] = value
		}
		if err := all.add(c, number); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add adds a row.
func (r *Rows) add(c cells, line int) error {
	if len(r.list) == MostRows {
		return &Error{Source: r.Source, Line: line, Problem: fmt.Sprintf("there are more than %d rows", MostRows),
			Advice: "count by scenario and variant, as tribunal import sql does"}
	}
	row, err := c.row()
	if err != nil {
		return &Error{Source: r.Source, Line: line, Problem: err.Error()}
	}
	row.line = line
	r.list = append(r.list, row)
	return nil
}

// readCSV reads a table with a header; its delimiter is a comma, a semicolon or a tab.
func readCSV(in *bufio.Reader, source string) (*Rows, error) {
	all := &Rows{Source: source}
	beginning, err := in.Peek(in.Size())
	if err != nil && err != io.EOF {
		return nil, err
	}
	table := csv.NewReader(&limitedReader{in: in, source: source})
	table.Comma = delimiter(beginning)
	table.ReuseRecord = true
	names, err := table.Read()
	if err != nil {
		return nil, all.broken(err)
	}
	header := make([]string, len(names))
	for i, name := range names {
		header[i] = strings.ToLower(strings.TrimSpace(name))
	}
	if err := checkHeader(header); err != nil {
		return nil, &Error{Source: source, Line: 1, Problem: err.Error(), Advice: headerAdvice}
	}
	for {
		values, err := table.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, all.broken(err)
		}
		c := cells{}
		for i, value := range values {
			c[header[i]] = strings.Clone(value)
		}
		line, _ := table.FieldPos(0)
		if err := all.add(c, line); err != nil {
			return nil, err
		}
	}
}

// delimiter is the one of the first line.
func delimiter(beginning []byte) rune {
	line, _, _ := bytes.Cut(beginning, []byte("\n"))
	for _, d := range []byte(",;\t") {
		if bytes.IndexByte(line, d) >= 0 {
			return rune(d)
		}
	}
	return ','
}

// limitedReader refuses a text that goes on for too long without the end of a line.
type limitedReader struct {
	in     io.Reader
	source string
	since  int
}

func (l *limitedReader) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	if last := bytes.LastIndexByte(b[:n], '\n'); last >= 0 {
		l.since = n - last
	} else {
		l.since += n
	}
	if l.since > mostLine {
		return 0, &Error{Source: l.source, Problem: "a line is longer than " + prose.ByteCount(mostLine)}
	}
	return n, err
}

// broken says where a table is none.
func (r *Rows) broken(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return &Error{Source: r.Source, Line: e.Line, Problem: e.Err.Error(), Advice: headerAdvice}
	}
	return err
}

// readJSON reads an object a row: one a line, or a list of them.
func readJSON(in *bufio.Reader, source string, list bool) (*Rows, error) {
	all := &Rows{Source: source}
	decoder := json.NewDecoder(&limitedReader{in: in, source: source})
	decoder.UseNumber()
	if list {
		if _, err := decoder.Token(); err != nil {
			return nil, all.noJSON(err, 0)
		}
	}
	for line := 1; ; line++ {
		if list && !decoder.More() {
			return all, nil
		}
		var object map[string]any
		err := decoder.Decode(&object)
		if err == io.EOF && !list {
			return all, nil
		}
		if err != nil {
			return nil, all.noJSON(err, line)
		}
		c := cells{}
		for name, value := range object {
			text, err := textOf(value)
			if err != nil {
				return nil, &Error{Source: source, Line: line, Problem: prose.Quote(name) + " " + err.Error()}
			}
			c[strings.ToLower(name)] = text
		}
		if err := all.addObject(c, line); err != nil {
			return nil, err
		}
	}
}

// addObject adds a row that says what its columns are.
func (r *Rows) addObject(c cells, line int) error {
	for _, name := range required() {
		if _, there := c[name]; !there {
			return &Error{Source: r.Source, Line: line, Problem: "there is no member " + name, Advice: headerAdvice}
		}
	}
	return r.add(c, line)
}

// textOf is the text of a value; of a list of texts they are joined.
func textOf(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case []any:
		parts := make([]string, 0, len(v))
		for _, inner := range v {
			text, ok := inner.(string)
			if !ok {
				break
			}
			parts = append(parts, text)
		}
		if len(parts) == len(v) {
			return strings.Join(parts, " "), nil
		}
	}
	return "", errors.New("is no text and no number")
}

// noJSON says where a text is no JSON.
func (r *Rows) noJSON(err error, line int) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		return e
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Source: r.Source, Line: line, Problem: "the JSON is cut off",
			Advice: "was the copy or the program that wrote it stopped?"}
	}
	return &Error{Source: r.Source, Line: line, Problem: "is no JSON object of a row: " + prose.Reason(err.Error())}
}
