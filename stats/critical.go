package stats

import (
	"context"
	"math"
)

// orderedEvent is a family of growing events: the tables whose ordering value is
// at most a limit. Small values speak against the null hypothesis.
type orderedEvent interface {
	nuisanceFamily
	orderUpTo(limit float64)
	// following returns the smallest ordering value outside the event, +Inf if
	// every table is inside.
	following() float64
}

// growToLevel leaves the event at the largest size at which its probability is
// at most alpha under the null hypothesis: the critical region of the test whose
// p-value is the largest probability of a table at least as extreme. It bisects
// between start and larger limits, each step ending at a table's own value, until
// no table is left between a limit that holds and one that does not. The error is the
// cause of the context's end.
func growToLevel(ctx context.Context, event orderedEvent, start, step, alpha float64) error {
	var failure error
	holds := func(limit float64) bool {
		event.orderUpTo(limit)
		held, err := atMost(ctx, event, alpha)
		failure = err
		return held && err == nil
	}
	// Downwards until a limit holds, each step twice as long.
	low := start
	for !holds(low) {
		if failure != nil {
			return failure
		}
		low -= step
		step *= 2
	}
	// Upwards until one does not.
	high := low + step
	for holds(high) {
		if math.IsInf(event.following(), 1) {
			return nil
		}
		low = high
		step *= 2
		high += step
	}
	// Halving, but never to a limit below the next table: between tables nothing changes.
	for failure == nil {
		event.orderUpTo(low)
		next := event.following()
		if next > high {
			return nil
		}
		middle := math.Max(low+(high-low)/2, next)
		if holds(middle) {
			low = middle
		} else if middle == next {
			event.orderUpTo(low)
			return failure
		} else {
			high = middle
		}
	}
	return failure
}
