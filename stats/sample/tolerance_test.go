package sample

import (
	"math/big"
	"testing"
)

// The numbers of values that are needed for the r-th largest to be a limit for 95 % with 95 % confidence, as tabulated
// for Wilks' formula of orders 1 to 10: Somerville 1958 (Ann. Math. Stat. 29:599), and Nutt and Wallis 2004 (Reliab.
// Eng. Syst. Saf. 83:57), where 59, 93, 124, 153, 181, 208, 234, 260, 286 and 311 are the sizes of the sample.
func TestToleranceRankTabulated(t *testing.T) {
	for i, n := range []int{59, 93, 124, 153, 181, 208, 234, 260, 286, 311} {
		at, err := ToleranceRank(n, 0.95, 0.95)
		before, _ := ToleranceRank(n-1, 0.95, 0.95)
		if err != nil || at != i+1 || before != i {
			t.Errorf("n=%d: rank %d, and %d with one less, %v; not %d", n, at, before, err, i+1)
		}
	}
	// The first column of Somerville's tables, for other shares and confidences.
	for _, c := range []struct {
		share, confidence float64
		least             int
	}{
		{0.95, 0.95, 59}, {0.95, 0.90, 45}, {0.95, 0.99, 90}, {0.99, 0.95, 299}, {0.99, 0.99, 459}, {0.90, 0.95, 29},
		{0.90, 0.90, 22}, {0.90, 0.99, 44}, {0.75, 0.95, 11}, {0.5, 0.95, 5}, {0.5, 0.5, 1},
	} {
		if n, err := ToleranceTrials(c.share, c.confidence); err != nil || n != c.least {
			t.Errorf("%v: %d, %v", c, n, err)
		}
	}
}

// The rank is the largest one that holds, by sums of fractions.
func TestToleranceRankEnumerated(t *testing.T) {
	share, confidence := big.NewRat(9, 10), big.NewRat(19, 20)
	for n := range 120 {
		want, tail := 0, new(big.Rat)
		for r := n; r >= 1; r-- { // P(X >= r)
			term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(r)))
			for i := range n {
				p := share
				if i < r {
					p = new(big.Rat).Sub(big.NewRat(1, 1), share)
				}
				term.Mul(term, p)
			}
			if tail.Add(tail, term); tail.Cmp(confidence) >= 0 {
				want = r
				break
			}
		}
		if got, err := ToleranceRank(n, 0.9, 0.95); err != nil || got != want {
			t.Errorf("n=%d: %d, not %d (%v)", n, got, want, err)
		}
	}
}

func TestToleranceRefuses(t *testing.T) {
	for _, c := range []struct {
		n                 int
		share, confidence float64
	}{{-1, 0.9, 0.9}, {10, 0, 0.9}, {10, 1, 0.9}, {10, 0.9, 1}, {10, 0.9, 0}} {
		if _, err := ToleranceRank(c.n, c.share, c.confidence); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
