package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// contextReader is a reader that reads no further when the context has ended.
type contextReader struct {
	ctx    context.Context
	source io.Reader
}

// Read reads from the source, unless the context has ended.
func (r *contextReader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.source.Read(b)
}

// interruptible returns a reader of the source that the end of the context ends, also
// while it waits, and a function to call when no more is read. Files on a disk are
// never waited for. A read of a pipe or a terminal cannot be taken back: the one that
// waits when the context ends goes on until something comes.
func interruptible(ctx context.Context, source io.Reader) (text io.Reader, end func()) {
	if file, ok := source.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return &contextReader{ctx, source}, func() {}
		}
	}
	r := &pumpedReader{ctx: ctx, blocks: make(chan block), stop: make(chan struct{})}
	go r.pump(source)
	return r, func() { close(r.stop) }
}

// pumpedReader is a reader of what a goroutine reads.
type pumpedReader struct {
	ctx    context.Context
	blocks chan block
	stop   chan struct{} // closed when no more is read
	left   block         // of the last block, what was not read yet
}

// block is what one read gave.
type block struct {
	text     []byte
	err      error
	panicked *readerPanic // nil if the source did not panic
}

// pump reads ahead, by one block at most, into two buffers in turn.
func (r *pumpedReader) pump(source io.Reader) {
	var buffers [2][record.PrefixBytes]byte
	for i := 0; ; i = 1 - i {
		next := readBlock(source, buffers[i][:])
		select {
		case r.blocks <- next:
		case <-r.stop:
			return
		}
		if next.err != nil || next.panicked != nil {
			return
		}
	}
}

// readBlock reads once. A panic is for the goroutine that reads the stream, where the
// caller may recover.
func readBlock(source io.Reader, buffer []byte) (b block) {
	defer func() {
		if value := recover(); value != nil {
			b.panicked = &readerPanic{value, debug.Stack()}
		}
	}()
	n, err := source.Read(buffer)
	return block{text: buffer[:n], err: err}
}

// readerPanic is a panic of a reader in the goroutine that called it.
type readerPanic struct {
	value any
	stack []byte
}

// Error is the value of the panic as text.
func (p *readerPanic) Error() string { return fmt.Sprint(p.value) }

// Stack returns where the reader panicked.
func (p *readerPanic) Stack() []byte { return p.stack }

// Read waits for what the goroutine reads, or for the end of the context.
func (r *pumpedReader) Read(b []byte) (int, error) {
	for len(r.left.text) == 0 {
		switch {
		case r.left.panicked != nil:
			panic(r.left.panicked)
		case r.left.err != nil:
			return 0, r.left.err
		}
		select {
		case <-r.ctx.Done():
			r.left.err = context.Cause(r.ctx)
		case r.left = <-r.blocks:
		}
	}
	n := copy(b, r.left.text)
	r.left.text = r.left.text[n:]
	return n, nil
}
