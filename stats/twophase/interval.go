package twophase

import (
	"context"

	"github.com/tribunal-dev/tribunal/stats"
)

// Interval returns the interval of the true rate at the two-sided level 1-alpha: the rates for which neither
// [Method.Above] nor [Method.Below] is at most alpha/2. It is never empty and never of width 0.
func (m Method) Interval(ctx context.Context, s Sample, alpha float64) (stats.Interval, error) {
	return m.IntervalBeside(ctx, s, alpha, s.Rate())
}

// IntervalBeside is [Method.Interval] whose limits lie on that side of a rate on which the tests of the rate are: a
// p-value that is no monotone function of the rate in its last digits then contradicts no verdict.
func (m Method) IntervalBeside(ctx context.Context, s Sample, alpha, rate float64) (stats.Interval, error) {
	if !(alpha > 0 && alpha < 1) {
		return stats.Interval{}, &stats.ArgumentError{
			Argument: "alpha", Value: alpha, Problem: "must lie strictly between 0 and 1",
		}
	}
	if err := s.Validate(); err != nil {
		return stats.Interval{}, err
	}
	low, err := m.lowest(ctx, s.planned(), alpha/2, rate)
	if err != nil {
		return stats.Interval{}, err
	}
	least, err := m.lowest(ctx, s.mirrored().planned(), alpha/2, 1-rate)
	return stats.Interval{Low: low, High: 1 - least}, err
}

// lowest is the lower limit at the one-sided error alpha, to five digits.
func (m Method) lowest(ctx context.Context, s Sample, alpha, beside float64) (float64, error) {
	const digits = 1e-5
	low, high := 0.0, s.Rate()
	if beside > 0 && beside < high {
		p, err := m.above(ctx, s, beside)
		if err != nil {
			return 0, err
		}
		if p <= alpha {
			low = beside
		} else {
			high = beside
		}
	}
	for high-low > digits {
		middle := (low + high) / 2
		p, err := m.above(ctx, s, middle)
		if err != nil {
			return 0, err
		}
		if p <= alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}
