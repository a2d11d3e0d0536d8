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
	if r.groups != nil {
		for i := range r.groups {
			t.AddTally(r.groups[i].Tally())
		}
		return t.List()
	}
	for _, o := range r.Observations() {
		// An observation is one trial, or several that are known as counts.
		tally := verdict.Tally{Scenario: o.Scenario, Cost: verdict.Cost{Trials: o.Count}}
		switch o.Outcome {
		case trial.Pass:
			tally.Passes = o.Count
		case trial.Fail:
			tally.Fails = o.Count
		default:
			tally.Errors = o.Count
		}
		if cost := o.Metrics[CostMetric]; !math.IsNaN(cost) {
			// Of several trials the cost is that of each.
			tally.Cost.Known, tally.Cost.Passes, tally.Cost.TotalUSD = o.Count, tally.Passes, float64(o.Count)*cost
			if o.Basis != trial.RecordedCost {
				tally.Cost.Estimated = o.Count
			}
			if o.Basis == trial.CostAtMost {
				tally.Cost.AtMost = o.Count
			}
		}
		t.AddTally(tally)
	}
	return t.List()
}

// Counts returns the passes and trials of a recording under a way of scoring: errors are
// among the trials only where they are scored.
func (r *Recording) Counts(s ErrorScore) stats.Counts {
	var c stats.Counts
	for i := range r.table.rows {
		if passed, counted := s.Passed(r.table.outcome(i)); counted {
			n := r.table.countOf(i)
			c.Trials += n
			if passed {
				c.Passes += n
			}
		}
	}
	return c
}

// ErrorScore says what a trial counts as that ended in an error. It is one way of scoring;
// a [verdict.ErrorPolicy] says which of them must agree.
type ErrorScore uint8

// The ways of scoring errors.
const (
	ErrorsLeftOut ErrorScore = iota // they do not count
	ErrorsFail                      // they are failures
	ErrorsPass                      // they are passes
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
