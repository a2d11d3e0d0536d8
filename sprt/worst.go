package sprt

import (
	"context"
	"math"
)

// worst moves all weight to the rate at which the design so far takes the most
// trials, until that rate stays where it is.
//
// The rate at which a design is slowest says on which side of the weighted one the saddle point of the game
// between rates and designs lies; halving finds it (compare Kiefer and Weiss 1957).
func worst(ctx context.Context, h Hypotheses, o OptimalOptions) (Plan, error) {
	p := (h.Threshold + h.Lower()) / 2
	low, high := h.Lower(), h.Threshold
	// Twelve halvings leave a 4096th of delta; each costs a search, without the local one.
	for range 12 {
		// The last design is searched for with the local search.
		w, err := Point(p)
		if err != nil {
			return Plan{}, err
		}
		o.Weighting = w
		plan, err := optimise(ctx, h, o, false)
		if err != nil {
			return Plan{}, err
		}
		slowest := slowestRate(plan.Design.Boundaries.lattice(), h)
		if math.Abs(slowest-p) < 1e-4 {
			break
		}
		// With the weight above the slowest rate the design is too slow below it.
		if slowest < p {
			high = p
		} else {
			low = p
		}
		p = (low + high) / 2
	}
	w, err := Point(p)
	if err != nil {
		return Plan{}, err
	}
	o.Weighting = w
	return optimise(ctx, h, o, true)
}

// slowestRate returns the rate with the most expected trials, by golden section:
// between the hypotheses the expected trials have a single peak.
func slowestRate(l *Lattice, h Hypotheses) float64 {
	// (√5-1)/2: the two inner points divide the interval so that one of them is used again.
	const golden = 0.6180339887498949
	low, high := h.Lower(), h.Threshold
	for high-low > 1e-6 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if l.At(a).ExpectedTrials < l.At(b).ExpectedTrials {
			low = a
		} else {
			high = b
		}
	}
	return (low + high) / 2
}
