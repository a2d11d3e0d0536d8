package trial

import (
	"bytes"
	"io"
)

// blockBytes is the text that is decoded at a time: large enough that handing it
// over costs nothing, small enough that a few fit the cache.
const blockBytes = 128 << 10

// splitter cuts a stream into blocks of whole lines. It sends every block to the
// workers and, in order, to the one who hands out the trials.
type splitter struct {
	source     io.Reader
	limit      int // of a line, in bytes
	blockBytes int

	work    chan *batch
	ordered chan *batch
	free    chan *batch // batches to use again
	stop    chan struct{}

	unmade int      // batches that may still be made
	idle   []*batch // taken from free
	large  []byte   // the one buffer for lines that are longer than a block
	lent   *batch   // has large, until it comes back
	carry  []byte   // what followed the last whole line
}

// newSplitter returns a splitter for so many workers. Nothing is read before it runs.
func newSplitter(source io.Reader, o Options, blockBytes, workers int) *splitter {
	batches := 2*workers + 1 // one a worker, one waiting for it, one being filled
	return &splitter{
		source:     source,
		limit:      o.maxLineBytes(),
		blockBytes: blockBytes,
		work:       make(chan *batch, batches),
		ordered:    make(chan *batch, batches),
		free:       make(chan *batch, batches),
		stop:       make(chan struct{}),
		unmade:     batches,
	}
}

// run sends blocks until the stream ends, fails, or is stopped. The channels hold
// every batch there is, so that sending never waits.
func (s *splitter) run() {
	defer close(s.ordered)
	defer close(s.work)
	for more := true; more; {
		b := s.batch()
		if b == nil {
			return
		}
		more = s.fill(b)
		s.ordered <- b
		s.work <- b
	}
}

// batch returns an empty batch, or nil after the stop. While a long line is on
// its way it waits for that: a stream of long lines takes the memory of one.
func (s *splitter) batch() *batch {
	for s.lent != nil || len(s.idle) == 0 {
		select {
		case <-s.stop:
			return nil
		case b := <-s.free:
			s.takeBack(b)
			continue
		default:
		}
		if s.lent == nil && s.unmade > 0 {
			s.unmade--
			return newBatch(s.blockBytes)
		}
		select {
		case <-s.stop:
			return nil
		case b := <-s.free:
			s.takeBack(b)
		}
	}
	b := s.idle[len(s.idle)-1]
	s.idle = s.idle[:len(s.idle)-1]
	return b
}

// takeBack makes a batch ready to be used again, with the large buffer if it had that.
func (s *splitter) takeBack(b *batch) {
	if b == s.lent {
		s.large, s.lent = b.block[:0], nil
	}
	b.reset()
	s.idle = append(s.idle, b)
}

// fill reads whole lines into the block of the batch, at least one, and keeps
// what follows the last of them. It returns false at the end of the stream.
func (s *splitter) fill(b *batch) (more bool) {
	block := s.begin(b)
	end := 0 // of the last whole line
	for searched := 0; ; {
		n, err := readFull(s.source, block[len(block):cap(block)])
		block = block[:len(block)+n]
		if i := bytes.LastIndexByte(block[searched:], '\n'); i >= 0 {
			end = searched + i + 1
		}
		searched = len(block)
		switch {
		case err == io.EOF:
			b.block = block
			return false
		case err != nil:
			b.block, b.failure = block[:end], err
			return false
		// What begins the next line is carried over to the next block.
		case end > 0:
			s.carry = append(s.carry, block[end:]...)
			b.block = block[:end]
			return true
		case len(block) > s.limit+len("\r\n"):
			b.block, b.failure = block[:0], errLongLine
			return false
		}
		block = s.grow(block)
		s.lent = b
	}
}

// begin returns a buffer that begins with what was carried over.
func (s *splitter) begin(b *batch) []byte {
	if len(s.carry) < cap(b.own) {
		block := append(b.own[:0], s.carry...)
		s.carry = s.carry[:0]
		return block
	}
	block := s.grow(s.carry)
	s.lent, s.carry = b, nil
	return block
}

// grow returns the block in a larger buffer. It grows in few, large steps: the
// memory of all the steps counts.
func (s *splitter) grow(block []byte) []byte {
	// Eight times as large at each step, but no larger than the longest line that is allowed.
	if cap(s.large) <= len(block) {
		most := s.limit + len("\r\n") + 1
		s.large = make([]byte, 0, max(min(8*cap(block), most), len(block)+1))
	}
	grown := append(s.large[:0], block...)
	s.large = nil
	return grown
}

// readFull reads until the buffer is full, and returns io.EOF only with the last
// bytes of the stream or none.
func readFull(source io.Reader, buffer []byte) (n int, err error) {
	for idle := 0; n < len(buffer) && err == nil; idle++ {
		var m int
		m, err = source.Read(buffer[n:])
		n += m
		if m > 0 {
			idle = 0
		}
		if idle > 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, err
}
