package running

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// runProgress tells on stderr where each test of a run stands: on a terminal a live
// line for each, in CI a plain line every few seconds.
type runProgress struct {
	*world.Progress
	// For the width, and for characters that the locale has.
	screen world.Screen
	// Names of the tests, as the suite has them.
	order []string
	// The newest state of each test that was heard of, by name.
	tests map[string]runner.Progress
	last  runner.Progress // the newest: what the whole run has spent
	lines int             // that stand on the screen
	// Trials at a time, at least 1.
	workers int
	records bool   // trials alone: no test decides, as of a shard
	noun    string // what is decided one by one
}

// liveTests is the most lines of tests on a terminal, chosen so that they fit on a small
// screen; the others are counted in one line.
const liveTests = 12

// newRunProgress shows a terminal something at once: a run takes minutes, and silence would
// look like a hang.
func newRunProgress(a *world.World, o *runner.Options, records bool) *runProgress {
	p := &runProgress{
		Progress: a.NewProgress(), screen: world.NewScreen(a.Stderr, a.Env, a.TerminalWidth),
		tests: map[string]runner.Progress{}, workers: max(1, o.Concurrency), records: o.Shard != nil || records,
		noun: "test",
	}
	if p.Live {
		p.Next = p.Now()
	}
	for _, t := range o.Tests {
		p.order = append(p.order, t.Name)
		if t.Joint != nil && t.Variant == "" { // a suite that is one test
			p.noun = "scenario"
		}
	}
	return p
}

// update takes in where one test stands. The runner calls it from its own loop, so nothing
// here is locked.
func (p *runProgress) update(state runner.Progress) {
	// Neither a terminal nor CI.
	if p.Interval == 0 {
		return
	}
	p.tests[state.Test] = state
	p.last = state
	now := p.Now()
	if now.Before(p.Next) {
		return
	}
	p.Next = now.Add(p.Interval)
	if p.Live {
		p.draw()
		return
	}
	p.Say(strings.Join(p.summary(), ", "))
}

// end clears what stands on the screen.
func (p *runProgress) end() {
	if p.lines > 0 {
		// Up by so many lines, to their beginning, and clear to the end of the screen.
		fmt.Fprintf(p.W, "\x1b[%dA\r\x1b[J", p.lines)
		p.lines = 0
	}
	p.Progress.End()
}

// summary is the whole run, in parts.
func (p *runProgress) summary() []string {
	ended, failed, judged, most := 0, 0, 0, 0
	for _, t := range p.tests {
		judged += t.Trials
		most += t.MaxTrials
		switch t.Outcome {
		case sprt.Undecided:
			continue
		case sprt.Fail:
			failed++
		}
		ended++
	}
	parts := []string{fmt.Sprintf("%d of %s decided", ended, prose.Count(len(p.order), p.noun))}
	if ended == 0 && p.noun == "scenario" { // they are decided together, at the end
		parts[0] = prose.Count(len(p.order), p.noun) + " undecided"
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	done := prose.Count(judged, "trial") + " judged"
	if p.records {
		parts, done = nil, fmt.Sprintf("%d of %s", judged, prose.Count(most, "trial"))
	}
	parts = append(parts, done, p.last.Elapsed.Round(time.Second).String())
	if p.last.Spent.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", p.last.Spent.CostUSD))
	}
	if left := p.left(); left != "" {
		parts = append(parts, left)
	}
	return parts
}

// left is how long the run still takes: from the fewest trials that decide every test to the most that they may take,
// at the mean duration so far and shared by all workers. Before the first attempt has ended nothing is known of the
// mean. One number would grow where a test wavers, and read as if time ran backwards.
func (p *runProgress) left() string {
	if p.last.Spent.Attempts == 0 {
		return ""
	}
	least, most := 0, 0
	for _, t := range p.tests {
		if t.Outcome != sprt.Undecided {
			continue
		}
		least += t.Needed
		most += max(t.Needed, t.MaxTrials-t.Trials)
	}
	if least == 0 {
		return ""
	}
	mean := p.last.Spent.Duration / time.Duration(p.last.Spent.Attempts)
	lasts := func(trials int) time.Duration { return mean * time.Duration(trials) / time.Duration(p.workers) }
	// A test that nothing was heard of takes trials too.
	return phrase.TimeLeft(lasts(least), lasts(most), len(p.tests) < len(p.order))
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
		fmt.Fprintf(&b, "\r%s\x1b[K\n", table.Cut(text, p.screen.Width-1, p.ellipsis()))
		lines++
	}
	for _, text := range p.testLines() {
		line(text)
	}
	if hidden := len(p.order) - lines; hidden > 0 {
		line(fmt.Sprintf("%s and %d more", p.ellipsis(), hidden))
	}
	for _, text := range p.packed(p.summary()) {
		line(text)
	}
	b.WriteString("\x1b[J")
	p.lines = lines
	fmt.Fprint(p.W, b.String())
}

