package baseline

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
)

// Hypotheses are what a test tells apart, and how often it may err.
type Hypotheses struct {
	// Delta is the smallest drop of the pass rate that matters, strictly between 0 and 1.
	Delta float64
	// Alpha bounds P(Fail) where the candidate's rate is the baseline's. It holds for
	// higher rates of the candidate too.
	Alpha float64
	// Beta bounds P(Pass) where the candidate's rate is lower by Delta. It holds for
	// lower rates of the candidate too.
	Beta float64
	// Guarded are the rates of the baseline for which the errors are kept. The lower end
	// is above Delta. [Sample.Guard] chooses them from what the baseline came to. Of two sides in
	// rounds they may be [EveryRate].
	Guarded stats.Interval
}

// HypothesesError says which number of the hypotheses cannot be used.
type HypothesesError struct {
	Name    string // of the number, such as "delta"
	Value   float64
	Problem string
}

func (e *HypothesesError) Error() string { return fmt.Sprintf("%s %v %s", e.Name, e.Value, e.Problem) }

// Validate returns a [HypothesesError] unless a test can tell the hypotheses apart.
func (h Hypotheses) Validate() error {
	for _, x := range []struct {
		name  string
		value float64
	}{{"delta", h.Delta}, {"alpha", h.Alpha}, {"beta", h.Beta}} {
		if !(x.value > 0 && x.value < 1) {
			return &HypothesesError{x.name, x.value, "must lie strictly between 0 and 1"}
		}
	}
	if h.Alpha+h.Beta >= 1 {
		return &HypothesesError{"alpha", h.Alpha, fmt.Sprintf("and beta %v must be less than 1 together", h.Beta)}
	}
	if !(h.Guarded.Low > h.Delta) {
		return &HypothesesError{"the lowest guarded rate", h.Guarded.Low,
			fmt.Sprintf("must be above delta %v", h.Delta)}
	}
	if !(h.Guarded.High <= 1 && h.Guarded.High > h.Guarded.Low) {
		problem := fmt.Sprintf("must be above the lowest %v and at most 1", h.Guarded.Low)
		return &HypothesesError{"the highest guarded rate", h.Guarded.High, problem}
	}
	return nil
}
