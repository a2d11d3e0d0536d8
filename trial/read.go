package trial

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"runtime"
)

// Read reads a stream of trials: JSON lines, or one JSON array of trials, or
// JSON objects that each span several lines; compressed with gzip or not. Blank
// lines, a byte order mark and carriage returns at line ends are skipped.
//
// The trials come in their order. A trial is valid until the next one is asked
// for, and its memory is used again then; [Trial.Clone] keeps it, and its
// strings may be kept in any case. The first error ends the stream: it is a
// [SyntaxError], a [FieldError], a [FileError] or an [OptionError]. A stream
// without trials is not an error.
//
// JSON lines are decoded by several goroutines, which end when the loop over the
// stream does. One that waits in r.Read ends when that returns. Memory does not
// grow with the stream: it is a few blocks of text, or of the longest line.
func Read(r io.Reader, o Options) iter.Seq2[*Trial, error] {
	return read(r, o, blockBytes)
}

// read is [Read] with blocks of a size, which tests make small.
func read(r io.Reader, o Options, blockBytes int) iter.Seq2[*Trial, error] {
	return func(yield func(*Trial, error) bool) {
		if err := o.Validate(); err != nil {
			yield(nil, err)
			return
		}
		text, err := Decompress(r, o.File)
		if err != nil {
			yield(nil, err)
			return
		}
		// Small: it is there for a look at the beginning, and blocks are read past it.
		source := bufio.NewReaderSize(text, 1<<12)
		if head, _ := source.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) {
			source.Discard(len(byteOrderMark))
		}
		if spansLines(source) {
			readDocument(source, o, yield)
			return
		}
		readLines(source, o, blockBytes, yield)
	}
}

// spansLines reports whether the stream begins as a JSON array does, or as an
// object that goes on after the first line. Such values are read one by one.
func spansLines(source *bufio.Reader) bool {
	head, _ := source.Peek(source.Size()) // an error comes again when the stream is read
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 {
		return false
	}
	if head[0] == '[' {
		return true
	}
	rest := bytes.TrimLeft(head[1:], " \t\r")
	return head[0] == '{' && len(rest) > 0 && rest[0] == '\n'
}

// readLines hands out the trials of JSON lines, decoded in parallel.
func readLines(source io.Reader, o Options, blockBytes int, yield func(*Trial, error) bool) {
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := newSplitter(source, o, blockBytes, workers)
	defer close(s.stop)
	go s.run()
	for range workers {
		go decodeBatches(s.work, o)
	}
	place := Place{File: o.File}
	for b := range s.ordered {
		// Batches come in the order of the stream; this one may not be decoded yet.
		<-b.decoded
		for i := range b.trials {
			t := &b.trials[i]
			t.Place.File = o.File
			t.Place.Line += place.Line
			if !yield(t, nil) {
				return
			}
		}
		if b.err != nil {
			locate(b.err, place)
			yield(nil, b.err)
			return
		}
		// Places within a batch are counted from its first line.
		place.Line += b.lines
		// Only now: the trials that were handed out lie in its arenas.
		s.free <- b
	}
}

// decodeBatches decodes what comes until the channel is closed.
func decodeBatches(work <-chan *batch, o Options) {
	d := newDecoder(o)
	d.names = newInterner()
	for b := range work {
		b.decode(d, o)
		b.decoded <- struct{}{}
	}
}

// errLongLine is replaced by an error with a place.
var errLongLine = errors.New("line too long")
