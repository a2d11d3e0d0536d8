package stats

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// PassAtK returns the unbiased estimate of pass@k, the probability that at least
// one of k trials passes: 1 - C(n-passes, k)/C(n, k) (Chen et al. 2021, "Evaluating
// Large Language Models Trained on Code", equation 1), the share of the sets of k
// recorded trials that hold a pass. It needs 1 <= k <= trials.
func PassAtK(c Counts, k int) (float64, error) {
	if err := checkK(c, k); err != nil {
		return math.NaN(), err
	}
	_, some := drawsOfNone(c.Trials, c.Passes, k)
	return some, nil
}

// PassHatK returns the unbiased estimate of pass^k, the probability that all of k
// trials pass: C(passes, k)/C(n, k) (Yao et al. 2024, "τ-bench", section 3), the
// share of the sets of k recorded trials that hold no failure. It needs
// 1 <= k <= trials.
func PassHatK(c Counts, k int) (float64, error) {
	if err := checkK(c, k); err != nil {
		return math.NaN(), err
	}
	none, _ := drawsOfNone(c.Trials, c.Fails(), k)
	return none, nil
}

// checkK returns an error unless k trials can be drawn from those that there are.
func checkK(c Counts, k int) error {
	if err := c.validateNonEmpty(); err != nil {
		return err
	}
	if k < 1 || k > c.Trials {
		return argument.Wrong("k", k, fmt.Sprintf("must lie between 1 and the number of trials, %d", c.Trials))
	}
	return nil
}

// drawsOfNone returns the probability that k of n items, drawn without replacement,
// hold none of the marked ones, and the probability that they hold some.
//
// The probability of none is the product over i < few of 1 - many/(n-i), where few
// and many are k and marked in either order: no binomial coefficient is formed.
func drawsOfNone(n, marked, k int) (none, some float64) {
	few, many := min(marked, k), max(marked, k)
	if few > n-many {
		return 0, 1
	}
	none = 1
	logNone := 0.0
	for i := range few {
		left := float64(n - i)
		none *= (left - float64(many)) / left
		logNone += math.Log1p(-float64(many) / left)
		if logNone < -745 {
			return 0, 1 // below the smallest float64
		}
	}
	if none < 0.5 {
		return none, 1 - none
	}
	return none, -math.Expm1(logNone)
}
