package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// progress tells on stderr how far a long read is: nothing for the first two
// seconds; then on a terminal a line that is written over, and in CI a line every
// few seconds. Elsewhere it is silent.
type progress struct {
	// Standard error: the output is for results alone.
	w        io.Writer
	now      func() time.Time
	live     bool          // a terminal
	interval time.Duration // 0: silent
	next     time.Time     // when to say something
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
	// progressStride is how many trials are read between two looks at the clock.
	progressStride = 256
)

// newProgress asks for the variable CI before the terminal: some CI systems give jobs a
// terminal that nobody watches.
func (a *App) newProgress() *progress {
	p := &progress{w: a.Stderr, now: a.Now}
	switch s := newScreen(a.Stderr, a.Env, a.TerminalWidth); {
	case isSet(a.Env, "CI"):
		p.interval = plainInterval
	// A dumb terminal cannot go back to the beginning of a line and clear it.
	case s.terminal && a.Env.get("TERM") != "dumb":
		p.interval, p.live = liveInterval, true
	}
	p.next = p.now().Add(progressDelay)
	return p
}

// count notes one more trial of a file.
func (p *progress) count(file string) {
	p.trials++
	if p.interval == 0 || p.trials%progressStride != 0 {
		return
	}
	if now := p.now(); !now.Before(p.next) {
		p.next = now.Add(p.interval)
		p.say(fmt.Sprintf("reading %s: %s", prose.Printable(file), prose.Count(p.trials, "trial")))
	}
}

// say prints a line, over the last one where there is a terminal.
func (p *progress) say(line string) {
	if !p.live {
		fmt.Fprintf(p.w, "tribunal: %s\n", line)
		return
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
	p.shown = true
}

// end clears the live line, so that what follows starts on a clean one.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
