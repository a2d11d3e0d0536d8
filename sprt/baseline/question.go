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
	// chosen by what it came to: both errors may be larger by it. 0: [DefaultGamma], or a
	// hundredth of Alpha or Beta where that is less. It is not used where Guard is given.
	Gamma float64
	// Guard is the lowest rate of the baseline for which the errors are kept, above Delta and
	// below 1; the highest is 1. 0: chosen by what the baseline came to.
	Guard float64
	// Scenarios is how many are pooled on both sides, each with as many trials of the baseline. Both errors are then kept
	// where they pass unlike often too. 0 or 1: all trials have one rate.
	Scenarios int
}

// gamma is that of the question, with its default.
func (q Question) gamma() float64 {
	if q.Gamma != 0 {
		return q.Gamma
	}
	gamma := float64(DefaultGamma)
	for _, target := range []float64{q.Alpha, q.Beta} {
		if target > 0 { // others are refused
			gamma = min(gamma, target/100)
		}
	}
	return gamma
}

// Against plans the test of a candidate against a baseline that came to an outcome of its
// sample. The boundaries to run are [Family.Boundaries] of that outcome. Both errors, over
// every outcome that the baseline might have had, are those of the plan, and
// [Family.Gamma] more; with it they are within the targets. The guarded range is chosen by
// [Chain]; use that for several outcomes of one sample.
//
// It returns the errors of [Stored], a [TooSmallError] also where the baseline is too
// small for what it came to, an [OutcomeError] if it cannot have come to the outcome, or
// has no test for it in the guarded range, and a [HypothesesError] where there is nothing
// to ask.
func Against(ctx context.Context, q Question, sample Sample, o Outcome, options Options) (Plan, error) {
	c, err := NewChain(q, sample, options)
	if err != nil {
		return Plan{}, err
	}
	return c.Against(ctx, o)
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
