package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Wilson returns the score interval of a pass rate at two-sided level 1-alpha:
// every rate that the normal test with the variance under the hypothesis does not
// reject (Wilson 1927, JASA 22:209). At least one trial is needed.
//
// It always lies within 0..1; the low limit is exactly 0 without passes, the high
// limit exactly 1 without failures. Its coverage is near 1-alpha on average over
// rates, and falls below it near 0 and 1: [ClopperPearson] never does.
func Wilson(c Counts, alpha float64) (Interval, error) {
	if err := checkRateInterval(c, alpha); err != nil {
		return Interval{}, err
	}
	return wilsonAt(c, dist.NormalUpperQuantile(alpha/2)), nil
}

// wilsonAt is the interval for a critical value z > 0.
func wilsonAt(c Counts, z float64) Interval {
	// Rounding must not leave the estimate outside where z is tiny.
	return wilsonOf(float64(c.Passes), float64(c.Fails()), z).including(c.Rate())
}

// wilsonOf is the interval for k passes and f failures, which need not be whole.
func wilsonOf(k, f, z float64) Interval {
	n := k + f
	upper := k + z*z/2 + z*math.Sqrt(k*f/n+z*z/4)
	interval := Interval{
		// The product of the limits is k²/(n(n+z²)): no difference is taken.
		Low:  k * k / (n * upper),
		High: upper / (n + z*z),
	}
	if f == 0 {
		interval.High = 1
	}
	return interval
}

// checkRateInterval checks the arguments of an interval of one rate.
func checkRateInterval(c Counts, alpha float64) error {
	if err := c.validateNonEmpty(); err != nil {
		return err
	}
	return argument.OpenUnit("alpha", alpha)
}

// including widens the interval by rounding errors, so that it contains x and
// stays within 0..1.
func (i Interval) including(x float64) Interval {
	return Interval{Low: math.Max(0, math.Min(i.Low, x)), High: math.Min(1, math.Max(i.High, x))}
}
