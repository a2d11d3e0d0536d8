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
	"github.com/tribunal-dev/tribunal/trial/oracle"
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

// What no result lists is kept in some bytes, and the result is the same: of trials with and without limits, in the
// order of their launch.
func TestTrialsThatAreNotListedAreCounted(t *testing.T) {
	trials := thorough.Draws(2*runs.MostListed+700, 4*runs.MostListed)
	recording, err := sprt.Recording(trials)
	if err != nil {
		t.Fatal(err)
	}
	agent := AgentFunc(func(_ context.Context, r Request) Attempt {
		x := &trial.Trial{Outcome: trial.Outcome(1 + r.Trial%7%2), CostUSD: trial.Some(float64(r.Trial) / 1024)}
		switch r.Trial % 5 {
		case 1:
			x.InputTokens, x.Model = trial.Some(int64(r.Trial)), "m"
		case 2:
			x.Output = trial.RawString(strings.Repeat("a word ", 12+r.Trial%3))
		case 3:
			judgement := oracle.Judgement{Outcome: x.Outcome, Limits: []oracle.LimitResult{
				{Name: "max_turns", Max: 9, Actual: trial.Some(float64(r.Trial % 9)), Outcome: trial.Pass}}}
			if err := judgement.Record(x); err != nil {
				t.Error(err)
			}
		case 4:
			x.Outcome = trial.Error
		}
		return Attempt{Trial: x}
	})
	var want *runs.Result
	for _, brief := range []bool{false, true} {
		o := options(recording, agent, "a")
		o.Journal, o.Suite, o.Brief, o.Concurrency = filepath.Join(t.TempDir(), "journal"), "s", brief, 4
		found := mustRun(t, o)
		if brief != (len(found.Trials) < trials) {
			t.Errorf("brief %v: %d trials are kept of %d", brief, len(found.Trials), trials)
		}
		e := found.Evidence("s", "d", "1")
		e.Journal, e.Spent.Duration = nil, 0
		list := e.Tests[0].Trials
		if gather := e.Tests[0].Gather; brief {
			list = gather()
		}
		if len(list) != trials {
			t.Errorf("brief %v: the evidence has %d trials of %d", brief, len(list), trials)
		}
		for i, x := range list {
			if x.Number != i || (x.Trial == nil) == (x.Kept == nil) {
				t.Fatalf("brief %v, trial %d: %+v", brief, i, x)
			} else if x.Trial != nil { // no two runs take the same time
				x.Trial.DurationSeconds = trial.Optional[float64]{}
			}
		}
		got, err := runs.Judge(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		counts := found.Outcomes()
		if test := got.Tests[0]; counts[trial.Pass] != test.Passes || counts[trial.Fail] != test.Fails ||
			counts[trial.Error] != test.Errors {
			t.Errorf("brief %v: %v, want those of %+v", brief, counts, test)
		}
		// The durations of what is kept are those that were measured.
		got.Distributions, got.Tests[0].Measures.Duration = nil, nil
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("brief %v: %s", brief, diff)
		}
	}
}

// The memory of a run grows by a hundred bytes with each trial that no result lists.
func TestMemoryOfATrial(t *testing.T) {
	const first, most = 4000, 160                      // bytes
	trials := thorough.Draws(first+4000, first+16_000) // the most that a recording has
	heap := func(trials int) int {
		recording, err := sprt.Recording(trials)
		if err != nil {
			t.Fatal(err)
		}
		o := options(recording, AgentFunc(func(context.Context, Request) Attempt {
			return Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString(strings.Repeat("ok ", 30)),
				Model: "small", InputTokens: trial.Some(int64(1200)), OutputTokens: trial.Some(int64(80))}}
		}), "a")
		o.Journal, o.Suite, o.Brief, o.Concurrency = filepath.Join(t.TempDir(), "journal"), "s", true, 2
		found := mustRun(t, o)
		e := found.Evidence("s", "d", "1")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(found)
		runtime.KeepAlive(e)
		return int(m.HeapAlloc)
	}
	if got := (heap(trials) - heap(first)) / (trials - first); got > most {
		t.Errorf("%d bytes are kept of each trial, at most %d are to be", got, most)
	}
}

// The memory of a run does not grow with all that its agent writes.
func TestOutputsAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a hundred megabytes")
	}
	const trials = 24
	each := thorough.Draws(1<<20, 4<<20)
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
