package sample

import (
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// ToleranceRank returns which value of n, counted from the largest, which is 1, is an upper tolerance limit: with at
// least this confidence, at least this share of the distribution from which the values are independent draws lies at or
// below it, whatever the distribution. It is the largest such rank, so that the limit is the lowest; 0 where n is too
// small for any: see [ToleranceTrials].
//
// The value of rank r is such a limit if P(X >= r) >= confidence for a binomial X of n draws with probability 1-share
// (Wilks 1941, Ann. Math. Stat. 12:91; Conover, Practical Nonparametric Statistics, 3rd ed., section 3.3). For values
// with ties, such as counts, the confidence is at least that.
func ToleranceRank(n int, share, confidence float64) (int, error) {
	if err := checkTolerance(share, confidence); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, &stats.ArgumentError{Argument: "n", Value: n, Problem: "must not be negative"}
	}
	above := dist.Binomial{N: n, P: 1 - share}
	// The first rank that is not, less one: P(X >= r) falls in r.
	return sort.Search(n, func(i int) bool { return above.Survival(i) < confidence }), nil
}

// ToleranceTrials returns how many values it takes for one of them to be an upper tolerance limit: the smallest n with
// share^n <= 1-confidence, 59 for 0.95 and 0.95.
func ToleranceTrials(share, confidence float64) (int, error) {
	if err := checkTolerance(share, confidence); err != nil {
		return 0, err
	}
	n := math.Log1p(-confidence) / math.Log(share)
	if n > math.MaxInt32 {
		return math.MaxInt32, nil // nobody has so many
	}
	// Rounding may put it on either side: the rank decides.
	least := max(1, int(n)-1)
	for {
		if rank, err := ToleranceRank(least, share, confidence); err != nil || rank > 0 {
			return least, err
		}
		least++
	}
}

// checkTolerance refuses what is no probability strictly between 0 and 1.
func checkTolerance(share, confidence float64) error {
	for name, p := range map[string]float64{"share": share, "confidence": confidence} {
		if !(p > 0 && p < 1) {
			return &stats.ArgumentError{Argument: name, Value: p, Problem: "must lie strictly between 0 and 1"}
		}
	}
	return nil
}
