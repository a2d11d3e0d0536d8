package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Lines that are drawn over need the terminal's width: one that wraps leaves its
// second half behind. Characters of two columns count as two.
func TestRunProgressKeepsToTheWidth(t *testing.T) {
	names := []string{"weekday", strings.Repeat("日本語", 20), strings.Repeat("long-", 20)}
	for _, width := range []int{20, 60, 80, 200} {
		for locale, ellipsis := range map[string]string{"C.UTF-8": "…", "C": "..."} {
			var stderr bytes.Buffer
			a := completed(App{
				Stderr: &stderr, Now: (&clock{step: time.Minute}).Now, TerminalWidth: terminalOf(width),
				Env: environment(map[string]string{"TERM": "xterm", "LC_ALL": locale}),
			})
			var tests []runner.Test
			for _, name := range names {
				tests = append(tests, runner.Test{Name: name})
			}
			p := a.newRunProgress(&runner.Options{Tests: tests, Concurrency: 4})
			for _, name := range names {
				p.update(runner.Progress{Test: name, Trials: 1234, Failures: 2, InFlight: 4, MaxTrials: 2000, Bounded: true, PassAtOrBelow: -1, FailAtOrAbove: sprt.Never})
			}
			drawn := regexp.MustCompile(`\x1b\[\d*[AJK]|\r`).ReplaceAllString(stderr.String(), "")
			lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
			if len(lines) != 3+4+4 { // those that are known, how many are not, and the sum
				t.Errorf("width %d: %d lines: %q", width, len(lines), lines)
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

// A test in rounds shows the passes of each side. Where several boundaries decide there is no
// gauge between two of them.
func TestRunProgressOfTwoSides(t *testing.T) {
	a := completed(App{Stderr: &bytes.Buffer{}, Env: environment(map[string]string{"LC_ALL": "C"}), TerminalWidth: terminalOf(80)})
	p := a.newRunProgress(&runner.Options{})
	state := runner.Progress{
		Test: "refund", Trials: 26, Failures: 4, Errors: 1, Sides: 2, BaselineFailures: 1, BaselineErrors: 1, InFlight: 3,
	}
	want := "refund                     10/13     baseline 11/13 1 errors 3 running"
	if got := p.line(state); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	state.Sides, state.BaselineFailures, state.BaselineErrors, state.Bounded = 1, 0, 0, true
	state.FailAtOrAbove, state.MaxTrials = sprt.Never, 40
	if got := p.line(state); !strings.Contains(got, "21/26") || !strings.Contains(got, "Pass .o") {
		t.Errorf("%q", got)
	}
}
