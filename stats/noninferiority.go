package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// NonInferiority is the exact unconditional test of H0: the candidate's rate is
// lower than the baseline's by delta or more, against H1: it is not. A small
// p-value says that the candidate is not worse by delta. Tables are ordered by
// the score statistic of Farrington and Manning (1990) and the p-value is the
// largest probability, over all pairs of rates on the boundary, of a table at
// least as extreme (Chan 1998); since the ordering is monotone in both counts the
// maximum over all of H0 lies on that boundary (Röhmel and Mansmann 1999).
//
// It needs 0 < delta < 1. The returned p bounds the exact maximum from above, by
// at most a relative 1e-6 or an absolute 1e-7. The end of the context ends it with its
// cause.
func NonInferiority(ctx context.Context, baseline, candidate Counts, delta float64) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return math.NaN(), err
	}
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	n := newNonInferiorityEvent(baseline.Trials, candidate.Trials, delta)
	n.orderUpTo(n.ordering(baseline.Fails(), candidate.Fails()))
	_, p, err := maximum(ctx, n)
	if err != nil {
		return math.NaN(), err
	}
	return p, nil
}

// nonInferiorityEvent is the event that a table is at least as much against H0 as
// a limit, seen as a function of the baseline's failure rate u; the candidate
// fails at rate u+delta. Counting failures, the event is a staircase: few
// failures of the candidate, many of the baseline.
type nonInferiorityEvent struct {
	staircase *staircase
	delta     float64
	next      float64 // the smallest ordering value outside the event
}

// newNonInferiorityEvent returns the event before its cuts are set.
func newNonInferiorityEvent(baseline, candidate int, delta float64) *nonInferiorityEvent {
	return &nonInferiorityEvent{staircase: newStaircase(baseline, candidate), delta: delta}
}

// ordering returns minus the score statistic of a table, so that small values
// speak against H0.
func (n *nonInferiorityEvent) ordering(baselineFails, candidateFails int) float64 {
	nb, nc := n.staircase.row.n, n.staircase.col.n
	baseline := Counts{Passes: nb - baselineFails, Trials: nb}
	candidate := Counts{Passes: nc - candidateFails, Trials: nc}
	excess := candidate.Rate() - baseline.Rate() + n.delta
	pb, pc := constrainedMLE(baseline, candidate, -n.delta)
	variance := pb*(1-pb)/float64(nb) + pc*(1-pc)/float64(nc)
	switch {
	case math.Abs(excess) < 1e-14:
		return 0
	case variance <= 0:
		return math.Copysign(math.Inf(1), -excess)
	}
	return -excess / math.Sqrt(variance)
}

// orderUpTo sets the event to the tables whose ordering is at most the limit.
func (n *nonInferiorityEvent) orderUpTo(limit float64) {
	n.next = math.Inf(1)
	limit += tie * math.Abs(limit)
	if math.IsInf(limit, -1) || math.IsNaN(limit) {
		limit = -math.MaxFloat64
	}
	n.staircase.walk(
		func(row, column int) bool { return n.ordering(row, column) <= limit },
		func(row, column int) { n.next = math.Min(n.next, n.ordering(row, column)) },
	)
}

// ceiling is 1: with two different rates no sufficient statistic is known.
func (n *nonInferiorityEvent) ceiling() float64 { return 1 }

// box lets the baseline fail at its highest rate and the candidate at its lowest.
func (n *nonInferiorityEvent) box(low, high float64) float64 {
	return n.staircase.chance(high, 1-high, low+n.delta, 1-n.delta-low)
}

// parameter lets the steps shrink towards both ends, where the rates' own
// uncertainty does.
func (n *nonInferiorityEvent) parameter(t float64) float64 {
	x := math.Sin(t * math.Pi / 2)
	return x * x * (1 - n.delta)
}

// probability adds up the two partial derivatives, since both rates move with u.
func (n *nonInferiorityEvent) probability(u float64) (value, slope float64) {
	value, byRow, byCol := n.staircase.probability(u, 1-u, u+n.delta, 1-n.delta-u)
	return value, byRow + byCol
}

// distance is half the Fisher-Rao distance of two pairs of rates: the two sides are
// independent, so that the squares of their distances add up.
func (n *nonInferiorityEvent) distance(x, y float64) float64 {
	rows := math.Asin(math.Sqrt(y)) - math.Asin(math.Sqrt(x))
	columns := math.Asin(math.Sqrt(math.Min(y+n.delta, 1))) - math.Asin(math.Sqrt(math.Min(x+n.delta, 1)))
	return math.Sqrt(float64(n.staircase.row.n)*rows*rows + float64(n.staircase.col.n)*columns*columns)
}

// information is the sum of the two sides', each at the end of its rates that is nearer to
// 0 or 1; infinite where a rate reaches one.
func (n *nonInferiorityEvent) information(low, high float64) float64 {
	rows := math.Min(low*(1-low), high*(1-high))
	low, high = low+n.delta, high+n.delta
	columns := math.Min(low*(1-low), high*(1-high))
	if rows <= 0 || columns <= 0 {
		return math.Inf(1)
	}
	return float64(n.staircase.row.n)/rows + float64(n.staircase.col.n)/columns
}

// ShowsNonInferiority reports whether the p-value of [NonInferiority] is at most beta, between 0 and 1. It is that
// test's answer without its number: the search ends as soon as a rate shows p to be larger, or a bound proves that it
// is not, and of very clear evidence Hoeffding's (1963) inequality proves it without a search.
func ShowsNonInferiority(ctx context.Context, baseline, candidate Counts, delta, beta float64) (bool, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return false, err
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"delta", delta}, {"beta", beta}} {
		if err := argument.OpenUnit(x.name, x.value); err != nil {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	n := newNonInferiorityEvent(baseline.Trials, candidate.Trials, delta)
	observed := n.ordering(baseline.Fails(), candidate.Fails())
	if n.hoeffding(-observed) <= beta {
		return true, nil
	}
	n.orderUpTo(observed)
	return atMost(ctx, n, beta)
}

// hoeffding bounds the probability of a score of at least the given one, whatever the rates. On the boundary of H0 the
// variance is never below delta(1-delta) over the trials of the larger side, which it is where one side always passes
// or always fails; so such a score takes an excess of its root times the score, and the excess is a sum of bounded
// independent terms.
func (n *nonInferiorityEvent) hoeffding(score float64) float64 {
	if !(score > 0) {
		return 1
	}
	rows, columns := float64(n.staircase.row.n), float64(n.staircase.col.n)
	// Ties of the ordering count as observed, and constrained rates are found to rounding.
	excess := 0.999 * score * math.Sqrt(n.delta*(1-n.delta)/math.Max(rows, columns))
	return math.Exp(-2 * excess * excess / (1/rows + 1/columns))
}
