package running

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Lines that are drawn over need the terminal's width: one that wraps leaves its
// second half behind. Characters of two columns count as two.
func TestRunProgressKeepsToTheWidth(t *testing.T) {
	names := []string{"weekday", strings.Repeat("日本語", 20), strings.Repeat("long-", 20)}
	for _, width := range []int{20, 60, 80, 200} {
		for locale, ellipsis := range map[string]string{"C.UTF-8": "…", "C": "..."} {
			var stderr bytes.Buffer
			a := (&world.World{
				Stderr: &stderr, Now: (&clitest.Clock{Step: time.Minute}).Now, TerminalWidth: clitest.TerminalOf(width),
				Env: clitest.Environment(map[string]string{"TERM": "xterm", "LC_ALL": locale}),
			}).Complete()
			var tests []runner.Test
			for _, name := range names {
				tests = append(tests, runner.Test{Name: name})
			}
			p := newRunProgress(a, &runner.Options{Tests: tests, Concurrency: 4}, false)
			for _, name := range names {
				p.update(runner.Progress{Test: name, Trials: 1234, Failures: 2, InFlight: 4, MaxTrials: 2000, Bounded: true,
					PassAtOrBelow: -1, FailAtOrAbove: sprt.Never})
			}
			drawn := regexp.MustCompile(`\x1b\[\d*[AJK]|\r`).ReplaceAllString(stderr.String(), "")
			lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
			// Those that are known, how many are not, and the sum: as many lines as it takes.
			if count := len(regexp.MustCompile(` 123[2.]`).FindAllString(drawn, -1)); count != 1+2+3 {
				t.Errorf("width %d: %d lines of tests: %q", width, count, lines)
			}
			if count := strings.Count(drawn, " more\n"); count != 2 {
				t.Errorf("width %d: %d lines of further tests: %q", width, count, lines)
			}
			for _, line := range lines {
				if table.Width(line) >= width {
					t.Errorf("width %d: %d columns: %q", width, table.Width(line), line)
				}
			}
			if !strings.Contains(drawn, ellipsis) || locale == "C" && strings.ContainsAny(drawn, "…·●") {
				t.Errorf("%s: %q", locale, drawn)
			}
		}
	}
}

// On 60 columns the counts, the errors and both ends of the picture are there, and the whole sum in several lines.
func TestRunProgressOnANarrowScreen(t *testing.T) {
	var stderr bytes.Buffer
	a := (&world.World{
		Stderr: &stderr, Now: (&clitest.Clock{Step: time.Minute}).Now, TerminalWidth: clitest.TerminalOf(60),
		Env: clitest.Environment(map[string]string{"TERM": "xterm", "LC_ALL": "C.UTF-8"}),
	}).Complete()
	p := newRunProgress(a, &runner.Options{Tests: []runner.Test{{Name: "refund-of-a-parcel-that-was-lost"}},
		Concurrency: 2}, false)
	p.update(runner.Progress{
		Test: "refund-of-a-parcel-that-was-lost", Trials: 40, Failures: 4, Errors: 2, InFlight: 12, MaxTrials: 100,
		Needed:  10,
		Bounded: true, PassAtOrBelow: 2, FailAtOrAbove: 10, Elapsed: 83 * time.Second,
		Spent: journal.Spend{Attempts: 40, Duration: 160 * time.Second, CostUSD: 0.5},
	})
	drawn := regexp.MustCompile(`\x1b\[\d*[AJK]|\r`).ReplaceAllString(stderr.String(), "")
	// 10 to 60 trials of 4 s each, two at a time.
	want := "refund-o…as-lost   34/40     [pass ··●····· fail] 2 errors\n" +
		"0 of 1 test decided, 40 trials judged, 1m23s, $0.50\n" +
		"an estimated 20s to 2m0s left\n"
	if drawn != want {
		t.Errorf("%q, want %q", drawn, want)
	}
}

