package running

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// mostInterrupted is how many tests of a run that was interrupted have a line. It is chosen: half a screen.
const mostInterrupted = 12

// tellOfInterrupted says what is known of a run that was interrupted, and how to continue it. It is no verdict:
// trials that still ran are missing, and a test that has not ended has none.
func (f *run) tellOfInterrupted(a *world.World, found *runner.Result, file string) {
	if found == nil || len(found.Tests) == 0 {
		f.tellOfNone(a)
		return
	}
	a.Notice("note", "so far: %s, kept in %s", spentText(found), file)
	if !f.sharded() { // of which no test decides
		// Those that ended are known; the rest is what the run was about.
		var open, ended []runner.TestResult
		for _, t := range found.Tests {
			if t.Outcome == sprt.Undecided {
				open = append(open, t)
			} else {
				ended = append(ended, t)
			}
		}
		list := slices.DeleteFunc(append(ended, open...), func(t runner.TestResult) bool { return t.Trials == 0 })
		for _, t := range list[:min(len(list), mostInterrupted)] {
			a.Notice("note", "  %s", standingText(t, f.Tests.Record > 0))
		}
		if more := len(list) - mostInterrupted; more > 0 {
			a.Notice("note", "  and %s", prose.Count(more, "more test"))
		}
	}
	if f.Anew {
		a.Notice("note", "the same command starts again, without these trials")
		return
	}
	a.Notice("note", "continue with: %s", Resumption(a.Args))
}

// tellOfEarly is tellOfNone where a signal ended the command before it ran a trial.
func (f *run) tellOfEarly(ctx context.Context, a *world.World, err *error) {
	if *err != nil && !f.begun && problem.Is[*problem.SignalError](context.Cause(ctx)) {
		f.tellOfNone(a)
	}
}

// tellOfNone says of a run that was interrupted before its first trial what is kept of an earlier one.
func (f *run) tellOfNone(a *world.World) {
	switch file := cmp.Or(f.journal, f.Journal); {
	case f.merging:
		a.Notice("note", "the journals are as they were, and there is no result")
		return
	case f.part:
	case !f.Resume:
		a.Notice("note", "no trial was run")
		return
	case file == "":
		a.Notice("note", "no trial was run; those of before are kept")
	default:
		a.Notice("note", "no trial was run; those of before are kept in %s", file)
	}
	a.Notice("note", "continue with: %s", Resumption(a.Args))
}

// endedOf is how many trials ended.
func endedOf(found *runner.Result) (ended int) {
	for _, n := range found.Outcomes() {
		ended += n
	}
	return ended
}

// spentText is how many trials ended, and what they took as far as it is known.
func spentText(found *runner.Result) string {
	text := prose.Count(endedOf(found), "trial")
	if spent := found.Spent; spent.Attempts > spent.CostUnknown {
		text += ", $" + strconv.FormatFloat(spent.CostUSD, 'f', 4, 64)
		if spent.CostUnknown > 0 {
			text += " and what is not known of " + prose.Count(spent.CostUnknown, "attempt")
		}
	}
	return text
}

// standingText is where a test stands, or a recording.
func standingText(t runner.TestResult, recorded bool) string {
	passes := t.Trials - t.Failures - t.Errors
	text := fmt.Sprintf("%s: %d of %s passed", prose.Excerpt(t.Name), passes, prose.Count(t.Trials, "trial"))
	if t.Against != nil && t.Against.Rounds != nil || t.Joint.Paired() {
		text += " on both sides"
	}
	if t.Errors > 0 {
		text += ", " + prose.Count(t.Errors, "error")
	}
	switch {
	case t.Joint != nil || recorded: // not decided one by one
		return text
	case t.Outcome == sprt.Undecided:
		return text + ", not decided"
	}
	return text + ": " + t.Outcome.String()
}

// Resumption is the command that continues what was interrupted: with the same arguments, but for a store's URL, which
// may hold a password.
func Resumption(args []string) string {
	words := []string{"tribunal"}
	var tested []string // the command of repeat
	if i := slices.Index(args, "--"); i >= 0 {
		args, tested = args[:i], args[i:]
	}
	for i := 0; i < len(args); i++ {
		flag, text, joined := strings.Cut(args[i], "=")
		switch {
		case flag == "--fresh" || flag == "--resume":
		case flag == "--store" && joined && strings.Contains(text, "://"):
		case args[i] == "--store" && i+1 < len(args) && strings.Contains(args[i+1], "://"):
			i++
		default:
			words = append(words, problem.ShellWord(args[i]))
		}
	}
	words = append(words, "--resume")
	for _, word := range tested {
		words = append(words, problem.ShellWord(word))
	}
	return strings.Join(words, " ")
}
