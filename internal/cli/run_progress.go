package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// runProgress tells on stderr where each test of a run stands: on a terminal a live
// line for each, in CI a plain line every few seconds.
type runProgress struct {
	*progress
	// For the width, and for characters that the locale has.
	screen screen
	// Names of the tests, as the suite has them.
	order []string
	// The newest state of each test that was heard of, by name.
	tests map[string]runner.Progress
	last  runner.Progress // the newest: what the whole run has spent
	lines int             // that stand on the screen
	// Trials at a time, at least 1.
	workers int
}

// liveTests is the most lines of tests on a terminal, chosen so that they fit on a small
// screen; the others are counted in one line.
const liveTests = 12

// newRunProgress shows a terminal something at once: a run takes minutes, and silence would
// look like a hang.
func (a *App) newRunProgress(o *runner.Options) *runProgress {
	p := &runProgress{
		progress: a.newProgress(), screen: newScreen(a.Stderr, a.Env, a.TerminalWidth),
		tests: map[string]runner.Progress{}, workers: max(1, o.Concurrency),
	}
	if p.live {
		p.next = p.now()
	}
	for _, t := range o.Tests {
		p.order = append(p.order, t.Name)
	}
	return p
}

// update takes in where one test stands. The runner calls it from its own loop, so nothing
// here is locked.
func (p *runProgress) update(state runner.Progress) {
	// Neither a terminal nor CI.
	if p.interval == 0 {
		return
	}
	p.tests[state.Test] = state
	p.last = state
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(p.interval)
	if p.live {
		p.draw()
		return
	}
	p.say(p.summary())
}

// end clears what stands on the screen.
func (p *runProgress) end() {
	if p.lines > 0 {
		// Up by so many lines, to their beginning, and clear to the end of the screen.
		fmt.Fprintf(p.w, "\x1b[%dA\r\x1b[J", p.lines)
		p.lines = 0
	}
	p.progress.end()
}

// summary is the whole run in one line.
func (p *runProgress) summary() string {
	ended, judged := 0, 0
	for _, t := range p.tests {
		judged += t.Trials
		if t.Outcome != sprt.Undecided {
			ended++
		}
	}
	text := fmt.Sprintf("%d of %d tests decided, %d trials judged, %v", ended, len(p.order), judged,
		p.last.Elapsed.Round(time.Second))
	if p.last.Spent.CostUSD > 0 {
		text += fmt.Sprintf(", $%.2f", p.last.Spent.CostUSD)
	}
	if left := p.left(); left > 0 {
		text += fmt.Sprintf(", at least %v left", left.Round(time.Second))
	}
	return text
}

// left is the least time that the run still takes: the fewest trials that any test needs,
// at the mean duration so far and shared by all workers. It is a lower bound, and said to
// be one: a test that wavers takes more. Before the first attempt has ended nothing is
// known of the mean.
func (p *runProgress) left() time.Duration {
	if p.last.Spent.Attempts == 0 {
		return 0
	}
	needed := 0
	for _, t := range p.tests {
		needed += t.Needed
	}
	mean := p.last.Spent.Duration / time.Duration(p.last.Spent.Attempts)
	return mean * time.Duration(needed) / time.Duration(p.workers)
}

// draw draws the lines over those that stand there.
func (p *runProgress) draw() {
	// All in one write, as a terminal may otherwise show half of it.
	var b strings.Builder
	if p.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.lines)
	}
	lines := 0
	// A line that is wider than the screen would wrap, and the next drawing begin a line
	// too low.
	line := func(text string) {
		fmt.Fprintf(&b, "\r%s\x1b[K\n", table.Cut(text, p.screen.width-1, p.ellipsis()))
		lines++
	}
	for _, name := range p.shown() {
		line(p.line(p.tests[name]))
	}
	if hidden := len(p.order) - lines; hidden > 0 {
		line(fmt.Sprintf("%s and %d more", p.ellipsis(), hidden))
	}
	line(p.summary())
	b.WriteString("\x1b[J")
	p.lines = lines
	fmt.Fprint(p.w, b.String())
}

// shown are the tests that there is room for, undecided ones first.
func (p *runProgress) shown() (names []string) {
	for _, decided := range []bool{false, true} {
		for _, name := range p.order {
			if t, known := p.tests[name]; known && (t.Outcome != sprt.Undecided) == decided && len(names) < liveTests {
				names = append(names, name)
			}
		}
	}
	return names
}

// line is where a test stands: its trials, and the path between the boundaries.
func (p *runProgress) line(t runner.Progress) string {
	// Columns, chosen so that names and gauges of all tests stand below each other.
	const nameWidth, countsWidth = 24, 36
	name := table.Pad(table.Shorten(prose.Printable(t.Test), nameWidth, p.ellipsis()), nameWidth)
	// Of a test in rounds half of the trials are the baseline's.
	trials := t.Trials / max(1, t.Sides)
	passes := trials - (t.Failures - t.BaselineFailures) - (t.Errors - t.BaselineErrors)
	text := table.Pad(fmt.Sprintf("%s %4d/%d", name, passes, trials), countsWidth)
	if t.Sides > 1 {
		text += fmt.Sprintf(" baseline %d/%d", trials-t.BaselineFailures-t.BaselineErrors, trials)
	}
	if t.Outcome != sprt.Undecided {
		return fmt.Sprintf("%s %s", text, t.Outcome)
	}
	if t.Bounded {
		text += " " + p.gauge(t)
	}
	if t.Errors > 0 {
		text += fmt.Sprintf(" %d errors", t.Errors)
	}
	return text + fmt.Sprintf(" %d running", t.InFlight)
}

// gauge shows the failures between the boundaries that the next trial meets: Pass on
// the left, Fail on the right.
func (p *runProgress) gauge(t runner.Progress) string {
	const cells = 16
	dot, mark := "·", "●"
	if p.screen.ascii {
		dot, mark = ".", "o"
	}
	// Where no number of failures can fail the test yet the boundary is beyond all trials.
	high := min(t.FailAtOrAbove, t.MaxTrials)
	at := 0
	if span := high - t.PassAtOrBelow; span > 0 {
		at = min(max((t.Failures-t.PassAtOrBelow)*cells/span, 0), cells-1)
	}
	return "Pass " + strings.Repeat(dot, at) + mark + strings.Repeat(dot, cells-1-at) + " Fail"
}

// ellipsis stands for what there is no room for.
func (p *runProgress) ellipsis() string {
	if p.screen.ascii {
		return "..."
	}
	return "…"
}
