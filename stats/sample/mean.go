package sample

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// ErrNoSpread is the error of an interval for values that leave nothing to take it
// from: a single value, or values that are all equal.
var ErrNoSpread = errors.New("the values have no spread to take an interval from")

// MeanInterval returns the interval of a mean at two-sided level 1-alpha, from
// independent values, which may be skewed as costs are.
//
// It is Student's interval after the transformation that removes the skewness of t
// (Hall 1992, JRSS B 54:221). Where all values are positive and their logarithms might
// be normal (Jarque & Bera 1987, International Statistical Review 55:163, at 5 %, and
// a variance of at most 4), it reaches as far as the interval of the mean of a
// log-normal distribution does (Zou, Huo & Taleban 2009, Environmetrics 20:172): of
// heavy tails few values show too little, and no interval without such a model holds.
//
// What no value shows is not in it: a cost that one trial in twenty has is not seen in
// twenty trials with a chance of 36 %. Fewer than two values, and values that are all
// equal, give [ErrNoSpread]; NaN and infinities are refused.
func MeanInterval(values []float64, alpha float64) (stats.Interval, error) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return stats.Interval{}, err
	}
	if err := checkFinite("value", values); err != nil {
		return stats.Interval{}, err
	}
	at, err := meanIntervals(values)
	if err != nil {
		return stats.Interval{}, err
	}
	return at(alpha), nil
}

// meanIntervals returns the interval of the mean of finite values by its level.
func meanIntervals(values []float64) (func(alpha float64) stats.Interval, error) {
	if len(values) == 0 {
		return nil, ErrNoSpread
	}
	one := groupsOf{1, func(int) []float64 { return values }}
	unit := unitOf(one)
	return sideOf(one, []float64{1}, unit).intervals(unit)
}

// intervals returns the interval of the mean by its level, from a unit back to values.
func (m weightedMean) intervals(unit float64) (func(alpha float64) stats.Interval, error) {
	if m.variance == 0 {
		return nil, ErrNoSpread
	}
	return func(alpha float64) stats.Interval {
		i := m.interval(alpha)
		return stats.Interval{Low: i.Low * unit, High: i.High * unit}
	}, nil
}

// groupsOf are groups of values, by their place.
type groupsOf struct {
	n  int
	at func(i int) []float64
}

// unitOf returns the largest magnitude: in it all cubes can be computed.
func unitOf(sides ...groupsOf) (unit float64) {
	for _, groups := range sides {
		for i := range groups.n {
			for _, x := range groups.at(i) {
				unit = math.Max(unit, math.Abs(x))
			}
		}
	}
	if unit == 0 {
		return 1
	}
	return unit
}

// weightedMean is a sum of weighted means of independent groups of values, with what
// its interval is taken from.
type weightedMean struct {
	mean     float64
	variance float64 // of the mean
	third    float64 // its third cumulant
	freedom  float64 // reciprocal of the degrees of freedom, times the variance squared
	log      *logNormalMean
}

// sideOf returns the weighted mean of groups of values in a unit. Each group has a
// value; one of a single value adds nothing to the variance.
func sideOf(groups groupsOf, weights []float64, unit float64) weightedMean {
	var m weightedMean
	for i := range groups.n {
		values := groups.at(i)
		n, w := float64(len(values)), weights[i]
		mean, square, cube := moments(values, unit)
		m.mean += w * mean
		if n < 2 {
			continue
		}
		v := w * w * square / (n - 1)
		m.variance += v
		m.freedom += v * v / (n - 1)
		if n > 2 {
			m.third += w * w * w * cube / ((n - 1) * (n - 2))
		}
	}
	m.log = logNormalOf(groups, weights, unit)
	return m
}

// moments returns the mean and the mean square and cube about it.
func moments(values []float64, unit float64) (mean, square, cube float64) {
	n := float64(len(values))
	mean = Mean(values) / unit
	if slices.Min(values) == slices.Max(values) {
		return values[0] / unit, 0, 0 // and no rounding error passes for spread
	}
	for _, x := range values {
		d := x/unit - mean
		square += d * d / n
		cube += d * d * d / n
	}
	return mean, square, cube
}

// less returns the difference m - b of two independent sides.
func (m weightedMean) less(b weightedMean) weightedMean {
	return weightedMean{
		mean: m.mean - b.mean, variance: m.variance + b.variance, third: m.third - b.third,
		freedom: m.freedom + b.freedom,
	}
}

