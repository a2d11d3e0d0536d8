package watching

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// lineReader takes trials in as their lines come, of formats in which a trial is a line; of others the whole text, once
// it has ended.
type lineReader struct {
	name    string
	options ingest.Options
	follow  bool
	take    func(name string, text []byte, from ingest.Format) error

	format ingest.Format // once it is known
	known  bool
	header []byte // of CSV
	lines  int    // that were taken in
	held   []byte // what is no whole line yet, or no whole text
}

// inLines are the formats in which a trial is a line.
var inLines = map[ingest.Format]bool{ingest.Trials: true, "lines": true, "csv": true}

// detectedBy is how many bytes tell a format, if so many are there.
const detectedBy = 4096

// add takes in what has come.
func (l *lineReader) add(text []byte) error {
	l.held = append(l.held, text...)
	end := bytes.LastIndexByte(l.held, '\n') + 1
	if end == 0 && len(l.held) < detectedBy {
		return nil
	}
	if !l.known {
		if err := l.detect(end > 0); err != nil || !l.known {
			return err
		}
	}
	most := int(l.options.MaxLineBytes)
	if !inLines[l.format] {
		end, most = 0, l.options.MaxDocumentBytes
	}
	if len(l.held)-end > most {
		return problem.BadInput(fmt.Sprintf("%s: after line %d there is no end of a line, or of the text, within %s", l.name,
			l.lines,
			prose.ByteCount(most)), "is it a file of trials?")
	}
	if end == 0 {
		return nil
	}
	return l.hand(end)
}

// detect tells the format from the beginning.
func (l *lineReader) detect(wholeLine bool) error {
	l.format, l.known = l.options.From, true
	if l.options.Map != "" {
		l.format = ingest.Mapped
	}
	if l.format == ingest.Auto {
		format, err := ingest.Detect(l.held)
		switch {
		case err != nil && len(l.held) < detectedBy:
			l.known = false // more of it may tell
			return nil
		case err != nil:
			return err
		}
		l.format = format
	}
	// Compressed text is in no lines, nor is a JSON array, whatever the format.
	first := bytes.TrimLeft(l.held, "\ufeff \t\r\n")
	if packed(l.held) || len(first) > 0 && first[0] == '[' {
		l.format = ""
	}
	if !inLines[l.format] && l.follow {
		return problem.BadInput(l.name+" is not in a format in which each line is a trial, and cannot be followed",
			"omit --follow and run monitor again with the same --state: what was read is not counted again")
	}
	if l.format == "csv" && wholeLine {
		l.header = bytes.Clone(l.held[:bytes.IndexByte(l.held, '\n')+1])
	}
	l.known = wholeLine || !inLines[l.format]
	return nil
}

// packed reports whether a text is compressed, by the first bytes of gzip, zstd and bzip2.
func packed(text []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return true
		}
	}
	return false
}

// hand hands over the lines that are whole.
func (l *lineReader) hand(end int) error {
	text := l.held[:end]
	name := l.name
	if l.lines > 0 {
		name = fmt.Sprintf("%s, after line %d", l.name, l.lines)
		text = append(bytes.Clone(l.header), text...)
	}
	lines := bytes.Count(l.held[:end], []byte{'\n'})
	blank := len(bytes.TrimSpace(l.held[:end])) == 0 || l.format == "csv" && l.lines == 0 && lines == 1
	if !blank {
		if err := l.take(name, text, l.format); err != nil {
			return err
		}
	}
	l.lines += lines
	l.held = append(l.held[:0], l.held[end:]...)
	return nil
}

// end takes in what is left when the text has ended.
func (l *lineReader) end() error {
	if l.known && inLines[l.format] {
		if len(bytes.TrimSpace(l.held)) == 0 {
			return nil
		}
		return l.hand(len(l.held))
	}
	from := l.options.From
	return l.take(l.name, l.held, from)
}

// open opens standard input, or a file that is followed.
func (w *watch) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(w.app.Stdin), nil
	}
	file, err := input.Open(ctx, name)
	if err != nil {
		return nil, problem.BadInput(fmt.Sprintf("%s cannot be opened: %v", prose.FileName(name), problem.WithoutPath(err)),
			"check the name")
	}
	return &growingFile{ctx: ctx, file: file}, nil
}

// growingFile is a file that is read on as it grows.
type growingFile struct {
	ctx  context.Context
	file *os.File
	read int64
}

// Close closes the file.
func (g *growingFile) Close() error { return g.file.Close() }

// Read waits for more at the end, until the context ends.
func (g *growingFile) Read(b []byte) (int, error) {
	for {
		n, err := g.file.Read(b)
		g.read += int64(n)
		if n > 0 || err != nil && err != io.EOF {
			return n, err
		}
		if info, err := g.file.Stat(); err == nil && info.Size() < g.read {
			return 0, problem.BadInput(prose.FileName(g.file.Name())+" has become shorter while it was followed",
				"follow a file that only grows")
		}
		select {
		case <-g.ctx.Done():
			return 0, io.EOF
		case <-time.After(lookEvery):
		}
	}
}

// readBlocks hands over what it reads until the end, or that of the context.
func readBlocks(ctx context.Context, from io.Reader, to chan<- []byte) error {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			select {
			case to <- bytes.Clone(buffer[:n]):
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
