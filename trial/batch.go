package trial

import (
	"bytes"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// batch is a block of lines on its way through the goroutines, and what came of
// it. It belongs to one goroutine at a time.
//
// Its life: filled by the splitter, decoded by a worker, handed out by the reader, given back.
type batch struct {
	block   []byte // whole lines; the last of the stream may lack its newline
	own     []byte // the usual buffer of the block
	failure error  // of reading what follows the block

	// decoded so far; used again after reset, like the two arenas below
	trials []Trial
	lines  int   // decoded
	err    error // ends the stream after the trials; its line is relative
	// arena of the steps of all trials
	steps []Step
	// arena of their members that are not known fields
	members []Member
	// receives once when a worker is done; has room for that, so that no worker waits
	decoded chan struct{}
}

// newBatch returns an empty batch with a buffer for a block.
func newBatch(blockBytes int) *batch {
	block := make([]byte, 0, blockBytes)
	return &batch{block: block, own: block, decoded: make(chan struct{}, 1)}
}

// reset empties the batch. What a long line needed is given back.
//
// Trials of a long line may hold arenas of its size, which must not stay in every batch.
func (b *batch) reset() {
	if cap(b.block) > cap(b.own) {
		b.trials, b.steps, b.members = nil, nil, nil
	}
	b.block, b.trials, b.steps, b.members = b.own[:0], b.trials[:0], b.steps[:0], b.members[:0]
	b.lines, b.failure, b.err = 0, nil, nil
}

// decode decodes the block up to its first error.
func (b *batch) decode(d *decoder, o Options) {
	d.steps, d.members = b.steps, b.members
	rest := b.block
	for len(rest) > 0 && b.err == nil {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		b.lines++
		b.err = b.line(d, line, o.maxLineBytes())
	}
	// An error in the block comes first: it stands before what could not be read.
	if b.err == nil && b.failure != nil {
		b.lines++
		b.err = b.failure
		if b.failure == errLongLine {
			b.err = longLine(o.maxLineBytes(), b.lines)
		} else {
			b.err = readError(o.File, b.err)
		}
	}
	b.steps, b.members = d.steps, d.members
}

// line decodes one line, unless it is blank.
func (b *batch) line(d *decoder, line []byte, limit int) error {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(line) > limit {
		return longLine(limit, b.lines)
	}
	if len(line) == 0 || line[0] != '{' && len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return nil
	}
	b.trials = append(b.trials, Trial{})
	t := &b.trials[len(b.trials)-1]
	if err := d.trial(t, line); err != nil {
		b.trials = b.trials[:len(b.trials)-1]
		locate(err, Place{Line: b.lines})
		return err
	}
	t.Place.Line = b.lines
	return nil
}

// longLine says that a line of the block is longer than the limit.
func longLine(limit, line int) *SyntaxError {
	return &SyntaxError{
		Place:   Place{Line: line},
		Problem: fmt.Sprintf("the line is longer than %s", prose.ByteCount(limit)),
		Advice:  "raise the limit with MaxLineBytes if it is really one trial",
		About:   "MaxLineBytes",
	}
}
