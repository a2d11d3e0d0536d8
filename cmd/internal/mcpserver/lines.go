package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines hands on the lines of an input that are messages of JSON-RPC, and answers each other one with an error: that
// one line cannot be read is no end of the others.
type lines struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer
	left []byte // of the line that is handed on
	err  error  // of the input, told once the last line was handed on
}

// newLines reads an input, and returns an output beside which its errors are written.
func newLines(in io.ReadCloser, out io.WriteCloser) (*lines, *lockedWriter) {
	shared := &lockedWriter{WriteCloser: out}
	return &lines{Closer: in, in: bufio.NewReaderSize(in, 64<<10), out: shared}, shared
}

// Read hands on what can be read.
func (l *lines) Read(to []byte) (int, error) {
	for len(l.left) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		line, long, err := l.next()
		l.err = err
		if line = bytes.TrimSpace(line); len(line) == 0 && !long {
			continue
		}
		if wrong := unread(line, long); wrong != nil {
			if _, err := l.out.Write(wrong); err != nil {
				return 0, err
			}
			continue
		}
		l.left = append(line, '\n')
	}
	n := copy(to, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next reads a line, of one that is too long the beginning.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > mostRequestBytes {
			long = true
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// unread is the answer to a line that is no message; nil for one that is.
func unread(line []byte, long bool) []byte {
	code, text := jsonrpc.CodeInvalidRequest, ""
	var is struct {
		ID json.RawMessage `json:"id"`
	}
	switch _, err := jsonrpc.DecodeMessage(line); {
	case long:
		text = fmt.Sprintf("the request has more than %d bytes", mostRequestBytes)
	case !json.Valid(line):
		code, text = jsonrpc.CodeParseError, "the line is no JSON"
	case err == nil:
		return nil
	case line[0] == '[':
		text = "requests come one by one, each in a line"
	default:
		text = "the line is no request of JSON-RPC 2.0"
		// An ID is a text or a number, or it is none.
		if json.Unmarshal(line, &is) != nil || len(is.ID) == 0 || bytes.ContainsAny(is.ID[:1], "{[tf") {
			is.ID = nil
		}
	}
	answer, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // null where it is not known
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", is.ID, jsonrpc.Error{Code: int64(code), Message: text}})
	if err != nil {
		return nil // not reached: it holds texts and a value that was read
	}
	return append(answer, '\n')
}

// lockedWriter is an output to which several write whole lines.
type lockedWriter struct {
	io.WriteCloser
	mutex sync.Mutex
}

// Write writes a line.
func (o *lockedWriter) Write(line []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.WriteCloser.Write(line)
}
