package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// manyTrials is a recording of so many passes.
func manyTrials(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"scenario":"a","trial":%d,"outcome":"pass"}`+"\n", i)
	}
	return b.String()
}

// readWithProgress judges 10 strides of trials while the clock goes on by the step
// from stride to stride.
func readWithProgress(t *testing.T, step time.Duration, app App) (stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	app.Stdin = strings.NewReader(manyTrials(10 * world.ProgressStride))
	app.Stdout, app.Stderr = &out, &problems
	app.Now = (&clitest.Clock{Step: step}).Now
	if code := app.Run(context.Background(), []string{"verdict", "-", "--threshold", "0.9", "--json"}); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	return out.String(), problems.String()
}

func TestProgressInCI(t *testing.T) {
	app := App{Env: clitest.Environment(map[string]string{"CI": "true"})}
	// The clock starts at one step and is looked at each stride: lines are due from
	// 3 s on (2 s and a step), then every 5 s.
	_, stderr := readWithProgress(t, time.Second, app)
	want := "tribunal: reading -: 512 trials\n" + "tribunal: reading -: 1792 trials\n"
	if stderr != want {
		t.Errorf("got %q, want %q", stderr, want)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	app := App{TerminalWidth: clitest.TerminalOf(100), Env: clitest.Environment(map[string]string{"TERM": "xterm"})}
	_, stderr := readWithProgress(t, time.Second, app)
	lines := strings.Split(stderr, "\r")
	if len(lines) < 5 || lines[1] != "reading -: 512 trials\x1b[K" || lines[len(lines)-1] != "\x1b[K" ||
		strings.Contains(stderr, "\n") {
		t.Errorf("got %q", stderr)
	}
}

func TestProgressIsSilent(t *testing.T) {
	for name, c := range map[string]struct {
		app  App
		step time.Duration
	}{
		"in a pipe": {App{}, time.Second},
		"on a dumb terminal": {App{TerminalWidth: clitest.TerminalOf(80),
			Env: clitest.Environment(map[string]string{"TERM": "dumb"})}, time.Second},
		"before two seconds in CI":  {App{Env: clitest.Environment(map[string]string{"CI": "1"})}, 100 * time.Millisecond},
		"before two seconds, watch": {App{TerminalWidth: clitest.TerminalOf(80)}, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			if _, stderr := readWithProgress(t, c.step, c.app); stderr != "" {
				t.Errorf("got %q", stderr)
			}
		})
	}
}
