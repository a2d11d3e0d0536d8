package running

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
)

// mostInterrupted is how many tests of a run that was interrupted have a line. It is chosen: half a screen.
const mostInterrupted = 12

// tellOfInterrupted says what is known of a run that was interrupted, and how to continue it. It is no verdict:
// trials that still ran are missing, and a test that has not ended has none.
func (f *run) tellOfInterrupted(a *world.World, s *suite.Suite, found *runner.Result, file string) {
	if found != nil && len(found.Tests) > 0 {
		a.Notice("note", "so far: %s, kept in %s", spentText(found), file)
	}
	if found != nil && len(found.Tests) > 0 && !f.sharded() { // of which no test decides
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
		a.Notice("note", "tribunal %s starts again, without these trials", f.Command)
		return
	}
	a.Notice("note", "continue with: %s", f.resumption(s))
}

// spentText is how many trials ended, and what they took as far as it is known.
func spentText(found *runner.Result) string {
	ended := 0
	for _, n := range found.Outcomes() {
		ended += n
	}
	text := prose.Count(ended, "trial")
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

// resumption is the command that continues the run.
func (f *run) resumption(s *suite.Suite) string {
	words := []string{"tribunal", "run"}
	switch {
	case f.Command != "":
		return "tribunal " + f.Command + " --resume, and the same arguments"
	case f.gated:
		words[1] = "gate"
	}
	if file, err := app.FindSuite(); err != nil || file != s.File {
		words = append(words, problem.ShellWord(s.File))
	}
	for _, glob := range f.Choice.Only {
		words = append(words, "--only", problem.ShellWord(glob))
	}
	for _, tag := range f.Choice.Tags {
		words = append(words, "--tag", problem.ShellWord(tag))
	}
	if f.sharded() {
		words = append(words, "--shard", f.Shard.String())
	}
	if f.Tests.Record > 0 {
		words = append(words, "--record", strconv.Itoa(f.Tests.Record))
	}
	if f.Tests.Baseline != "" {
		words = append(words, "--baseline", problem.ShellWord(f.Tests.Baseline))
	}
	if f.Journal != "" {
		words = append(words, "--journal", problem.ShellWord(f.Journal))
	}
	if f.Output != "" {
		words = append(words, "--output", problem.ShellWord(f.Output))
	}
	if f.Given.Typed("store") && !strings.Contains(f.Store.Name, "://") { // a URL may hold a password
		words = append(words, "--store", problem.ShellWord(f.Store.Name))
	}
	return strings.Join(append(words, "--resume"), " ")
}
