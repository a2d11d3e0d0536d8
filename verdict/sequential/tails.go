package sequential

import (
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Tails are the p-values of where the test ended at a pass rate, exact in the stage-wise
// ordering of [sprt.Boundaries.Tails]: against "at least the rate", and against "at most".
// Under [verdict.RobustErrors] each is with errors as what is least in its favour. A test that
// has not ended, or of which it is not known where errors lay, shows nothing: both are 1.
func (r *Result) Tails(rate float64) (low, high float64, err error) {
	design, err := r.Design.Rebuild("", sprt.Hypotheses{Threshold: r.Threshold, Delta: r.Delta, Alpha: r.Alpha,
		Beta: r.Beta})
	if err != nil {
		return 1, 1, err
	}
	// What ended within the first scenarios shows nothing of all of them.
	if slices.ContainsFunc(r.Reasons, func(x verdict.Reason) bool { return x.Code == CodeScenariosUnseen }) {
		return 1, 1, nil
	}
	b := design.Boundaries
	if r.Errors != verdict.RobustErrors || r.ErrorsIn == 0 {
		if r.Estimate == nil {
			return 1, 1, nil
		}
		return b.Tails(r.Trials, r.Trials-r.Passes, rate)
	}
	low, high = 1, 1
	if r.Recording == nil {
		return low, high, nil
	}
	trials, err := r.Recording.Recording("", r.Recording.Scenarios)
	if err != nil {
		return low, high, err
	}
	order, err := orderOf(trials, r.Order, r.Edition, r.Seed)
	if err != nil {
		return low, high, err
	}
	best, err := follow(trials, order, design, recording.ErrorsPass)
	if err != nil {
		return low, high, err
	}
	worst, err := follow(trials, order, design, recording.ErrorsFail)
	if err != nil {
		return low, high, err
	}
	if best.outcome != sprt.Undecided {
		if low, _, err = b.Tails(best.trials, best.failures, rate); err != nil {
			return 1, 1, err
		}
	}
	if worst.outcome != sprt.Undecided {
		if _, high, err = b.Tails(worst.trials, worst.failures, rate); err != nil {
			return 1, 1, err
		}
	}
	return low, high, nil
}
