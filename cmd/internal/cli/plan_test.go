package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// On a terminal the boundaries are drawn below the text without being asked for,
// unless the tests are compared or the text goes to a file.
func TestPlanDrawsOnATerminal(t *testing.T) {
	app := App{TerminalWidth: clitest.TerminalOf(80), Env: clitest.Environment(map[string]string{"TERM": "dumb"})}
	for _, c := range []struct {
		args  []string
		drawn bool
	}{
		{nil, true},
		{[]string{"--compare"}, false},
		{[]string{"--compare", "--chart", "-"}, true},
		{[]string{"--chart", filepath.Join(t.TempDir(), "plan.svg")}, false},
	} {
		args := append([]string{"plan", "--threshold", "0.9", "--max-trials", "30"}, c.args...)
		code, stdout, stderr := tribunal(context.Background(), app, args...)
		if code != ExitPass || stderr != "" || strings.Contains(stdout, "# Fail, . Pass, blank: go on\n") != c.drawn {
			t.Errorf("%q: exit code %d, stderr %q, stdout\n%s", c.args, code, stderr, stdout)
		}
	}
	file := filepath.Join(t.TempDir(), "plan.txt")
	if code, _, stderr := tribunal(context.Background(), app, "plan", "--threshold", "0.9", "--max-trials", "30",
		"--output", file); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte("go on")) {
		t.Errorf("%v\n%s", err, text)
	}
}

// A design that takes longer than a second tells how far it is.
func TestPlanProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("it plans a slow design")
	}
	plan := func(app App, step time.Duration) string {
		app.Now = (&clitest.Clock{Step: step}).Now
		code, _, stderr := tribunal(context.Background(), app, "plan", "--threshold", "0.9", "--max-trials", "40", "--prior",
			"worst")
		if code != ExitPass {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return stderr
	}
	inCI := plan(App{Env: clitest.Environment(map[string]string{"CI": "true"})}, time.Second)
	lines := strings.Split(strings.TrimSuffix(inCI, "\n"), "\n")
	shares := map[string]bool{}
	for _, line := range lines {
		if !strings.HasPrefix(line, "tribunal: designing: ") || !strings.HasSuffix(line, " %") {
			t.Errorf("line %q", line)
		}
		shares[line] = true
	}
	if len(lines) < 3 || len(shares) < 3 {
		t.Errorf("got %q", inCI)
	}
	live := plan(App{TerminalWidth: clitest.TerminalOf(100), Env: clitest.Environment(map[string]string{"TERM": "xterm"})},
		time.Second)
	if !strings.HasPrefix(live, "\rdesigning: ") || !strings.HasSuffix(live, "\r\x1b[K") || strings.Contains(live, "\n") {
		t.Errorf("got %q", live)
	}
	for name, stderr := range map[string]string{
		"in a pipe":           plan(App{}, time.Nanosecond),
		"before a second":     plan(App{Env: clitest.Environment(map[string]string{"CI": "1"})}, time.Nanosecond),
		"before it, watching": plan(App{TerminalWidth: clitest.TerminalOf(80)}, time.Nanosecond),
	} {
		if stderr != "" {
			t.Errorf("%s: got %q", name, stderr)
		}
	}
	// Where nobody watches, one line says why nothing happens.
	dumb := App{TerminalWidth: clitest.TerminalOf(80), Env: clitest.Environment(map[string]string{"TERM": "dumb"})}
	for name, app := range map[string]App{"in a pipe": {}, "on a dumb terminal": dumb} {
		stderr := plan(app, time.Second)
		if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, " %; a test of many trials takes its time\n") {
			t.Errorf("%s: got %q", name, stderr)
		}
	}
}

// The share never goes back, also where a search starts again.
func TestDesigningDoesNotGoBack(t *testing.T) {
	var stderr bytes.Buffer
	a := completed(App{Stderr: &stderr, Now: (&clitest.Clock{Step: time.Minute}).Now,
		Env: clitest.Environment(map[string]string{"CI": "1"})})
	d := a.NewDesigning()
	for _, share := range []float64{0.1, 0.5, 0.2, 0.9} {
		d.Share(share)
	}
	d.End()
	if want := "tribunal: designing: 10 %\ntribunal: designing: 50 %\ntribunal: designing: 50 %\ntribunal: designing: " +
		"90 %\n"; stderr.String() != want {
		t.Errorf("got %q", stderr.String())
	}
}

// An interrupt ends a search, and leaves no file.
func TestPlanIsInterrupted(t *testing.T) {
	folder := t.TempDir()
	for _, args := range [][]string{
		{"plan", "--threshold", "0.99", "--delta", "0.01", "--max-trials", "3000", "--output", filepath.Join(folder, "plan"),
			"--chart", filepath.Join(folder, "plan.svg")},
		{"verdict", "-", "--threshold", "0.99", "--delta", "0.01", "--max-trials", "3000", "--sequential", "--output",
			filepath.Join(folder, "verdict")},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		// The clock is looked at when a share is told: the search has begun then.
		looks := 0
		app := App{
			Stdin: strings.NewReader(manyTrials(10)),
			Env:   clitest.Environment(map[string]string{"CI": "1"}),
			Now: func() time.Time {
				if looks++; looks == 4 {
					cancel(&problem.SignalError{Signal: syscall.SIGINT})
				}
				return time.Unix(0, 0)
			},
		}
		code, stdout, stderr := tribunal(ctx, app, args...)
		if code != ExitInterrupted || stdout != "" || stderr != "tribunal: interrupted\n" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Runs of real agents. Tau-bench's airline domain is recorded round by round, and
// its first four trials failed; of the other scenarios they say nothing.
func TestSequentialVerdictOnRealRuns(t *testing.T) {
	r := decode[sequential.Result](t, ExitInconclusive, "verdict", recordingFile(t, "tau-airline-gpt-4o"), "--threshold",
		"0.9", "--sequential")
	if r.Trials != 4 || r.Passes != 0 || r.Recorded != 200 || r.Saved.Trials != 196 || r.Savings.FixedTrials != 109 {
		t.Errorf("%+v", r)
	}
	r = decode[sequential.Result](t, ExitFail, "verdict", recordingFile(t, "retail-gpt-4.1-mini-after"), "--threshold",
		"0.8", "--sequential", "--order", "shuffle")
	if r.Saved.CostUSD == nil || r.Saved.DurationSeconds == nil || r.Seed == 0 {
		t.Errorf("%+v", r)
	}
}
