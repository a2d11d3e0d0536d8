package world

import (
	"fmt"
	"io"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Progress tells on stderr how far a long read is: nothing for the first two
// seconds; then on a terminal a line that is written over, and in CI a line every
// few seconds. Elsewhere it is silent.
type Progress struct {
	// Standard error: the output is for results alone.
	W        io.Writer
	Now      func() time.Time
	Live     bool          // a terminal
	Interval time.Duration // 0: silent
	Next     time.Time     // when to say something
	// Read so far, of all files together.
	trials int

	shown bool // a live line stands on the screen
}

// All are chosen, for a person who waits: short reads are silent, a live line moves ten times a
// second, and a log of CI grows by twelve lines a minute.
const (
	progressDelay = 2 * time.Second
	liveInterval  = 100 * time.Millisecond
	plainInterval = 5 * time.Second
	// ProgressStride is how many trials are read between two looks at the clock.
	ProgressStride = 256
)

// patience is how much longer nothing is said, such as 1h, where a build says it. The linker sets it in the programs
// that tests run, so that what they print does not depend on how fast a machine is.
var patience string

// NewProgress asks for the variable CI before the terminal: some CI systems give jobs a
// terminal that nobody watches.
func (a *World) NewProgress() *Progress {
	p := &Progress{W: a.Stderr, Now: a.Now}
	switch s := NewScreen(a.Stderr, a.Env, a.TerminalWidth); {
	case isSet(a.Env, "CI"):
		p.Interval = plainInterval
	// A dumb terminal cannot go back to the beginning of a line and clear it.
	case s.Terminal && a.Env.Get("TERM") != "dumb":
		p.Interval, p.Live = liveInterval, true
	}
	longer, _ := time.ParseDuration(patience) // none where nothing is said
	p.Next = p.Now().Add(progressDelay + longer)
	return p
}

// Count notes one more trial of a file.
func (p *Progress) Count(file string) {
	p.trials++
	if p.Interval == 0 || p.trials%ProgressStride != 0 {
		return
	}
	if now := p.Now(); !now.Before(p.Next) {
		p.Next = now.Add(p.Interval)
		p.Say(fmt.Sprintf("reading %s: %s", prose.Printable(file), prose.Count(p.trials, "trial")))
	}
}

// Say prints a line, over the last one where there is a terminal. What is done behind other work says nothing.
func (p *Progress) Say(line string) {
	switch {
	case waits(p.W):
		return
	case !p.Live:
		fmt.Fprintf(p.W, "tribunal: %s\n", line)
		return
	}
	fmt.Fprintf(p.W, "\r%s\x1b[K", line)
	p.shown = true
}

// End clears the live line, so that what follows starts on a clean one.
func (p *Progress) End() {
	if p.shown {
		fmt.Fprint(p.W, "\r\x1b[K")
	}
}
