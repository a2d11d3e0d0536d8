package stats

import (
	"context"
	"math"
)

// Barnard is the exact unconditional test of equal rates that orders tables by
// the pooled z statistic (Barnard 1947; Suissa and Shuster 1985), one-sided
// against "the candidate's rate is lower". The returned p bounds the exact
// maximum over the common rate from above, by at most a relative 1e-6. With a million
// trials a side it takes seconds: the end of the context ends it with its cause.
func Barnard(ctx context.Context, baseline, candidate Counts) (z, p float64, err error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), math.NaN(), err
	}
	z = pooledZ(baseline, candidate)
	d := newDiagonals(baseline.Trials, candidate.Trials)
	d.orderByZ(z)
	_, p, err = maximum(ctx, d)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	return z, p, nil
}
