package world

import (
	"bytes"
	"io"
	"sync"
)

// Behind returns a world for work that is done beside other work and told of after it: what is written to its stderr
// waits until the function is called, and progress is silent as long.
func (a *World) Behind() (behind *World, turn func()) {
	w := &waitingWriter{to: a.Stderr}
	b := *a
	b.Stderr = w
	b.TerminalWidth = func(stream io.Writer) (int, bool) {
		if stream == w {
			stream = a.Stderr
		}
		return a.TerminalWidth(stream)
	}
	return &b, w.turn
}

// waitingWriter keeps what is written until its turn comes.
type waitingWriter struct {
	to    io.Writer
	mutex sync.Mutex
	kept  bytes.Buffer
	began bool // its turn
}

// Write never fails before the turn.
func (w *waitingWriter) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.began {
		return w.kept.Write(text)
	}
	return w.to.Write(text)
}

// turn writes what was kept.
func (w *waitingWriter) turn() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.began = true
	_, _ = w.kept.WriteTo(w.to) // like all that is told on stderr
}

// waits reports whether a writer is one whose turn has not come.
func waits(to io.Writer) bool {
	w, is := to.(*waitingWriter)
	if !is {
		return false
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return !w.began
}
