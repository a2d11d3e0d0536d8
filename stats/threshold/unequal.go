package threshold

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// atLeast returns the largest probability of at least so many passes in independent
// trials whose rates may differ and have the given mean. Where passes lie a trial or more
// above the expected number, equal rates are the worst (Hoeffding 1956, Annals of
// Mathematical Statistics 27:713, theorem 4). Where they lie closer, some trials that
// never pass and the rest at one rate are: the maximum over how many is returned. At or
// below the expected number it is 1.
func atLeast(trials, passes int, mean float64) float64 {
	return beyond(trials, passes, float64(trials)*mean, mean)
}

// AtMost is the same of at most so many passes, which is at least so many failures.
func AtMost(trials, passes int, mean float64) float64 {
	return beyond(trials, trials-passes, float64(trials)*(1-mean), 1-mean)
}

// mostTried is how many numbers of trials with a rate above 0 are tried one by one. The
// largest of these probabilities is at the fewest such trials or near them, or with all.
const mostTried = 4096

// beyond returns the largest P(S >= least) over sums S of n independent trials that
// expect m, a mean rate of p.
//
// By Hoeffding's corollary 2.1 the maximum is where rates are 0, 1 or one value between.
// Rates of 1 are not needed: they move the sum and the cut-off alike, and leave less to
// chance.
func beyond(n, least int, m, p float64) float64 {
	switch {
	case least > n:
		return 0
	case float64(least) <= m:
		return 1
	}
	largest := dist.Binomial{N: n, P: p}.Survival(least - 1)
	if float64(least) >= m+1 {
		return largest
	}
	for some := least; some < n && some <= least+mostTried; some++ {
		largest = math.Max(largest, dist.Binomial{N: some, P: m / float64(some)}.Survival(least-1))
	}
	return largest
}
