package dist

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// Binomial is the distribution of the number of passes among N independent
// trials that each pass with probability P. Its methods return NaN where N < 0
// or P is not a probability.
type Binomial struct {
	N int     // trials, not negative
	P float64 // pass rate of each, from 0 to 1
}

func (b Binomial) valid() bool { return b.N >= 0 && b.P >= 0 && b.P <= 1 }

// Prob returns P(X = k); it is 0 outside 0..N.
func (b Binomial) Prob(k int) float64 { return math.Exp(b.LogProb(k)) }

// LogProb returns log P(X = k), by the saddle-point form of Loader (2000).
func (b Binomial) LogProb(k int) float64 {
	switch {
	case !b.valid():
		return math.NaN()
	case k < 0 || k > b.N:
		return math.Inf(-1)
	}
	return special.LogBinomialMass(k, b.N, b.P, 1-b.P)
}

// CDF returns P(X <= k). Where that is the smaller tail it is a sum of positive
// terms, and keeps its relative precision however small it is.
func (b Binomial) CDF(k int) float64 {
	switch {
	case !b.valid():
		return math.NaN()
	case k < 0:
		return 0
	case k >= b.N:
		return 1
	}
	return binomialLower(k, b.N, b.P, 1-b.P)
}

// Survival returns P(X > k), with the precision of [Binomial.CDF].
func (b Binomial) Survival(k int) float64 {
	switch {
	case !b.valid():
		return math.NaN()
	case k < 0:
		return 1
	case k >= b.N:
		return 0
	}
	// X > k means that at most N-k-1 trials fail.
	return binomialLower(b.N-k-1, b.N, 1-b.P, b.P)
}

// binomialLower returns P(X <= k) for X ~ Binomial(n, p), q = 1-p, 0 <= k < n.
func binomialLower(k, n int, p, q float64) float64 {
	if float64(k) <= float64(n)*p {
		sum, _ := binomialTail(k, n, p, q)
		return sum
	}
	upper, _ := binomialTail(n-k-1, n, q, p)
	return 1 - upper
}

// binomialTail returns P(X <= k) summed downwards from k, and P(X = k). The terms
// fall geometrically below the mean, which is where it is meant to be used.
func binomialTail(k, n int, p, q float64) (sum, mass float64) {
	if k < 0 {
		return 0, 0
	}
	mass = math.Exp(special.LogBinomialMass(k, n, p, q))
	if mass == 0 || p == 0 {
		return mass, mass
	}
	odds := q / p
	relative, term := 1.0, 1.0
	for x := k; x > 0; x-- {
		term *= float64(x) / float64(n-x+1) * odds
		relative += term
		if term < 1e-17*relative {
			break
		}
	}
	return math.Min(mass*relative, 1), mass
}
