package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// ErrLong is replaced by an error with a place.
var ErrLong = errors.New("record too long")

// LimitedReader is a reader that fails when one record takes more than the limit, for
// decoders that would hold it whole.
type LimitedReader struct {
	Source io.Reader // what is read
	Limit  int       // bytes a record
	read   int       // since the record began, at most
}

// ahead is what a decoder may read beyond a record.
const ahead = 1 << 13

// Read reads as the source does, or returns [ErrLong].
func (l *LimitedReader) Read(b []byte) (int, error) {
	if l.read > l.Limit+ahead {
		return 0, ErrLong
	}
	n, err := l.Source.Read(b[:min(len(b), ahead/2)])
	l.read += n
	return n, err
}

// Next begins a record.
func (l *LimitedReader) Next() { l.read = 0 }

// TooLong says that a record is longer than the limit.
func (in *Input) TooLong(record string, line int) error {
	return &trial.SyntaxError{
		Place:   in.Place(line),
		Problem: fmt.Sprintf("the %s is longer than %s", record, prose.ByteCount(in.Options.MaxLineBytes)),
		Advice:  "raise the limit with MaxLineBytes if it is really one",
		About:   "MaxLineBytes",
	}
}

// LineReader reads lines up to a limit.
type LineReader struct {
	Text  *bufio.Reader // what is read
	Limit int           // bytes a line, without its end
	Line  int           // number of the last line read, from 1
	long  []byte
}

// Next returns the next line without its end, valid until the next call; io.EOF
// after the last.
func (r *LineReader) Next() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.Text.ReadSlice('\n')
		whole := part
		if len(r.long) > 0 || err == bufio.ErrBufferFull {
			r.keep(part)
			whole = r.long
		}
		switch {
		case err == bufio.ErrBufferFull && len(whole) <= r.Limit+len("\r\n"):
			continue
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return nil, err
		case err == io.EOF && len(whole) == 0:
			return nil, io.EOF
		}
		r.Line++
		if whole = trimEnd(whole); len(whole) > r.Limit {
			return nil, ErrLong
		}
		return whole, nil
	}
}

// keep appends a part of a long line. Its buffer grows in few, large steps: the
// memory of all the steps counts.
func (r *LineReader) keep(part []byte) {
	if need := len(r.long) + len(part); need > cap(r.long) {
		most := r.Limit + len("\r\n") + len(part)
		r.long = append(make([]byte, 0, max(need, min(8*need, most))), r.long...)
	}
	r.long = append(r.long, part...)
}

// trimEnd cuts the end of a line, of Unix or of Windows.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
