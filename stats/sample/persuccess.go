package sample

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
)

// ErrTooFew is the error of an interval for values too few to take one from that holds.
var ErrTooFew = errors.New("too few to take an interval from")

// Fewest numbers of trials, and of trials of either outcome, of an interval of
// [PerSuccess]. Chosen by simulation: with fewer failures it misses more than it says
// where failures are dear, as what one costs is hardly seen.
const (
	FewestTrials     = 20
	FewestOfOutcomes = 3
)

// PerSuccess is what a success takes of an amount, the failures on the way to it
// included, with an interval at two-sided level 1-alpha: the mean of the passes and,
// for each pass, (1-p)/p failures at theirs. passes and failures hold the amounts of the
// trials by outcome, which are not negative; rate is the pass rate and limits its
// interval at the same level: [stats.ClopperPearson], or that of a stopped test, which
// it is of as well, since given the outcomes the amounts do not depend on when a test
// stops.
//
// The limits are recovered from those of the three parts (Zou & Donner 2008, Statistics
// in Medicine 27:1693): the means of both outcomes have [MeanInterval], and for the
// product of odds and mean of the failures it is done on the scale of logarithms.
// Amounts of one outcome that are all equal count as fixed prices.
//
// Where no failure was seen, one is taken to cost as much as a pass, without an interval.
// Fewer than [FewestTrials] trials, or [FewestOfOutcomes] of an outcome, give
// [ErrTooFew]; without any pass there is no ratio, which is an argument error.
func PerSuccess(passes, failures []float64, rate float64, limits stats.Interval, alpha float64) (
	perSuccess float64, interval stats.Interval, err error,
) {
	if err := checkAmounts(passes, failures, alpha); err != nil {
		return math.NaN(), interval, err
	}
	if !(rate > 0 && rate <= 1 && limits.Low >= 0 && limits.High <= 1 && limits.Low <= rate && rate <= limits.High) {
		return math.NaN(), interval, argument.Wrong("rate", rate, "must lie above 0 and within its limits")
	}
	odds := (1 - rate) / rate
	pass := Mean(passes)
	failure := pass // where none was seen, which gives no interval
	if len(failures) > 0 {
		failure = Mean(failures)
	}
	perSuccess = pass + odds*failure
	if len(passes)+len(failures) < FewestTrials {
		return perSuccess, interval, fmt.Errorf("%d trials: %w", len(passes)+len(failures), ErrTooFew)
	}
	if n := min(len(passes), len(failures)); n < FewestOfOutcomes || limits.Low == 0 {
		return perSuccess, interval, fmt.Errorf("%d passes and %d failures: %w", len(passes), len(failures), ErrTooFew)
	}
	own, err := meanOrPrice(passes, alpha)
	if err != nil {
		return perSuccess, interval, err
	}
	lost, err := meanOrPrice(failures, alpha)
	if err != nil {
		return perSuccess, interval, err
	}
	share := productLimits(
		odds, stats.Interval{Low: (1 - limits.High) / limits.High, High: (1 - limits.Low) / limits.Low}, failure, lost)
	return perSuccess, stats.Interval{
		Low:  math.Max(0, perSuccess-math.Hypot(pass-own.Low, odds*failure-share.Low)),
		High: perSuccess + math.Hypot(own.High-pass, share.High-odds*failure),
	}, nil
}

// checkAmounts refuses what cannot be amounts, and no passes.
func checkAmounts(passes, failures []float64, alpha float64) error {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return err
	}
	if len(passes) == 0 {
		return argument.Wrong("passes", len(passes), "must be at least one: there is no ratio")
	}
	for _, part := range []struct {
		name   string
		values []float64
	}{{"pass", passes}, {"failure", failures}} {
		for i, x := range part.values {
			if !(x >= 0) || math.IsInf(x, 0) {
				return argument.Wrong(fmt.Sprintf("%s %d", part.name, i), x, "must be finite and not negative")
			}
		}
	}
	return nil
}

// meanOrPrice is the interval of a mean, or the price itself where all amounts are equal.
func meanOrPrice(values []float64, alpha float64) (stats.Interval, error) {
	interval, err := MeanInterval(values, alpha)
	if errors.Is(err, ErrNoSpread) {
		return stats.Interval{Low: values[0], High: values[0]}, nil
	}
	interval.Low = math.Max(0, interval.Low)
	return interval, err
}

// productLimits recovers the limits of the product of two independent estimates that
// are not negative from their own, on the scale of logarithms.
func productLimits(x float64, xs stats.Interval, y float64, ys stats.Interval) stats.Interval {
	if x*y == 0 {
		return stats.Interval{Low: 0, High: xs.High * ys.High}
	}
	below := math.Hypot(math.Log(x/xs.Low), math.Log(y/ys.Low))
	above := math.Hypot(math.Log(xs.High/x), math.Log(ys.High/y))
	return stats.Interval{Low: x * y * math.Exp(-below), High: x * y * math.Exp(above)}
}
