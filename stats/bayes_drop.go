package stats

import (
	"fmt"
	"math"
)

// RateDrop is the posterior distribution of p_b - p_c, by how much a candidate's pass rate is below a baseline's, for
// independent binomial counts and independent Beta priors. [PosteriorDrop] makes one.
type RateDrop struct{ baseline, candidate betaShape }

// PosteriorDrop returns the posterior distribution of the drop from a baseline's pass rate to a candidate's, each with
// a prior of its own. Sides without trials are allowed: there the posterior is the prior.
func PosteriorDrop(baseline, candidate Counts, baselinePrior, candidatePrior BetaPrior) (RateDrop, error) {
	b, err := posterior(baseline, baselinePrior)
	if err != nil {
		return RateDrop{}, fmt.Errorf("baseline: %w", err)
	}
	c, err := posterior(candidate, candidatePrior)
	if err != nil {
		return RateDrop{}, fmt.Errorf("candidate: %w", err)
	}
	return RateDrop{b, c}, nil
}

// posterior adds counts to a prior, whose conjugate they are.
func posterior(counts Counts, prior BetaPrior) (betaShape, error) {
	if err := counts.Validate(); err != nil {
		return betaShape{}, err
	}
	if err := prior.Validate(); err != nil {
		return betaShape{}, err
	}
	prior = prior.orUniform()
	return betaShape{prior.A + float64(counts.Passes), prior.B + float64(counts.Fails())}, nil
}

// Mean returns the expected drop, a difference of the means a/(a+b) of two Beta distributions.
func (d RateDrop) Mean() float64 {
	b, c := d.baseline, d.candidate
	// Over one denominator, so that two rates near 1 are told apart.
	return (b.a*c.b - c.a*b.b) / ((b.a + b.b) * (c.a + c.b))
}

// Above returns the probability that the drop is more than x, from -1 to 1. It is computed by quadrature, to 1e-9
// absolute and, where it is small and x is not negative, about 1e-9 relative. NaN gives NaN.
func (d RateDrop) Above(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x >= 1:
		return 0
	case x <= -1:
		return 1
	case x < 0:
		// The drop from the other side: a rise of less than -x.
		return 1 - beyond(d.candidate, d.baseline, -x)
	}
	return beyond(d.baseline, d.candidate, x)
}

// Quantile returns the drop that is not exceeded with probability p, above 0 and below 1, to 1e-12; else NaN.
func (d RateDrop) Quantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	low, high := -1.0, 1.0
	for high-low > 1e-12 {
		middle := low + (high-low)/2
		if d.Above(middle) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}

// beyond is the probability that a rate is lower than another one by more than delta, which is at least 0.
func beyond(upper, lower betaShape, delta float64) float64 {
	// With u = p_lower and v = 1-p_upper the event is u+v < 1-delta, the same in both.
	u, v := lower, betaShape{upper.b, upper.a}
	if u.variance() > v.variance() {
		// Integrated is the narrower density against the wider tail: the product is
		// smooth on the scale of its own width.
		u, v = v, u
	}
	return betaSum{u: u, v: v, width: 1 - delta, gap: delta}.probability()
}
