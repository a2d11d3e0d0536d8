package stats

import (
	"container/heap"
	"context"
	"math"
)

// An exact unconditional test takes the largest rejection probability over the
// rates that the null hypothesis leaves open (the nuisance). This file finds that
// maximum and proves it: every interval of the nuisance carries an upper bound,
// and intervals are split, the most promising first, until no bound is above the
// largest value found by more than the tolerance.
//
// Two bounds hold for the probability f of any event under a family of product
// distributions with Fisher information I:
//
//   - arcsin √f moves by at most half the Fisher-Rao distance (Cauchy-Schwarz on
//     f' = E[1 · score]);
//   - |f”| <= √(f(1-f)) √2 I, where every cell probability is linear in the
//     parameter: then f” = E[1 · K] for a K with E K = 0 and E K² <= 2 I².
//
// Where the event's probability given a sufficient statistic is at most c, the
// same steps give |f'| <= c √I and |f”| <= c √2 I, which stay sharp for tiny f.

// nuisanceFamily is a one-parameter family of distributions of the data on the
// boundary of a null hypothesis, and one event.
type nuisanceFamily interface {
	// parameter maps t in [0,1] onto the range of the nuisance parameter; equal
	// steps of t should be about equally hard to tell apart.
	parameter(t float64) float64
	// probability returns the event's probability and its derivative at x.
	probability(x float64) (value, slope float64)
	// distance returns half the Fisher-Rao distance of two parameters, or more.
	distance(x, y float64) float64
	// information returns an upper bound of the Fisher information in [low, high];
	// it may be infinite.
	information(low, high float64) float64
	// ceiling returns c, the largest probability of the event given a sufficient
	// statistic; 1 where none is known.
	ceiling() float64
	// box returns a bound of the probability in [low, high] by moving each rate to
	// the end of its own range that favours the event; 1 where there is none. Unlike
	// the other bounds it is sharp for tiny probabilities.
	box(low, high float64) float64
}

// nuisanceTolerance is the relative error of a maximum over the nuisance, and
// nuisanceFloor the absolute error that is allowed in any case: it only matters
// for the families without a ceiling, at probabilities below a thousandth.
const (
	nuisanceTolerance = 1e-6
	nuisanceFloor     = 1e-7
)

// maxNuisanceIntervals bounds the work; what is not resolved by then is still
// covered by the upper bound that is returned.
const maxNuisanceIntervals = 200_000

// maximum returns the largest value that was found, and a bound that no value
// of the family exceeds, at most a relative nuisanceTolerance above it. The error is
// the cause of the context's end.
func maximum(ctx context.Context, family nuisanceFamily) (found, bound float64, err error) {
	return search(ctx, family, math.Inf(1))
}

// atMost reports whether the event's probability is proved to be at most the
// limit everywhere. It stops at the first point above the limit.
func atMost(ctx context.Context, family nuisanceFamily, limit float64) (bool, error) {
	_, bound, err := search(ctx, family, limit)
	return bound <= limit, err
}

// search is maximum, but gives up as soon as a value above the limit is found,
// and is satisfied as soon as every bound is at most the limit.
func search(ctx context.Context, family nuisanceFamily, limit float64) (found, bound float64, err error) {
	const start = 8
	ceiling := family.ceiling()
	var open intervalHeap
	add := func(t0, t1 float64) {
		interval := measure(family, ceiling, t0, t1)
		found = math.Max(found, interval.value)
		heap.Push(&open, interval)
	}
	for i := range start {
		if ctx.Err() != nil {
			return 0, 1, context.Cause(ctx)
		}
		add(float64(i)/start, float64(i+1)/start)
	}
	for intervals := start; intervals < maxNuisanceIntervals; intervals += 2 {
		if ctx.Err() != nil {
			return 0, 1, context.Cause(ctx)
		}
		top := open[0]
		if found > limit || top.bound <= found+tolerance(found, ceiling) {
			break
		}
		if limit < 1 && top.bound <= limit {
			break
		}
		heap.Pop(&open)
		middle := (top.t0 + top.t1) / 2
		add(top.t0, middle)
		add(middle, top.t1)
	}
	return found, math.Min(math.Max(open[0].bound, found), 1), nil
}

// nuisanceInterval is a part of the range with the value in its middle and a
// bound of all its values.
type nuisanceInterval struct {
	t0, t1       float64
	value, bound float64
}

// tolerance is the error that a found maximum may have: relative, or absolute where the
// event is improbable.
func tolerance(found, ceiling float64) float64 {
	return math.Max(found*nuisanceTolerance, ceiling*nuisanceFloor)
}

// measure evaluates the middle of an interval of t and takes the least of the bounds: that
// by distance, that by the ceiling, that by curvature and, where they are far above the
// value, that of the box.
func measure(family nuisanceFamily, ceiling, t0, t1 float64) nuisanceInterval {
	low, middle, high := family.parameter(t0), family.parameter((t0+t1)/2), family.parameter(t1)
	value, slope := family.probability(middle)
	value = min(max(value, 0), 1)

	reach := math.Max(family.distance(low, middle), family.distance(middle, high))
	angle := math.Asin(math.Sqrt(value)) + reach
	bound := math.Min(ceiling, value+2*ceiling*reach)
	if angle < math.Pi/2 {
		bound = math.Min(bound, math.Sin(angle)*math.Sin(angle))
	}

	// The curvature bound needs a bound of √(f(1-f)) itself: the first bound is one.
	spread := math.Min(0.5, ceiling)
	if bound < 0.5 {
		spread = math.Min(spread, math.Sqrt(bound*(1-bound)))
	}
	step := math.Max(middle-low, high-middle)
	rise := math.Max(slope*(high-middle), -slope*(middle-low))
	smooth := value + rise + 0.5*spread*math.Sqrt2*family.information(low, high)*step*step
	// At the end of the range, where a rate is 0 or 1 to rounding, the slope is no number: then it bounds nothing.
	if smooth < bound {
		bound = smooth
	}
	if bound > 2*value {
		if box := math.Max(family.box(low, high), value); box < bound {
			bound = box
		}
	}
	return nuisanceInterval{t0, t1, value, bound}
}

// intervalHeap is a max-heap of intervals by bound.
type intervalHeap []nuisanceInterval

func (h intervalHeap) Len() int           { return len(h) }
func (h intervalHeap) Less(i, j int) bool { return h[i].bound > h[j].bound }
func (h intervalHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intervalHeap) Push(x any)        { *h = append(*h, x.(nuisanceInterval)) }
func (h *intervalHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
