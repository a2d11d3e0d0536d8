package record

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/memory"
)

// Preparer makes something of a record that does not depend on the others. Several goroutines call it.
type Preparer[T any] interface {
	// Prepare makes it of the object that is the record.
	Prepare(n Node, at Line) T

	// PrepareText makes the same of a line. It is false where it does not, or where the cursor has not come to the end
	// of the text: then Prepare is asked.
	PrepareText(c *Cursor, at Line) (T, bool)
}

// Line is where a record stands.
type Line struct {
	Number int    // from 1
	Text   []byte // from its first brace on, valid until it was handed out; nil where the file is one value
}

// PreparedRecords is [Input.Records] for decoders that make something of a record that does not depend on the others:
// of JSON lines that is made by several goroutines, and handed out in the order of the file.
func PreparedRecords[T any](in *Input, prepare Preparer[T], read func(prepared T, line int) error) error {
	start, err := in.Text.Peek(PrefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	if in.IsOneValue(start) {
		return in.Records(func(n Node, line int) error { return read(prepare.Prepare(n, Line{Number: line}), line) })
	}
	p := &preparation[T]{in: in, prepare: prepare, read: read}
	err = in.EachLine(p.add)
	// What stands before the error comes first, and may have one of its own.
	if rest := p.end(); p.failed == nil && rest != nil {
		return rest
	}
	return err
}

// preparation is lines on their way through goroutines.
type preparation[T any] struct {
	in      *Input
	prepare Preparer[T]
	read    func(prepared T, line int) error

	filling *lineBatch[T]
	waiting []*lineBatch[T] // in the order of the file
	done    []*lineBatch[T] // that were handed out
	failed  error           // of read, which is asked no more then
	cursors sync.Pool       // of *Cursor, which know texts that come again
}

// lineBatch is lines that one goroutine prepares.
type lineBatch[T any] struct {
	text  []byte
	lines []preparedLine[T]
	done  chan struct{}
}

// preparedLine is a line of a batch.
type preparedLine[T any] struct {
	from, to int // in the text
	line     int
	bytes    int64 // that were taken for it
	isRead   bool  // it holds an object
	prepared T
}

// batchBytes is how long the text of a batch is, but for its last line.
const batchBytes = 128 << 10

// add takes in a line, and hands out what was prepared before.
func (p *preparation[T]) add(text []byte, line int) error {
	bytes := memory.OfJSON(text)
	if err := p.in.Memory.Take(bytes, p.in.File); err != nil {
		return err
	}
	b := p.filling
	if b == nil {
		b = p.emptyBatch()
		p.filling = b
	}
	from := len(b.text)
	b.text = append(b.text, text...)
	b.lines = append(b.lines, preparedLine[T]{from: from, to: len(b.text), line: line, bytes: bytes})
	if len(b.text) < batchBytes {
		return nil
	}
	p.start()
	for len(p.waiting) > runtime.GOMAXPROCS(0) && p.failed == nil {
		p.failed = p.handOut()
	}
	return p.failed
}

// emptyBatch returns a batch to fill, with the memory of one that was handed out if there is one.
func (p *preparation[T]) emptyBatch() *lineBatch[T] {
	b := &lineBatch[T]{}
	if n := len(p.done); n > 0 {
		b, p.done = p.done[n-1], p.done[:n-1]
	}
	b.text, b.lines, b.done = b.text[:0], b.lines[:0], make(chan struct{})
	return b
}

// start lets a goroutine prepare the batch that was filled.
func (p *preparation[T]) start() {
	b := p.filling
	p.filling = nil
	p.waiting = append(p.waiting, b)
	go func() {
		defer close(b.done)
		c, _ := p.cursors.Get().(*Cursor)
		if c == nil {
			c = &Cursor{}
		}
		defer p.cursors.Put(c)
		for i := range b.lines {
			p.prepareLine(c, b, &b.lines[i])
		}
	}()
}

// prepareLine makes what is made of a line.
func (p *preparation[T]) prepareLine(c *Cursor, b *lineBatch[T], x *preparedLine[T]) {
	text := b.text[x.from:x.to]
	at := Line{x.line, text[max(0, bytes.IndexByte(text, '{')):]}
	c.Begin(at.Text)
	if x.prepared, x.isRead = p.prepare.PrepareText(c, at); x.isRead && c.Ended() {
		return
	}
	n, err := c.json.node(at.Text)
	if x.isRead = err == nil && n.IsObject(); x.isRead {
		x.prepared = p.prepare.Prepare(n, at)
	}
}

// handOut hands out the first of the batches.
func (p *preparation[T]) handOut() error {
	b := p.waiting[0]
	p.waiting = p.waiting[1:]
	<-b.done
	for i := range b.lines {
		x := &b.lines[i]
		p.in.held += x.bytes
		if !x.isRead {
			p.in.Unread(b.text[x.from:x.to], x.line)
			continue
		}
		if err := p.read(x.prepared, x.line); err != nil {
			for _, rest := range b.lines[i+1:] {
				p.in.Memory.Give(rest.bytes)
			}
			return err
		}
		var none T
		x.prepared = none // it may be kept no longer than that
	}
	if cap(b.text) <= 2*batchBytes { // else a long line was in it
		p.done = append(p.done, b)
	}
	return nil
}

// end hands out the rest, unless an error came before, and waits for all goroutines.
func (p *preparation[T]) end() error {
	if p.filling != nil {
		p.start()
	}
	err := p.failed
	for len(p.waiting) > 0 {
		if err == nil {
			err = p.handOut()
			continue
		}
		b := p.waiting[0]
		p.waiting = p.waiting[1:]
		<-b.done
		for _, x := range b.lines {
			p.in.Memory.Give(x.bytes)
		}
	}
	return err
}
