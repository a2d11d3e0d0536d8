package recording

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Tallies counts the recording by scenario, in order of appearance.
func (r *Recording) Tallies() []verdict.Tally {
	if r.groups != nil {
		var t verdict.Tallies
		for i := range r.groups {
			t.AddTally(r.groups[i].Tally())
		}
		return t.List()
	}
	if r.table.rows == 0 {
		return nil
	}
	list := make([]verdict.Tally, len(r.table.scenarios))
	for i, name := range r.table.scenarios {
		list[i].Scenario = name
	}
	for row, cost := range r.Values(CostMetric) {
		// An observation is one trial, or several that are known as counts.
		n := r.table.countOf(row)
		tally := &list[r.table.scenarioOf(row)]
		outcome := r.table.outcome(row)
		switch outcome {
		case trial.Pass:
			tally.Passes += n
		case trial.Fail:
			tally.Fails += n
		default:
			tally.Errors += n
		}
		tally.Cost.Trials += n
		if math.IsNaN(cost) {
			continue
		}
		// Of several trials the cost is that of each.
		tally.Cost.Known += n
		tally.Cost.TotalUSD += float64(n) * cost
		if outcome == trial.Pass {
			tally.Cost.Passes += n
		}
		if basis := r.table.basis(row); basis != trial.RecordedCost {
			tally.Cost.Estimated += n
			if basis == trial.CostAtMost {
				tally.Cost.AtMost += n
			}
		}
	}
	return list
}

// Counts returns the passes and trials of a recording under a way of scoring: errors are
// among the trials only where they are scored.
func (r *Recording) Counts(s ErrorScore) stats.Counts {
	var c stats.Counts
	for outcome, n := range r.counts {
		if passed, counted := s.Passed(trial.Outcome(outcome)); counted {
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
