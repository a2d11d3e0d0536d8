package dist

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// FSurvival returns P(F > x) for the F distribution with d1 and d2 degrees of
// freedom, which need not be whole. The upper tail is an incomplete beta function
// of its own (Abramowitz & Stegun 26.6.2), not 1 minus the lower one, so that it
// keeps its relative precision until it underflows. Infinite d2 gives the
// chi-squared distribution. It is NaN for a NaN argument, for d1 or d2 <= 0, and
// for infinite d1; 1 for x <= 0.
func FSurvival(x, d1, d2 float64) float64 {
	switch {
	case math.IsNaN(x) || !(d1 > 0) || !(d2 > 0) || math.IsInf(d1, 1):
		return math.NaN()
	case x <= 0:
		return 1
	case math.IsInf(d2, 1):
		return ChiSquaredSurvival(d1*x, d1)
	}
	beyond, within := fractions(1, x*d1/d2)
	lower, _ := special.BetaTails(d2/2, d1/2, beyond, within)
	return lower
}