// Where the tests do not all fit those are shown that a person would ask about: what failed, then what passes least.
func TestRunProgressShowsTheWorst(t *testing.T) {
	a := (&world.World{Stderr: &bytes.Buffer{}, Env: clitest.Environment(map[string]string{"LC_ALL": "C"}),
		TerminalWidth: clitest.TerminalOf(80)}).Complete()
	p := newRunProgress(a, &runner.Options{}, false)
	add := func(name string, trials, failures int, o sprt.Outcome) {
		p.order = append(p.order, name)
		p.tests[name] = runner.Progress{Test: name, Trials: trials, Failures: failures, Outcome: o}
	}
	names := func() (list []string) {
		for _, t := range p.shown() {
			list = append(list, t.Test)
		}
		return list
	}
	add("passed", 15, 0, sprt.Pass)
	add("unseen", 0, 0, sprt.Undecided)
	add("good", 10, 1, sprt.Undecided)
	add("failed", 10, 5, sprt.Fail)
	add("bad", 10, 4, sprt.Undecided)
	// There is room for all: they stay where they are, so that no line jumps.
	if got, want := names(), []string{"unseen", "good", "bad", "passed", "failed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range liveTests {
		add(fmt.Sprint("p", i), 15, 0, sprt.Pass)
	}
	if got, want := names()[:6], []string{"failed", "bad", "good", "unseen", "passed", "p0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := strings.Join(p.summary(), ", "); !strings.Contains(got, ", 1 failed, ") {
		t.Errorf("%q", got)
	}
}

// A test in rounds shows the passes of each side. Where several boundaries decide there is no
// gauge between two of them.
func TestRunProgressOfTwoSides(t *testing.T) {
	a := (&world.World{Stderr: &bytes.Buffer{}, Env: clitest.Environment(map[string]string{"LC_ALL": "C"}),
		TerminalWidth: clitest.TerminalOf(80)}).Complete()
	p := newRunProgress(a, &runner.Options{}, false)
	state := runner.Progress{
		Test: "refund", Trials: 26, Failures: 4, Errors: 1, Sides: 2, BaselineFailures: 1, BaselineErrors: 1, InFlight: 3,
	}
	want := "refund                     10/13     baseline 11/13 1 error  3 running"
	if got := p.line(state, shapes[0]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	state.Sides, state.BaselineFailures, state.BaselineErrors, state.Bounded = 1, 0, 0, true
	state.FailAtOrAbove, state.MaxTrials = sprt.Never, 40
	if got := p.line(state, shapes[0]); !strings.Contains(got, "21/26") ||
		!strings.Contains(got, "[pass .o.............. fail] 1 error  3 running") {
		t.Errorf("%q", got)
	}
}

// A suite that is tested as one question is one test of several scenarios.
func TestRunProgressOfOneQuestionCountsScenarios(t *testing.T) {
	var stderr bytes.Buffer
	a := (&world.World{Stderr: &stderr, Now: (&clitest.Clock{}).Now, TerminalWidth: clitest.TerminalOf(80),
		Env: clitest.Environment(map[string]string{"TERM": "xterm"})}).Complete()
	joint := new(runs.Joint)
	p := newRunProgress(a, &runner.Options{Tests: []runner.Test{{Name: "a", Joint: joint}, {Name: "b", Joint: joint}}},
		false)
	p.update(runner.Progress{Test: "a", Trials: 1, MaxTrials: 10})
	if !strings.Contains(stderr.String(), "2 scenarios undecided") {
		t.Errorf("%q", stderr.String())
	}
}

// A recording decides nothing: no test of it is told as undecided, or as decided.
func TestRunProgressOfARecording(t *testing.T) {
	var stderr bytes.Buffer
	a := (&world.World{Stderr: &stderr, Now: (&clitest.Clock{}).Now, TerminalWidth: clitest.TerminalOf(80),
		Env: clitest.Environment(map[string]string{"TERM": "xterm"})}).Complete()
	p := newRunProgress(a, &runner.Options{Tests: []runner.Test{{Name: "a"}}}, true)
	p.update(runner.Progress{Test: "a", Trials: 10, MaxTrials: 10, Outcome: sprt.Inconclusive})
	if got := stderr.String(); !strings.Contains(got, "10/10     recorded") || !strings.Contains(got, "10 of 10 trials") ||
		strings.Contains(got, "decided") {
		t.Errorf("%q", got)
	}
}
