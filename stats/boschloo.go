package stats

import (
	"context"
	"math"
)

// Boschloo is Boschloo's exact unconditional test of H0: the candidate's rate is
// at least the baseline's, against H1: it is lower (Boschloo 1970). Tables are
// ordered by their one-sided Fisher p-value; the p-value is the largest
// probability, over the common pass rate, of a table at least as extreme as the
// observed one. It never exceeds Fisher's, and its level is exact.
//
// The returned p is an upper bound of the exact maximum over the common rate, at
// most a relative 1e-6 above it: see nuisance.go for the proof it carries. With a
// million trials a side it takes seconds: the end of the context ends it with its cause.
func Boschloo(ctx context.Context, baseline, candidate Counts) (float64, error) {
	fisher, err := FisherLess(baseline, candidate)
	if err != nil {
		return math.NaN(), err
	}
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	d := newDiagonals(baseline.Trials, candidate.Trials)
	d.orderByFisher(fisher)
	_, p, err := maximum(ctx, d)
	if err != nil {
		return math.NaN(), err
	}
	return math.Min(p, fisher), nil
}

// boschlooRegion grows the region in Fisher's order until no larger one keeps alpha.
func boschlooRegion(ctx context.Context, baselineTrials, candidateTrials int, alpha float64) (*staircase, error) {
	d := newDiagonals(baselineTrials, candidateTrials)
	if err := growToLevel(ctx, fisherOrder{d}, alpha, alpha, alpha); err != nil {
		return nil, err
	}
	return d.staircase(), nil
}

// fisherOrder orders tables by Fisher's p-value: the order of Boschloo's test.
type fisherOrder struct{ *diagonals }

func (f fisherOrder) orderUpTo(limit float64) { f.orderByFisher(limit) }
func (f fisherOrder) following() float64      { return f.next }
