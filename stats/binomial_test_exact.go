package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// BinomialTestLess is the exact test of H0: the pass rate is at least p0, against
// H1: it is lower. The p-value is the probability of so few passes or fewer at p0,
// summed from the tail itself. At least one trial and 0 <= p0 <= 1 are needed.
func BinomialTestLess(c Counts, p0 float64) (float64, error) {
	if err := checkBinomialTest(c, p0); err != nil {
		return math.NaN(), err
	}
	return dist.Binomial{N: c.Trials, P: p0}.CDF(c.Passes), nil
}

// BinomialTestGreater is the exact test of H0: the pass rate is at most p0, against
// H1: it is higher. The p-value is the probability of so many passes or more at
// p0, summed from the tail itself. It refuses what [BinomialTestLess] refuses.
func BinomialTestGreater(c Counts, p0 float64) (float64, error) {
	if err := checkBinomialTest(c, p0); err != nil {
		return math.NaN(), err
	}
	return dist.Binomial{N: c.Trials, P: p0}.Survival(c.Passes - 1), nil
}

func checkBinomialTest(c Counts, p0 float64) error {
	if err := c.validateNonEmpty(); err != nil {
		return err
	}
	return argument.Probability("p0", p0)
}
