package baseline

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
)

// Question is what is asked of a candidate against a stored baseline.
type Question struct {
	Delta       float64 // the smallest drop of the pass rate that matters, strictly between 0 and 1
	Alpha, Beta float64 // of Fail where nothing changed, and of Pass after a drop by Delta
	// Gamma is the chance, at most, that the guarded rates miss the baseline's where they are
	// chosen by what it came to: both errors may be larger by it. 0: [DefaultGamma]. It is
	// not used where Guard is given.
	Gamma float64
	// Guard is the lowest rate of the baseline for which the errors are kept, above Delta and
	// below 1; the highest is 1. 0: chosen by what the baseline came to.
	Guard float64
}

// gamma is that of the question, with its default.
func (q Question) gamma() float64 {
	if q.Gamma == 0 {
		return DefaultGamma
	}
	return q.Gamma
}

// Against plans the test of a candidate against a baseline that came to an outcome of its
// sample. The boundaries to run are [Family.Boundaries] of that outcome. Both errors are
// those of the plan, and [Family.Gamma] more.
//
// It returns the errors of [Stored], an [OutcomeError] if the baseline cannot have come to
// the outcome, or has no test for it in the guarded range, and a [HypothesesError] where
// there is nothing to ask.
func Against(ctx context.Context, q Question, sample Sample, o Outcome, options Options) (Plan, error) {
	if len(sample.outcomes) == 0 || sample.place(o) < 0 {
		return Plan{}, &OutcomeError{Outcome: o}
	}
	h := Hypotheses{Delta: q.Delta, Alpha: q.Alpha, Beta: q.Beta, Guarded: stats.Interval{Low: q.Guard, High: 1}}
	gamma := 0.0
	if q.Guard == 0 {
		gamma = q.gamma()
		guard, err := sample.Guard(o, gamma)
		if err != nil {
			return Plan{}, err
		}
		h.Guarded.Low = guard.Low
	}
	plan, err := Stored(ctx, h, sample, options)
	if err != nil {
		return plan, err
	}
	plan.Family.gamma = gamma
	if _, ok := plan.Family.Boundaries(o); !ok {
		return plan, &OutcomeError{Outcome: o, Guarded: h.Guarded}
	}
	return plan, nil
}

// OutcomeError says that there is no test against what a baseline came to.
type OutcomeError struct {
	Outcome Outcome
	// Guarded are the rates for which a test was planned, and at which the outcome is as good
	// as impossible; zero where the baseline cannot have come to it at any rate.
	Guarded stats.Interval
}

func (e *OutcomeError) Error() string {
	if e.Guarded == (stats.Interval{}) {
		return fmt.Sprintf("the baseline cannot have come to %d failures in %d trials", e.Outcome.Failures, e.Outcome.Trials)
	}
	return fmt.Sprintf("a baseline with %d failures in %d trials does not pass as often as %v or more, "+
		"the rates for which errors are to be kept", e.Outcome.Failures, e.Outcome.Trials, e.Guarded.Low)
}
