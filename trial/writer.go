package trial

import (
	"bufio"
	"bytes"
	"io"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Writer writes trials as JSON lines. What a build server would take for a command is
// escaped, which changes no value. After an error it writes nothing more, and
// every later call returns that error.
type Writer struct {
	out *bufio.Writer
	// the line that is being written; its memory is used again
	line []byte
	err  error
}

// NewWriter returns a writer to w, which it buffers: the last trials are written
// by [Writer.Flush].
func NewWriter(w io.Writer) *Writer { return &Writer{out: bufio.NewWriterSize(w, 1<<16)} }

// Write writes one trial. It returns a [FieldError] for a trial that could not be
// read again, and otherwise the error of the underlying writer.
func (w *Writer) Write(t *Trial) error {
	if w.err != nil {
		return w.err
	}
	if w.line, w.err = Append(w.line[:0], t); w.err != nil {
		return w.err
	}
	// Lines of a log are where such servers look; a number sign stands within strings alone.
	if bytes.Contains(w.line, []byte("##")) {
		w.line = append(w.line[:0], prose.BreakCommands(string(w.line), `\u0023`)...)
	}
	w.line = append(w.line, '\n')
	_, w.err = w.out.Write(w.line)
	return w.err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}
