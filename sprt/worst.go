package sprt

import (
	"context"
	"math"
)

// worst moves all weight to the rate at which the design so far takes the most
// trials, until that rate stays where it is.
func worst(ctx context.Context, h Hypotheses, o OptimalOptions) (Plan, error) {
	p := (h.Threshold + h.Lower()) / 2
	low, high := h.Lower(), h.Threshold
	for range 12 {
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
