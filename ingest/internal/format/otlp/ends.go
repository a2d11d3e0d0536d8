package otlp

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// readEnds finds where each trace of a file of lines ends, and when it may have begun, without reading the lines as
// JSON: a text that looks like a member only makes a trace end later, or begin earlier, than it does.
func readEnds(text *bufio.Reader, longest int) (*record.Ends, error) {
	ends := &record.Ends{}
	lines := &record.LineReader{Text: text, Limit: longest}
	known := map[string]string{} // ids as they are written, and as they are read
	number := 0
	var ids []string
	use := func(b *endsBatch) error {
		from := 0
		for _, l := range b.lines {
			ids = ids[:0]
			for _, id := range b.ids[from:l.ids] {
				name, isKnown := known[string(id)]
				if !isKnown {
					name = idOf(string(id))
					known[string(id)] = name
				}
				if name != "" {
					ids = append(ids, name)
				}
			}
			number++
			ends.Line(number, ids, l.from)
			from = l.ids
		}
		return nil
	}
	next := func(b *endsBatch) error { return b.fill(lines) }
	if err := record.Ahead(1, next, (*endsBatch).look, use); err != nil {
		return nil, err
	}
	ends.Sort()
	return ends, nil
}

// endsBatch is lines of a file, and what they say of the ends of traces.
type endsBatch struct {
	text  []byte
	lines []lineEnds
	ids   [][]byte // of traces, as they are written
}

// lineEnds is what a line says.
type lineEnds struct {
	to   int   // its end in the text
	ids  int   // how many ids it and the lines before it name
	from int64 // the earliest start
}

// endsBatchBytes is how long the text of a batch is, but for its last line.
const endsBatchBytes = 128 << 10

// fill reads the next lines.
func (b *endsBatch) fill(lines *record.LineReader) error {
	b.text, b.lines, b.ids = b.text[:0], b.lines[:0], b.ids[:0]
	for len(b.text) < endsBatchBytes {
		line, err := lines.Next()
		if err == io.EOF && len(b.lines) > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		b.text = append(b.text, line...)
		b.lines = append(b.lines, lineEnds{to: len(b.text)})
	}
	return nil
}

// look looks for what the lines say.
func (b *endsBatch) look() error {
	from := 0
	for i := range b.lines {
		l := &b.lines[i]
		line := b.text[from:l.to]
		first := len(b.ids)
		for rest := range members(line, "race", "Id", "_id") {
			// Most spans of a line are of one trace.
			if id := quoted(rest); len(b.ids) == first || !bytes.Equal(id, b.ids[len(b.ids)-1]) {
				b.ids = append(b.ids, id)
			}
		}
		l.ids, l.from = len(b.ids), earliest(line)
		from = l.to
	}
	return nil
}

// earliest is the first start of the spans of a line. Log records tell none and begin no trace.
func earliest(line []byte) int64 {
	from := int64(record.Never)
	for rest := range members(line, "tart", "TimeUnixNano", "_time_unix_nano") {
		digits := quoted(rest)
		if digits == nil {
			digits = rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]
		}
		at, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil {
			at = record.Always
		}
		from = min(from, at)
	}
	if from != record.Never ||
		bytes.Contains(line, []byte(`"resourceLogs"`)) || bytes.Contains(line, []byte(`"resource_logs"`)) {
		return from
	}
	return record.Always
}

// members yields what follows the names of members that begin with a letter and the stem and end in one of two ways,
// from their value on.
func members(line []byte, stem, end, other string) func(yield func(rest []byte) bool) {
	return func(yield func(rest []byte) bool) {
		for {
			at := bytes.Index(line, []byte(stem))
			if at < 0 {
				return
			}
			line = line[at+len(stem):]
			rest, found := bytes.CutPrefix(line, []byte(end))
			if !found {
				rest, found = bytes.CutPrefix(line, []byte(other))
			}
			if !found {
				continue
			}
			rest, found = bytes.CutPrefix(rest, []byte{'"'})
			if !found {
				continue
			}
			rest, found = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte{':'})
			if found && !yield(bytes.TrimLeft(rest, " \t")) {
				return
			}
		}
	}
}

// quoted is the text that a value begins with, nil where it is none.
func quoted(rest []byte) []byte {
	text, found := bytes.CutPrefix(rest, []byte{'"'})
	end := bytes.IndexByte(text, '"')
	if !found || end < 0 {
		return nil
	}
	return text[:end]
}
