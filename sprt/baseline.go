package sprt

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/stats"
)

// Baseline is a stored baseline turned into hypotheses. A stored baseline is a
// sample, not a known rate: treating 50 trials of it as known gives 13.8 % false
// Fails where 5 % are asked for. So the test runs between exact limits of the
// baseline's rate: it asks whether the candidate is at least Limits.Low, or at most
// Limits.High less delta. With probability 1-gamma over the baseline, every later
// test keeps alpha and beta.
type Baseline struct {
	Counts     stats.Counts   // the stored trials
	Limits     stats.Interval // of the baseline's pass rate: exact, two-sided at 1-gamma
	Hypotheses Hypotheses     // of the tests of a candidate
}

// NotReadyError says that a baseline is too small for the drop that is asked for.
type NotReadyError struct {
	Limits stats.Interval // of the baseline's pass rate
	Delta  float64        // the drop that was to be told, at most as wide as Limits
	// Needed is the number of baseline trials from which on the limits are closer
	// than delta, at the observed rate; 0 where no number would do.
	Needed int
	// Comfortable is the number at which about half of delta is left between the
	// hypotheses; 0 where no number would do.
	Comfortable int
}

// ExitCode is that of input that cannot be used.
func (e *NotReadyError) ExitCode() int { return exit.Input }

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("the baseline's rate is only known to lie in [%.4f, %.4f], which is wider than delta %v; "+
		"it takes %d baseline trials at the observed rate, comfortably %d",
		e.Limits.Low, e.Limits.High, e.Delta, e.Needed, e.Comfortable)
}

// DefaultGamma is the probability, over baselines, that the guarantee fails.
const DefaultGamma = 0.05

// FromBaseline returns the hypotheses to test a candidate against a stored baseline:
// delta is the smallest drop that matters, gamma the two-sided error of the limits
// of the baseline's rate (Clopper and Pearson 1934). It returns a [NotReadyError]
// where the baseline is too small.
func FromBaseline(c stats.Counts, delta, alpha, beta, gamma float64) (Baseline, error) {
	limits, err := stats.ClopperPearson(c, gamma)
	if err != nil {
		return Baseline{}, err
	}
	if !(delta > 0 && delta < 1) {
		return Baseline{}, &HypothesesError{"delta", delta, "must lie strictly between 0 and 1"}
	}
	if limits.Width() >= delta {
		needed, comfortable := BaselineTrials(c.Rate(), delta, gamma)
		return Baseline{}, &NotReadyError{limits, delta, needed, comfortable}
	}
	h := Hypotheses{Threshold: limits.Low, Delta: limits.Low - (limits.High - delta), Alpha: alpha, Beta: beta}
	if err := h.Validate(); err != nil {
		return Baseline{}, err
	}
	return Baseline{Counts: c, Limits: limits, Hypotheses: h}, nil
}

// BaselineTrials returns how many baseline trials at a pass rate make the limits
// closer than delta, and the comfortable p(1-p)(4z/delta)² at which they are about
// half of delta apart. Either is 0 where more than [stats.MaxTrials] would be
// needed or the arguments cannot be used.
func BaselineTrials(rate, delta, gamma float64) (needed, comfortable int) {
	if !(rate >= 0 && rate <= 1 && delta > 0 && delta < 1 && gamma > 0 && gamma < 1) {
		return 0, 0
	}
	close := func(n int, width float64) bool {
		limits, err := stats.ClopperPearson(stats.Counts{Passes: int(math.Round(rate * float64(n))), Trials: n}, gamma)
		return err == nil && limits.Width() < width
	}
	z := dist.NormalUpperQuantile(gamma / 2)
	comfortable = int(math.Ceil(rate * (1 - rate) * 16 * z * z / delta / delta))
	// At rates of 0 and 1 the formula gives nothing; half of delta does.
	needed = first(func(n int) bool { return close(n, delta) })
	half := first(func(n int) bool { return close(n, delta/2) })
	return needed, max(comfortable, half)
}

// first returns the smallest n that holds, by doubling and bisection.
func first(holds func(n int) bool) int {
	high := 1
	for !holds(high) {
		if high > stats.MaxTrials/2 {
			return 0
		}
		high *= 2
	}
	low := high / 2
	for high-low > 1 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
