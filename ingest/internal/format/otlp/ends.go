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
	var ids []string
	for {
		line, err := lines.Next()
		if err == io.EOF {
			ends.Sort()
			return ends, nil
		}
		if err != nil {
			return nil, err
		}
		ids = ids[:0]
		for rest := range members(line, "race", "Id", "_id") {
			id := quoted(rest)
			if len(ids) > 0 && string(id) == ids[len(ids)-1] {
				continue // most spans of a line are of one trace
			}
			name, isKnown := known[string(id)]
			if !isKnown {
				if name = spanID(record.Node{Value: string(id)}); name != "" {
					known[string(id)] = name
				}
			}
			if name != "" {
				ids = append(ids, name)
			}
		}
		ends.Line(lines.Line, ids, earliest(line))
	}
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
