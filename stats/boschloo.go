package stats

import "math"

// Boschloo is Boschloo's exact unconditional test of H0: the candidate's rate is
// at least the baseline's, against H1: it is lower (Boschloo 1970). Tables are
// ordered by their one-sided Fisher p-value; the p-value is the largest
// probability, over the common pass rate, of a table at least as extreme as the
// observed one. It never exceeds Fisher's, and its level is exact.
//
// The returned p is an upper bound of the exact maximum over the common rate, at
// most a relative 1e-6 above it: see nuisance.go for the proof it carries.
func Boschloo(baseline, candidate Counts) (float64, error) {
	fisher, err := FisherLess(baseline, candidate)
	if err != nil {
		return math.NaN(), err
	}
	d := newDiagonals(baseline.Trials, candidate.Trials)
	d.orderByFisher(fisher)
	_, p := maximum(d)
	return math.Min(p, fisher), nil
}

// boschlooRegion grows the region in Fisher's order until no larger one keeps alpha.
func boschlooRegion(baselineTrials, candidateTrials int, alpha float64) *staircase {
	d := newDiagonals(baselineTrials, candidateTrials)
	growToLevel(fisherOrder{d}, alpha, alpha, alpha)
	return d.staircase()
}

// fisherOrder orders tables by Fisher's p-value: the order of Boschloo's test.
type fisherOrder struct{ *diagonals }

func (f fisherOrder) orderUpTo(limit float64) { f.orderByFisher(limit) }
func (f fisherOrder) following() float64      { return f.next }