// transformed is Hall's interval.
func (m weightedMean) transformed(alpha float64) stats.Interval {
	t := dist.StudentTUpperQuantile(alpha/2, m.variance*m.variance/m.freedom)
	spread := math.Sqrt(m.variance)
	skew := m.third / (m.variance * spread)
	return stats.Interval{Low: m.mean - spread*hallInverse(skew, t), High: m.mean - spread*hallInverse(skew, -t)}
}

// hallInverse is the value of t whose transform t + at²/3 + a²t³/27 + a/6 is x (Hall
// 1992, equation 2.6), where a is the skewness of the mean.
func hallInverse(a, x float64) float64 {
	if math.Abs(a) < 1e-9 {
		return x
	}
	return 3 / a * (math.Cbrt(1+a*(x-a/6)) - 1)
}

// interval is the transformed one, and as far as the log-normal one reaches.
func (m weightedMean) interval(alpha float64) stats.Interval {
	i := m.transformed(alpha)
	if m.log != nil {
		l := m.log.interval(alpha)
		i.Low, i.High = math.Min(i.Low, l.Low), math.Max(i.High, l.High)
	}
	return i
}

// logNormalMean is the mean of values whose logarithms are normal, with one variance
// about the mean of each group.
type logNormalMean struct {
	level    float64 // logarithm of the weighted sum of the medians
	location float64 // variance of level
	variance float64 // of the logarithms
	freedom  float64 // of that variance
}

// largestLogVariance bounds how heavy a tail is thought of: with it the mean of a log-normal
// distribution is seven times its median. Without it few values would have no upper limit to speak of.
const largestLogVariance = 4

// leastLogs is the fewest values from which the shape of logarithms is told.
const leastLogs = 5

// logNormalOf returns nil where the values cannot be, or are shown not to be,
// log-normal.
func logNormalOf(groups groupsOf, weights []float64, unit float64) *logNormalMean {
	var logs []float64
	total := 0
	for i := range groups.n {
		values := groups.at(i)
		for _, x := range values {
			if !(x > 0) {
				return nil
			}
		}
		total += len(values)
	}
	residuals := make([]float64, 0, total)
	means := make([]float64, groups.n)
	for i := range groups.n {
		logs = logs[:0]
		for _, x := range groups.at(i) {
			logs = append(logs, math.Log(x/unit))
		}
		means[i] = Mean(logs)
		if n := float64(len(logs)); n > 1 {
			for _, y := range logs {
				residuals = append(residuals, (y-means[i])*math.Sqrt(n/(n-1)))
			}
		}
	}
	n := float64(len(residuals))
	if n < leastLogs {
		return nil
	}
	_, square, cube := moments(residuals, 1)
	fourth := 0.0
	for _, y := range residuals {
		fourth += y * y * y * y / n
	}
	skewness, excess := cube/math.Pow(square, 1.5), fourth/(square*square)-3
	const fivePercent = 5.991464547107979 // upper quantile of χ² with 2 degrees of freedom
	shape := n / 6 * (skewness*skewness + excess*excess/4)
	if !(square > 1e-12 && square <= largestLogVariance && shape <= fivePercent) {
		return nil
	}
	l := &logNormalMean{variance: square}
	sum := 0.0
	for i, mean := range means {
		sum += weights[i] * math.Exp(mean)
		l.freedom += float64(len(groups.at(i)) - 1)
	}
	for i, mean := range means {
		share := weights[i] * math.Exp(mean) / sum
		l.location += share * share * square / float64(len(groups.at(i)))
	}
	l.level = math.Log(sum)
	return l
}

// interval recovers the variance of the logarithm of the mean, level + variance/2, from
// the limits of both parts (Zou, Huo & Taleban 2009, equation 4).
func (l logNormalMean) interval(alpha float64) stats.Interval {
	t := dist.StudentTUpperQuantile(alpha/2, l.freedom)
	chi := distuv.ChiSquared{K: l.freedom}
	centre := l.level + l.variance/2
	below := l.variance / 2 * (1 - l.freedom/chi.Quantile(1-alpha/2))
	above := (math.Min(l.variance*l.freedom/chi.Quantile(alpha/2), largestLogVariance) - l.variance) / 2
	return stats.Interval{
		Low:  math.Exp(centre - math.Sqrt(t*t*l.location+below*below)),
		High: math.Exp(centre + math.Sqrt(t*t*l.location+above*above)),
	}
}

// checkFinite refuses NaN and infinities.
func checkFinite(name string, values []float64) error {
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return argument.Wrong(fmt.Sprintf("%s %d", name, i), x, "must be a finite number")
		}
	}
	return nil
}
