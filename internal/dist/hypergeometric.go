package dist

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// Hypergeometric is the distribution of the number of successes among Draws
// items drawn without replacement from a Population that holds Successes. With
// the total of passes fixed it is the distribution of the candidate's passes,
// if both systems pass at the same rate. Its methods return NaN where the
// parameters are negative or exceed the population.
type Hypergeometric struct {
	Population int // items, not negative
	Successes  int // items that count, from 0 to Population
	Draws      int // items that are drawn, from 0 to Population
}

func (h Hypergeometric) valid() bool {
	return h.Successes >= 0 && h.Draws >= 0 && h.Successes <= h.Population && h.Draws <= h.Population
}

// Least returns the smallest value of the support, the fewest successes that the draws can hold.
func (h Hypergeometric) Least() int { return max(0, h.Draws+h.Successes-h.Population) }

// Most returns the largest value of the support.
func (h Hypergeometric) Most() int { return min(h.Draws, h.Successes) }

// Prob returns P(X = x); it is 0 outside the support.
func (h Hypergeometric) Prob(x int) float64 { return math.Exp(h.LogProb(x)) }

// LogProb returns log P(X = x) as a ratio of three binomial probabilities
// (Loader 2000), without differences of log-gammas.
func (h Hypergeometric) LogProb(x int) float64 {
	switch {
	case !h.valid():
		return math.NaN()
	case x < h.Least() || x > h.Most():
		return math.Inf(-1)
	case h.Draws == 0 || h.Draws == h.Population:
		return 0
	}
	p := float64(h.Draws) / float64(h.Population)
	q := float64(h.Population-h.Draws) / float64(h.Population)
	return special.LogBinomialMass(x, h.Successes, p, q) +
		special.LogBinomialMass(h.Draws-x, h.Population-h.Successes, p, q) -
		special.LogBinomialMass(h.Draws, h.Population, p, q)
}

// CDF returns P(X <= x); a small one keeps its relative precision.
func (h Hypergeometric) CDF(x int) float64 {
	switch {
	case !h.valid():
		return math.NaN()
	case x < h.Least():
		return 0
	case x >= h.Most():
		return 1
	case h.belowMean(x):
		sum, _ := h.tail(x)
		return sum
	}
	upper, _ := h.mirrored().tail(h.Draws - x - 1)
	return 1 - upper
}

// Survival returns P(X > x); a small one keeps its relative precision.
func (h Hypergeometric) Survival(x int) float64 {
	if !h.valid() {
		return math.NaN()
	}
	return h.mirrored().CDF(h.Draws - x - 1)
}

// mirrored counts the drawn failures in place of the drawn successes.
func (h Hypergeometric) mirrored() Hypergeometric {
	return Hypergeometric{h.Population, h.Population - h.Successes, h.Draws}
}

func (h Hypergeometric) belowMean(x int) bool {
	return float64(x)*float64(h.Population) <= float64(h.Draws)*float64(h.Successes)
}

// tail returns P(X <= x) summed downwards from x, and P(X = x).
func (h Hypergeometric) tail(x int) (sum, mass float64) {
	if x < h.Least() {
		return 0, 0
	}
	mass = h.Prob(x)
	if mass == 0 {
		return 0, 0
	}
	relative, term := 1.0, 1.0
	for ; x > h.Least(); x-- {
		term *= h.RatioBelow(x)
		relative += term
		if term < 1e-17*relative {
			break
		}
	}
	return math.Min(mass*relative, 1), mass
}

// RatioBelow returns P(X = x-1) / P(X = x) for x within the support: neighbours follow
// from each other without a logarithm.
func (h Hypergeometric) RatioBelow(x int) float64 {
	return float64(x) * float64(h.Population-h.Successes-h.Draws+x) /
		(float64(h.Successes-x+1) * float64(h.Draws-x+1))
}
