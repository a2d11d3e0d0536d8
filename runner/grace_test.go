//go:build unix

package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// stubbornScript is an agent that notes that it began, and that it was asked to end, and goes on.
const stubbornScript = `trap 'echo asked >> asked' TERM; echo begun >> begun; while :; do sleep 0.05; done`

// Without a grace what runs is killed when nothing more is launched, and not asked to end, although its suite gives it
// time for that.
func TestNoGraceKillsAttemptsAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		cause runs.StopCause
		lines string
	}{
		{"interrupt", runs.StoppedByInterrupt, ""},
		{"budget", runs.StoppedByBudget, ""},
		{"interrupt of a session", runs.StoppedByInterrupt, "mode: session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := scripted(t, "cd "+folder+"; "+stubbornScript, c.lines, "limits: none")
			s.Agent.Grace = 30 * time.Second
			o := prepared(t, s)
			o.Grace, o.Concurrency = trial.Some(time.Duration(0)), 1
			interrupt := make(chan struct{})
			if c.cause == runs.StoppedByBudget {
				o.Budget.MaxDuration = time.Second
			} else {
				o.Interrupt = interrupt
				go func() {
					for _, err := os.Stat(filepath.Join(folder, "begun")); err != nil && t.Context().Err() == nil; {
						time.Sleep(5 * time.Millisecond)
						_, err = os.Stat(filepath.Join(folder, "begun"))
					}
					close(interrupt)
				}()
			}
			r, err := Run(t.Context(), o)
			if err != nil || r.StoppedBy != c.cause || r.Lost != 1 {
				t.Errorf("%v; stopped by %v, %d lost", err, r.StoppedBy, r.Lost)
			}
			if _, err := os.Stat(filepath.Join(folder, "asked")); err == nil {
				t.Error("the agent was asked to end")
			}
		})
	}
}
