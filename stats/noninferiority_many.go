package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// NonInferiorityOfMany is [NonInferiority] for many trials: the baseline's rate is searched in its exact interval at
// 1-1e-6, and the rest is part of the p-value (Berger & Boos 1994, JASA 89:1012). So only counts near the observed ones
// matter, and a billion trials take seconds and some megabytes. The returned p bounds that maximum from above, by a
// relative 2e-3 at most, or an absolute 1e-7.
func NonInferiorityOfMany(ctx context.Context, baseline, candidate Counts, delta float64) (float64, error) {
	return nonInferiorityOfMany(ctx, baseline, candidate, delta, math.Inf(1))
}

// ShowsNonInferiorityOfMany reports whether the p-value of [NonInferiorityOfMany] is at most beta, between 0 and 1, or
// a bound of it is: the search ends as soon as a rate shows p to be larger, or a bound proves that it is not, and of
// clear evidence the inequalities of Hoeffding and of Bennett prove it without a search. Where the normal distribution
// has the score at more than twice beta it is not searched for either: a no is always safe.
func ShowsNonInferiorityOfMany(ctx context.Context, baseline, candidate Counts, delta, beta float64) (bool, error) {
	if err := argument.OpenUnit("beta", beta); err != nil {
		return false, err
	}
	if validateBoth(baseline, candidate) == nil && argument.OpenUnit("delta", delta) == nil {
		totals, fails := [2]int{baseline.Trials, candidate.Trials}, [2]int{baseline.Fails(), candidate.Fails()}
		score := scoreOf(totals, fails, delta)
		if dist.NormalSurvival(score) > 2*beta {
			return false, nil
		}
		if boundShows(totals, fails, delta, beta) {
			return true, nil
		}
	}
	p, err := nonInferiorityOfMany(ctx, baseline, candidate, delta, beta)
	return p <= beta, err
}

// nonInferiorityOfMany need not find p where it is shown to be above a limit, or not to be.
func nonInferiorityOfMany(ctx context.Context, baseline, candidate Counts, delta, limit float64) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return math.NaN(), err
	}
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	over := rangeOf(baseline.Trials, delta, baseline.Fails())
	e := newNonInferiorityEventOver(baseline.Trials, candidate.Trials, delta, over)
	e.orderUpTo(e.ordering(baseline.Fails(), candidate.Fails()))
	return over.bound(ctx, poolTolerance, poolFloor, limit, func(t0, t1 float64) (float64, nuisanceInterval) {
		interval := measure(e, 1, t0, t1)
		return interval.value, interval
	})
}

// newNonInferiorityEventOver returns the event before its cuts are set, for a range of the nuisance.
func newNonInferiorityEventOver(baseline, candidate int, delta float64, over parameterRange) *nonInferiorityEvent {
	e := &nonInferiorityEvent{delta: delta}
	low, high := e.parameter(over.low), e.parameter(over.high)
	e.staircase = newStaircaseWithin(baseline, candidate, windowOf(baseline, low, high),
		windowOf(candidate, low+delta, high+delta))
	return e
}

// scoreOf is the score of Farrington and Manning; large values speak for a drop of less than delta.
func scoreOf(totals, fails [2]int, delta float64) float64 {
	return -newNonInferiorityEventOver(totals[0], totals[1], delta, parameterRange{}).ordering(fails[0], fails[1])
}

// boundShows reports whether an inequality shows at beta that the drop is less than delta, whatever the rates of the
// trials of each side are.
func boundShows(totals, fails [2]int, delta, beta float64) bool {
	e := newNonInferiorityEventOver(totals[0], totals[1], delta, parameterRange{})
	score := scoreOf(totals, fails, delta)
	return e.hoeffding(score) <= beta || e.bennett(score, rangeOf(totals[0], delta, fails[0])) <= beta
}

// bennettLoss is the logarithm of the probability at each end of the counts of both sides that bennett leaves out.
const bennettLoss = 14.0

// bennett bounds the probability of a score of at least the given one, with the baseline's mean rate in a range of the
// nuisance or not, by Bennett's (1962) inequality. All but a small part of the probability is in a box of both counts.
// The constrained rate, which makes the likelihood's derivative 0, rises with either count, so that in the box it lies
// between those of its two corners, and the variance, which is concave in it, is least at one of the two. So such a
// score takes an excess of so many such deviations; and that is a sum of independent terms, at most 1 over the trials
// of their side above their means, whose variances are largest at one end of the range, or at the rate of a half in it.
func (n *nonInferiorityEvent) bennett(score float64, over parameterRange) float64 {
	if !(score > 0) || over == wholeRange {
		return 1
	}
	nb, nc := n.staircase.row.n, n.staircase.col.n
	rows, columns := float64(nb), float64(nc)
	low, high := n.parameter(over.low), n.parameter(over.high)
	ofRows, ofColumns := windowFor(nb, low, high, bennettLoss), windowFor(nc, low+n.delta, high+n.delta, bennettLoss)
	variance := func(fails, candidateFails int) float64 {
		pb, pc := constrainedMLE(Counts{nb - fails, nb}, Counts{nc - candidateFails, nc}, -n.delta)
		return pb*(1-pb)/rows + pc*(1-pc)/columns
	}
	least := math.Min(variance(ofRows.first, ofColumns.first), variance(ofRows.last, ofColumns.last))
	// Ties of the ordering count as observed, and constrained rates are found to rounding.
	excess := (1 - 1e-6) * score * math.Sqrt(least)
	most := func(low, high float64) float64 {
		p := min(max(0.5, low), high)
		return p * (1 - p)
	}
	byRow, byColumn := most(low, high)/rows, most(low+n.delta, high+n.delta)/columns
	lambda := excess / (byRow + byColumn)
	part := func(variance, trials float64) float64 {
		step := lambda / trials
		return variance * trials * trials * (math.Expm1(step) - step)
	}
	bound := math.Exp(part(byRow, rows) + part(byColumn, columns) - lambda*excess)
	return math.Min(1, bound+4*math.Exp(-bennettLoss)+over.outside)
}
