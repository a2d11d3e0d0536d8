package sprt

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Hypotheses are what a sequential test tells apart, and how often it may err:
// H0, the pass rate is at least Threshold; H1, it is at most Threshold-Delta.
type Hypotheses struct {
	Threshold float64 // strictly between 0 and 1
	Delta     float64 // smallest drop that matters, strictly between 0 and Threshold
	Alpha     float64 // bounds P(Fail) under H0
	Beta      float64 // bounds P(Pass) under H1
}

// Lower returns Threshold-Delta, the largest rate of H1, rounded to where decimal
// fractions come out as they are written: 0.9-0.1 is 0.8.
func (h Hypotheses) Lower() float64 {
	// float64 has almost 16 digits; at 15 the difference of two decimal fractions is the one that is
	// written.
	const grid = 1e15
	return math.Round((h.Threshold-h.Delta)*grid) / grid
}

// HypothesesError says which of the hypotheses cannot be tested, and why.
type HypothesesError struct {
	Field   string  // such as "delta"
	Value   float64 // what it was
	Problem string  // such as "must lie strictly between 0 and 1"
}

// ExitCode is that of a question that cannot be asked.
func (e *HypothesesError) ExitCode() int { return exit.Usage }

func (e *HypothesesError) Error() string {
	return fmt.Sprintf("%s %v %s", e.Field, e.Value, e.Problem)
}

// Validate returns a [HypothesesError] unless there is something to test.
func (h Hypotheses) Validate() error {
	// Comparisons are written so that NaN fails them.
	inside := func(x float64) bool { return x > 0 && x < 1 }
	switch {
	case !inside(h.Threshold):
		return &HypothesesError{"threshold", h.Threshold,
			"must lie strictly between 0 and 1: no number of passes shows a rate of 1, and none is needed for 0"}
	case !(h.Delta > 0):
		return &HypothesesError{"delta", h.Delta,
			"must be positive: rates that are arbitrarily close cannot be told apart"}
	case !(h.Delta < h.Threshold) || !(h.Lower() > 0):
		return &HypothesesError{"delta", h.Delta,
			fmt.Sprintf("must be below the threshold %v, so that the lower rate is above 0", h.Threshold)}
	case !inside(h.Alpha):
		return &HypothesesError{"alpha", h.Alpha, "must lie strictly between 0 and 1"}
	case !inside(h.Beta):
		return &HypothesesError{"beta", h.Beta, "must lie strictly between 0 and 1"}
	case h.Alpha+h.Beta >= 1:
		return &HypothesesError{"alpha", h.Alpha,
			fmt.Sprintf("and beta %v must add up to less than 1: a coin would do", h.Beta)}
	}
	return nil
}
