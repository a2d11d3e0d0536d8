package recording

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Tallies counts the recording by scenario, in order of appearance.
func (r *Recording) Tallies() []verdict.Tally {
	var t verdict.Tallies
	for i := range r.Observations {
		o := &r.Observations[i]
		record := trial.Trial{Scenario: o.Scenario, Outcome: o.Outcome}
		if cost := o.Metrics[CostMetric]; !math.IsNaN(cost) {
			record.CostUSD = trial.Some(cost)
		}
		t.Add(&record)
	}
	return t.List()
}

// Counts returns the passes and trials of a recording under a way of scoring.
func (r *Recording) Counts(s ErrorScore) stats.Counts {
	var c stats.Counts
	for i := range r.Observations {
		if passed, counted := s.Passed(r.Observations[i].Outcome); counted {
			c.Trials++
			if passed {
				c.Passes++
			}
		}
	}
	return c
}

// ErrorScore says what a trial counts as that ended in an error.
type ErrorScore uint8

const (
	ErrorsLeftOut ErrorScore = iota
	ErrorsFail
	ErrorsPass
)

// Passed returns whether the outcome counts as a pass, and whether it counts.
func (s ErrorScore) Passed(o trial.Outcome) (passed, counts bool) {
	switch o {
	case trial.Pass:
		return true, true
	case trial.Fail:
		return false, true
	}
	return s == ErrorsPass, s != ErrorsLeftOut
}
