package sprt

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats"
)

// ConfidenceSequence returns an interval for the pass rate that holds at all times
// at once: with probability at least 1-alpha the rate lies in the intervals after
// every number of trials, so it may be looked at after each, in any number of runs,
// without a plan. It is the set of rates that a beta-binomial mixture does not
// outweigh by 1/alpha: the ratio of the mixture's likelihood to the rate's is a
// martingale, which ever reaches 1/alpha with probability alpha at most (Ville 1939;
// Robbins 1970; Howard et al. 2021).
//
// a and b are those of the Beta mixture; 1 and 1 where nothing is known.
func ConfidenceSequence(c stats.Counts, alpha, a, b float64) (stats.Interval, error) {
	if err := c.Validate(); err != nil {
		return stats.Interval{}, err
	}
	if !(alpha > 0 && alpha < 1) {
		return stats.Interval{}, &HypothesesError{"alpha", alpha, "must lie strictly between 0 and 1"}
	}
	if _, err := Beta(a, b); err != nil {
		return stats.Interval{}, err
	}
	if c.Trials == 0 {
		return stats.Interval{Low: 0, High: 1}, nil
	}
	passes, fails := float64(c.Passes), float64(c.Fails())
	mixture := special.LogBeta(a+passes, b+fails) - special.LogBeta(a, b)
	limit := -math.Log(alpha)
	inside := func(p float64) bool {
		return mixture-weigh(passes, p)-weigh(fails, 1-p) < limit
	}
	peak := c.Rate()
	return stats.Interval{
		Low:  peak * (1 - bisect(func(x float64) bool { return inside(peak * (1 - x)) })),
		High: peak + (1-peak)*bisect(func(x float64) bool { return inside(peak + (1-peak)*x) }),
	}, nil
}

// MixtureRatio returns the logarithm of how far a Beta(a, b) mixture outweighs a rate: the
// martingale that [ConfidenceSequence] rests on, which ever reaches 1/alpha with a
// probability of alpha at most if that is the rate. It is +Inf where the rate cannot be.
func MixtureRatio(c stats.Counts, rate, a, b float64) (float64, error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if !(rate >= 0 && rate <= 1) {
		return 0, &HypothesesError{"rate", rate, "must lie between 0 and 1"}
	}
	if _, err := Beta(a, b); err != nil {
		return 0, err
	}
	passes, fails := float64(c.Passes), float64(c.Fails())
	return special.LogBeta(a+passes, b+fails) - special.LogBeta(a, b) - weigh(passes, rate) - weigh(fails, 1-rate), nil
}

// weigh returns count·log p, which is 0 without a count.
func weigh(count, p float64) float64 {
	if count == 0 {
		return 0
	}
	return count * math.Log(p)
}
