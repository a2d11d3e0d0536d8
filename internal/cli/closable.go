package cli

import (
	"io"
	"sync"
)

// closable is a writer that can be closed while somebody still writes to it: a read that
// was given up may go on for a while, and must write nothing then.
type closable struct {
	w      io.Writer
	mutex  sync.Mutex
	began  bool // something was written
	closed bool
}

func (g *closable) Write(b []byte) (int, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.closed {
		return 0, io.ErrClosedPipe
	}
	g.began = g.began || len(b) > 0
	return g.w.Write(b)
}

// close waits for the write that is going on, and reports whether there was any.
func (g *closable) close() (began bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.closed = true
	return g.began
}