// packed joins parts with commas into as few lines as the screen has room for.
func (p *runProgress) packed(parts []string) (lines []string) {
	for _, part := range parts {
		if n := len(lines); n > 0 {
			if joined := lines[n-1] + ", " + part; table.Width(joined) < p.screen.Width {
				lines[n-1] = joined
				continue
			}
		}
		lines = append(lines, part)
	}
	return lines
}

// shown are the tests that there is room for: all of them, undecided ones first; or, where they do not all fit, those
// that a person would ask about.
func (p *runProgress) shown() (list []runner.Progress) {
	for _, name := range p.order {
		if t, known := p.tests[name]; known {
			list = append(list, t)
		}
	}
	if len(list) <= liveTests {
		slices.SortStableFunc(list, func(a, b runner.Progress) int {
			return cmp.Compare(min(a.Outcome, 1), min(b.Outcome, 1))
		})
		return list
	}
	slices.SortStableFunc(list, func(a, b runner.Progress) int {
		return cmp.Or(cmp.Compare(worry(a), worry(b)), cmp.Compare(passShare(a), passShare(b)))
	})
	return list[:liveTests]
}

// worry orders tests, the worst first: those that failed, those that go on, those that stay open, those that passed.
func worry(t runner.Progress) int {
	return slices.Index([]sprt.Outcome{sprt.Fail, sprt.Undecided, sprt.Inconclusive, sprt.Pass}, t.Outcome)
}

// passShare is that of the candidate's passes, from 0 to 1; above that of a test without a trial, of which nothing is
// known.
func passShare(t runner.Progress) float64 {
	passes, trials := candidate(t)
	if trials == 0 {
		return 2
	}
	return float64(passes) / float64(trials)
}

// candidate counts the candidate's passes and trials: of a test in rounds half of the trials are the baseline's.
func candidate(t runner.Progress) (passes, trials int) {
	trials = t.Trials / max(1, t.Sides)
	return trials - (t.Failures - t.BaselineFailures) - (t.Errors - t.BaselineErrors), trials
}

// shape is how much of a test its line shows.
type shape struct {
	name, cells int  // columns of the name, and of the picture
	running     bool // how many attempts run now
}

// shapes are tried in this order: on a narrow screen the name, the picture and then what is running give way, and the
// counts, the errors and the ends of the picture stay.
var shapes = []shape{{24, 16, true}, {24, 8, true}, {16, 8, true}, {16, 8, false}, {12, 4, false}}

// testLines are the lines of the tests, in one shape so that their columns stand below each other: the first in which
// all of them fit.
func (p *runProgress) testLines() (lines []string) {
	shown := p.shown()
	for _, s := range shapes {
		lines = lines[:0]
		fits := true
		for _, t := range shown {
			text := p.line(t, s)
			lines = append(lines, text)
			fits = fits && table.Width(text) < p.screen.Width
		}
		if fits {
			break
		}
	}
	return lines
}

// line is where a test stands: its trials, and the path between the boundaries.
func (p *runProgress) line(t runner.Progress, s shape) string {
	// With the space between: counts of hundreds stand below each other.
	const countsWidth = 12
	name := table.Pad(table.Shorten(prose.Printable(t.Test), s.name, p.ellipsis()), s.name)
	passes, trials := candidate(t)
	text := table.Pad(fmt.Sprintf("%s %4d/%d", name, passes, trials), s.name+countsWidth)
	if t.Sides > 1 {
		text += fmt.Sprintf(" baseline %d/%d", trials-t.BaselineFailures-t.BaselineErrors, trials)
	}
	switch {
	case p.records && t.Outcome == sprt.Inconclusive:
		return text + " recorded"
	case t.Outcome != sprt.Undecided:
		return fmt.Sprintf("%s %s", text, t.Outcome)
	}
	if t.Bounded {
		text += " " + p.gauge(t, s.cells)
	}
	if t.Errors > 0 {
		text += " " + prose.Count(t.Errors, "error")
	}
	if s.running {
		text += fmt.Sprintf("  %d running", t.InFlight)
	}
	return text
}

// gauge shows the failures between the boundaries that the next trial meets, such as "[pass ··●····· fail]". The
// brackets hold its ends together: "fail 1 running" would read as a count.
func (p *runProgress) gauge(t runner.Progress, cells int) string {
	dot, mark := "·", "●"
	if p.screen.Ascii {
		dot, mark = ".", "o"
	}
	// Where no number of failures can fail the test yet the boundary is beyond all trials.
	high := min(t.FailAtOrAbove, t.MaxTrials)
	at := 0
	if span := high - t.PassAtOrBelow; span > 0 {
		at = min(max((t.Failures-t.PassAtOrBelow)*cells/span, 0), cells-1)
	}
	return "[pass " + strings.Repeat(dot, at) + mark + strings.Repeat(dot, cells-1-at) + " fail]"
}

// ellipsis stands for what there is no room for.
func (p *runProgress) ellipsis() string {
	if p.screen.Ascii {
		return "..."
	}
	return "…"
}
