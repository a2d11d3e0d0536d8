package runner

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// wordy is an agent that writes much, with bytes that are no text and long characters at every place of a cut.
func wordy(bytes int) AgentFunc {
	return func(_ context.Context, r Request) Attempt {
		long := strings.Repeat("x", int(r.Seed%7)) + strings.Repeat("é\x00", bytes/3)
		t := &trial.Trial{Outcome: trial.Pass, Output: trial.RawString(long), Steps: make([]trial.Step, 33)}
		for i := range t.Steps {
			t.Steps[i] = trial.Step{Action: trial.CallTool, Tool: long[:300], Arguments: trial.RawString(long[:500]),
				Output: trial.RawString(long[:400]), Error: long[:201]}
		}
		if r.Trial%3 == 0 {
			t.Outcome, t.Error = trial.Fail, &trial.Cause{Type: "odd", Message: long[:1000]}
		}
		return Attempt{Trial: t}
	}
}

// A run that keeps no more than it lists has the same result as one that keeps everything, also after a resume.
func TestBriefRunsHaveTheSameResult(t *testing.T) {
	recording, err := sprt.Recording(12)
	if err != nil {
		t.Fatal(err)
	}
	var want *runs.Result
	for _, brief := range []bool{false, true} {
		o := options(recording, wordy(2000), "a")
		o.Journal, o.Suite, o.Brief = filepath.Join(t.TempDir(), "journal"), "s", brief
		for _, o.Resume = range []bool{false, true} {
			found := mustRun(t, o)
			e := found.Evidence("s", "d", "1")
			e.Journal, e.Spent.Duration = nil, 0
			got, err := runs.Judge(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Trials {
				got.Trials[i].Duration = nil // no two runs take the same time
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want.Trials, got.Trials); diff != "" {
				t.Errorf("brief %v, resumed %v: %s", brief, o.Resume, diff)
			}
			if diff := cmp.Diff(want.Tests, got.Tests); diff != "" || got.Trials[0].StepsOmitted != 3 {
				t.Errorf("brief %v, resumed %v: %s", brief, o.Resume, diff)
			}
		}
	}
}

// The memory of a run does not grow with all that its agent writes.
func TestOutputsAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a hundred megabytes")
	}
	const trials = 24
	each := thorough.Draws(2<<20, 4<<20)
	recording, err := sprt.Recording(trials)
	if err != nil {
		t.Fatal(err)
	}
	o := options(recording, AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Trial: &trial.Trial{Outcome: trial.Fail, Output: trial.RawString(strings.Repeat("x", each))}}
	}), "a")
	o.Journal, o.Suite, o.Brief, o.Concurrency = filepath.Join(t.TempDir(), "journal"), "s", true, 2
	for _, o.Resume = range []bool{false, true} {
		r := mustRun(t, o)
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > uint64(each)*trials/3 || len(r.Trials) != trials {
			t.Errorf("resumed %v: %d bytes are kept of %d trials of %d bytes", o.Resume, m.HeapAlloc, len(r.Trials), each)
		}
		runtime.KeepAlive(r)
	}
}
