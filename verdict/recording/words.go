package recording

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
)

// chunkWords is how many numbers of a column stand together. Chosen: 64 kB are read and written at once.
const chunkWords = 1 << 13

// words is a column of 64-bit numbers, one for each row. It takes no memory as long as all of them are missing, and
// its full chunks may be put aside on disk.
type words struct {
	missing uint64
	rows    int
	used    bool // some number is not missing
	chunks  []chunk
	free    []uint64 // of a chunk that went aside
}

// chunk is part of a column: in memory, aside, or neither where all of its numbers are missing.
type chunk struct {
	words []uint64
	aside int64 // offset and 1; 0 is not aside
}

// add appends a number. What is full goes aside where there is room for it.
func (w *words) add(x uint64, to *spillFile) {
	if !w.used && x != w.missing {
		w.used = true
	}
	at := w.rows / chunkWords
	if w.used {
		for len(w.chunks) <= at {
			w.chunks = append(w.chunks, chunk{})
		}
		c := &w.chunks[at]
		if c.words == nil && at > 0 { // the first one grows with the rows
			if c.words, w.free = w.free, nil; c.words == nil {
				c.words = make([]uint64, 0, chunkWords)
			}
		}
		for len(c.words) < w.rows%chunkWords { // rows from before the first number
			c.words = append(c.words, w.missing)
		}
		c.words = append(c.words, x)
		if len(c.words) == chunkWords && to != nil {
			w.putAside(to)
		}
	}
	w.rows++
}

// putAside writes all full chunks that are in memory.
func (w *words) putAside(to *spillFile) {
	for i := range w.chunks {
		if c := &w.chunks[i]; len(c.words) == chunkWords {
			if at, ok := to.put(c.words); ok {
				w.free = c.words[:0]
				*c = chunk{aside: at + 1}
			}
		}
	}
}

// at returns the number of one row.
func (w *words) at(row int, from *spillFile) uint64 {
	if row/chunkWords >= len(w.chunks) {
		return w.missing
	}
	switch c := &w.chunks[row/chunkWords]; {
	case c.aside > 0:
		var one [1]uint64
		from.get(one[:], c.aside-1+8*int64(row%chunkWords), nil)
		return one[0]
	case c.words != nil:
		return c.words[row%chunkWords]
	}
	return w.missing
}

// cursor reads a column in the order of its rows, a chunk at a time.
type cursor struct {
	column *words
	from   *spillFile
	chunk  int // and 1, of what words holds; 0 is none
	words  []uint64
	buffer []uint64
	text   []byte // of it on disk
}

// at returns the number of a row; rows are asked for in order.
func (c *cursor) at(row int) uint64 {
	if at := row / chunkWords; c.chunk != at+1 {
		c.chunk, c.words = at+1, nil
		if at < len(c.column.chunks) {
			switch k := &c.column.chunks[at]; {
			case k.aside > 0:
				if c.buffer == nil {
					c.buffer, c.text = make([]uint64, chunkWords), make([]byte, 8*chunkWords)
				}
				c.from.get(c.buffer, k.aside-1, c.text)
				c.words = c.buffer
			default:
				c.words = k.words
			}
		}
	}
	if c.words == nil {
		return c.column.missing
	}
	return c.words[row%chunkWords]
}

// spillFile is a file for what is seldom looked at. It is nobody else's: it has no name any longer, or loses it at the
// end.
type spillFile struct {
	file   *os.File
	name   string // "" once it has none
	size   int64
	full   bool // nothing more can be written
	text   []byte
	failed atomic.Pointer[error] // of a read
}

// newAside makes the file; nil where none can be made.
func newAside() *spillFile {
	file, err := os.CreateTemp("", "tribunal-recording-*")
	if err != nil {
		return nil
	}
	a := &spillFile{file: file, name: file.Name()}
	if os.Remove(a.name) == nil { // where a file that is open may lose its name
		a.name = ""
	}
	return a
}

// put writes numbers and returns where. False says that they have to stay in memory.
func (a *spillFile) put(numbers []uint64) (offset int64, ok bool) {
	if a.full {
		return 0, false
	}
	a.text = a.text[:0]
	for _, x := range numbers {
		a.text = binary.LittleEndian.AppendUint64(a.text, x)
	}
	if _, err := a.file.WriteAt(a.text, a.size); err != nil {
		a.full = true
		return 0, false
	}
	offset = a.size
	a.size += int64(len(a.text))
	return offset, true
}

// get reads numbers, into memory for their text if there is some. One that cannot be read is kept as the error of all
// that follows.
func (a *spillFile) get(numbers []uint64, offset int64, text []byte) {
	if text == nil {
		text = make([]byte, 8*len(numbers))
	}
	if _, err := a.file.ReadAt(text, offset); err != nil {
		err = fmt.Errorf("what was put aside of a recording cannot be read again: %w", err)
		a.failed.CompareAndSwap(nil, &err)
		return
	}
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint64(text[8*i:])
	}
}

func (a *spillFile) close() error {
	err := a.file.Close()
	if a.name != "" {
		if gone := os.Remove(a.name); err == nil {
			err = gone
		}
	}
	return err
}
