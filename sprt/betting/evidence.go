package betting

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
)

// Value is a value from 0 to 1, and how often it came.
type Value struct {
	Value float64 `json:"value"`
	Times int     `json:"times"`
}

// Outcomes are the values of passes, 1, and of failures, 0.
func Outcomes(passes, fails int) []Value { return []Value{{1, passes}, {0, fails}} }

// shares is how many bets there are beside the one that stakes everything: at the squares of numbers that are evenly
// apart, so that small ones are there for means that are hardly above. It is chosen, as the weights are.
const shares = 20

// bet is a share with the logarithm of its weight.
type bet struct{ share, weight float64 }

// bets returns those with so much weight on everything, and the rest as if shares had the distribution function
// u^power.
func bets(full, power float64) []bet {
	list := make([]bet, 0, shares+1)
	for i := range shares {
		from, to := float64(i*i)/(shares*shares), float64((i+1)*(i+1))/(shares*shares)
		weight := (math.Pow(to, power) - math.Pow(from, power)) * (1 - full)
		list = append(list, bet{(from + to) / 2, math.Log(weight)})
	}
	if full > 0 {
		list = append(list, bet{1, math.Log(full)})
	}
	return list
}

// The bets of the package comment.
var onHigh, onLow, onSame = bets(0.4, 1), bets(0, 1), bets(0.2, 1.5)

// Above returns the logarithm of the evidence that the mean of values is above m, from 0 to 1: of a process that ever
// is 1/error or more with a chance of error at most where the mean is at most m. Values must be from 0 to 1, and their
// order makes no difference.
func Above(values []Value, m float64) float64 {
	return evidence(onHigh, values, m, func(x float64) float64 { return x })
}

// Below is the same of the evidence that the mean is below m.
func Below(values []Value, m float64) float64 {
	return evidence(onLow, values, 1-m, func(x float64) float64 { return 1 - x })
}

// evidence is the logarithm of the mean of bets.
func evidence(bets []bet, values []Value, m float64, transform func(x float64) float64) float64 {
	gains := make([]float64, len(values))
	logs := make([]float64, len(bets))
	for i, v := range values {
		gains[i] = gain(transform(v.Value), m)
	}
	for i, b := range bets {
		logs[i] = b.weight
		for k, v := range values {
			if v.Times > 0 {
				logs[i] += float64(v.Times) * math.Log1p(b.share*gains[k])
			}
		}
	}
	return sum(logs)
}

// sum is the logarithm of the sum of numbers of which it gets the logarithms.
func sum(logs []float64) float64 {
	peak := slices.Max(logs)
	if math.IsInf(peak, 0) {
		return peak
	}
	total := 0.0
	for _, x := range logs {
		total += math.Exp(x - peak)
	}
	return peak + math.Log(total)
}

// gain is what a stake of 1 gains at a value, and -1 is the stake.
func gain(x, m float64) float64 {
	if x == 0 {
		return -1
	}
	return (x - m) / m
}

// Limits returns the interval of the means that evidence does not rule out: the chance that the mean ever lies below it
// is alpha at most, and so is that of above it. Without values it is 0 to 1. It returns a [stats.ArgumentError] for an
// alpha that is not between 0 and 1, and values that are not.
func Limits(values []Value, alpha float64) (stats.Interval, error) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return stats.Interval{}, err
	}
	n, sum := 0, 0.0
	for i, v := range values {
		if !(v.Value >= 0 && v.Value <= 1) {
			return stats.Interval{}, argument.Wrong(fmt.Sprintf("value %d", i), v.Value, "must be from 0 to 1")
		}
		if v.Times < 0 || v.Times > stats.MaxTrials-n {
			return stats.Interval{}, argument.Wrong(fmt.Sprintf("times of value %d", i), v.Times,
				"must not be negative, or too many")
		}
		n += v.Times
		sum += float64(v.Times) * v.Value
	}
	if n == 0 {
		return stats.Interval{Low: 0, High: 1}, nil
	}
	mean, enough := min(sum/float64(n), 1), -math.Log(alpha)
	return stats.Interval{
		Low:  mean * least(func(x float64) bool { return Above(values, mean*x) < enough }),
		High: 1 - (1-mean)*least(func(x float64) bool { return Below(values, 1-(1-mean)*x) < enough }),
	}, nil
}

// least is the smallest x from 0 to 1 at which what holds at 1 holds, or a little less.
func least(holds func(x float64) bool) float64 {
	if holds(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}
