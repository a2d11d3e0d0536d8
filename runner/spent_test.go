//go:build unix

package runner

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// What a run spent is what the trials of its journal, read as a recording, cost in all: those that broke off by
// their own account too.
func TestRecordingCostsWhatTheRunSpent(t *testing.T) {
	o := prepared(t, scripted(t, `case $1 in *-[147]-0) echo '`+brokenOff+`';; *) echo '`+went+`';; esac`,
		"output: trial", "limits: none\nevaluate: [contains: billing]"))
	o.Journal = filepath.Join(t.TempDir(), "journal")
	found := mustRun(t, o)
	file, err := os.Open(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum, trials := 0.0, 0
	for x, err := range ingest.NewStream(file, ingest.Options{From: "journal"}).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		cost := x.TotalCostUSD()
		if !cost.Known {
			t.Errorf("the cost of trial %d is not known", x.Index.Value)
		}
		sum += cost.Value
		trials++
	}
	// Each of the attempts says that it took 0.3 USD.
	if want := .3 * float64(trials); trials != len(found.Trials) || math.Abs(sum-want) > 1e-9 ||
		math.Abs(found.Spent.CostUSD-want) > 1e-9 {
		t.Errorf("%v in %d trials, the run spent %v in %d", sum, trials, found.Spent.CostUSD, len(found.Trials))
	}
}

// An attempt that never began took nothing, and tells nothing of what the others took: amounts that no trial tells
// stay unknown beside it.
func TestUnbegunAttemptsTellNoAmounts(t *testing.T) {
	for _, told := range []trial.Optional[float64]{{}, trial.Some(0.5)} {
		o := options(long(t, 20), AgentFunc(func(_ context.Context, r Request) Attempt {
			if r.Trial == 1 && r.Attempt == 0 {
				return Attempt{Err: &InfrastructureError{Type: "connection", Problem: "refused", Unbegun: true}}
			}
			return Attempt{Trial: &trial.Trial{Outcome: trial.Pass, CostUSD: told}}
		}), "s")
		o.Retries = 1
		found := mustRun(t, o)
		s := found.spent()
		tokens := s.InputTokens != nil || s.OutputTokens != nil
		if found.Spent.Unstarted != 1 || tokens || (s.CostUSD != nil) != told.Known {
			t.Errorf("cost told %v: %+v of %+v", told.Known, s, found.Spent)
		}
	}
}

// The same where the suite has a price and no trial tells its cost: attempts that broke off without a trial, and
// trials that nobody could judge, cost as much as all others. Each record says how long its attempt took.
func TestRecordingCostsThePriceOfTheRun(t *testing.T) {
	o := options(long(t, 60), AgentFunc(func(_ context.Context, r Request) Attempt {
		switch {
		case r.Trial%5 == 1 && r.Attempt == 0:
			return Attempt{Err: &InfrastructureError{Type: "start", Problem: "no program", Unbegun: true}}
		case r.Trial%5 == 2:
			return Attempt{Err: &InfrastructureError{Type: "exit", Problem: "it printed nothing"}}
		case r.Trial%5 == 3:
			return Attempt{Trial: &trial.Trial{Output: trial.RawString("?")}}
		}
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
	}), "a")
	o.Judge = func(_ context.Context, r Request, a *Attempt) error {
		if a.Trial.Outcome == trial.Unjudged {
			return errors.New("the judge is out")
		}
		return nil
	}
	o.Retries = 1
	o.Budget = Budget{PricePerTrial: 0.25, MaxTrials: 20}
	o.Journal = filepath.Join(t.TempDir(), "journal")
	found := mustRun(t, o)
	file, err := os.Open(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum, seconds, trials, failed := 0.0, 0.0, 0, 0
	for x, err := range ingest.NewStream(file, ingest.Options{From: "journal"}).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		sum += x.TotalCostUSD().Value
		seconds += x.DurationSeconds.Value
		trials++
		if x.Outcome == trial.Error {
			failed++
			if !x.DurationSeconds.Known {
				t.Errorf("trial %d does not say how long it took", x.Index.Value)
			}
		}
	}
	if trials != 20 || failed != 8 || sum != 5 || found.Spent.CostUSD != 5 {
		t.Errorf("%d trials, %d errors, %v USD; the run spent %v", trials, failed, sum, found.Spent.CostUSD)
	}
	if most := found.Spent.Duration.Seconds(); seconds > most+1e-6 {
		t.Errorf("%v s in the recording, %v in the run", seconds, most)
	}
}
