package stats

import "github.com/tribunal-dev/tribunal/internal/special"

// Jeffreys returns the equal-tailed posterior interval of a pass rate at level
// 1-alpha under Jeffreys' prior Beta(1/2, 1/2), with the endpoint rule of Brown,
// Cai & DasGupta (2001, Statistical Science 16:101, section 4.1.2): the low limit
// is 0 without passes, the high limit 1 without failures. At least one trial is
// needed.
func Jeffreys(c Counts, alpha float64) (Interval, error) {
	if err := checkRateInterval(c, alpha); err != nil {
		return Interval{}, err
	}
	a, b := float64(c.Passes)+0.5, float64(c.Fails())+0.5
	interval := Interval{0, 1}
	if c.Passes > 0 {
		interval.Low, _ = special.BetaQuantile(a, b, alpha/2, 1-alpha/2)
	}
	if c.Fails() > 0 {
		interval.High, _ = special.BetaQuantile(a, b, 1-alpha/2, alpha/2)
	}
	// At alpha near 1 the interval shrinks to the posterior median, which is not
	// the observed rate.
	return interval, nil
}
