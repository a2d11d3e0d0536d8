package world

import (
	"bytes"
	"context"
	"errors"
	"io"
	"syscall"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// Deliver renders a result and writes it, to the file if there is one and to standard
// output if not. Nothing is written if rendering fails. Results are small beside the trials
// that they come from, so all of it is held in memory.
func (a *World) Deliver(ctx context.Context, to *outfile.File, render func(io.Writer) error) error {
	if to != nil && to.Key == nil {
		return to.Fill(ctx, render)
	}
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if to != nil {
		if err := to.Write(ctx, text.Bytes()); err != nil {
			return err
		}
		return outfile.Sign(ctx, to.Key, to.Path, text.Bytes())
	}
	_, err := a.Out.Write(text.Bytes())
	return err
}

// ResultWriter keeps the first error of writing to standard output, also where
// the caller, such as the printer of a help text, does not look at it.
type ResultWriter struct {
	Stream io.Writer
	err    error
}

// Err is that error; nil is none.
func (w *ResultWriter) Err() error { return w.err }

// Write writes to the stream, unless an earlier write failed.
func (w *ResultWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.Stream.Write(b)
	switch {
	// Who read it has seen enough, such as head; see [session.WithSignals].
	case errors.Is(err, syscall.EPIPE):
		w.err = &problem.ClosedPipe{Err: err}
	case err != nil:
		w.err = &problem.WriteError{Target: "standard output", Err: err}
	}
	return n, w.err
}
