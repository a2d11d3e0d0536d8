package sample

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
)

// Aggregates are all that [CompareMeans] takes from more values than it permutes: whoever holds them has the same
// result without the values. They are some twenty numbers, however many values and strata there were.
type Aggregates struct {
	Difference float64 `json:"difference"` // of the weighted means, candidate minus baseline
	// The variance of the difference over all assignments is, if the candidate's values are larger by x,
	// Constant + Linear·x + Square·x².
	Constant float64 `json:"constant"`
	Linear   float64 `json:"linear"`
	Square   float64 `json:"square"`
	Unit     float64 `json:"unit"` // in which Means are: the largest magnitude of a value
	// Means are the weighted means of the baseline and of the candidate; one alone is that of the strata's differences,
	// and none says that there are too few values for an interval.
	Means []MeanAggregates `json:"means,omitempty"`
	// Rarity is how many of the values that make up the spread the smaller side has; where a log-normal distribution is
	// thought of it is not looked at, and 0.
	Rarity float64 `json:"rarity,omitempty"`
}

// MeanAggregates are those of a weighted sum of means of groups of values.
type MeanAggregates struct {
	Mean     float64        `json:"mean"`
	Variance float64        `json:"variance"` // of the mean
	Third    float64        `json:"third"`    // cumulant of the mean
	Freedom  float64        `json:"freedom"`  // the sum over groups of the squared variance over its degrees of freedom
	Log      *LogAggregates `json:"log,omitempty"`
}

// LogAggregates are those of values whose logarithms may be normal, with one variance about the mean of each group.
type LogAggregates struct {
	Level    float64 `json:"level"`    // logarithm of the weighted sum of the medians
	Location float64 `json:"location"` // variance of Level
	Variance float64 `json:"variance"` // of the logarithms
	Freedom  float64 `json:"freedom"`  // degrees of freedom of that variance
}

// aggregates are those of the weighted strata.
func (w weightedStrata) aggregates() *Aggregates {
	n, m := w.normal(), w.means()
	a := &Aggregates{
		Difference: n.difference, Constant: n.constant, Linear: n.linear, Square: n.square, Unit: m.unit, Rarity: m.rarity,
	}
	for _, side := range m.sides {
		mean := MeanAggregates{Mean: side.mean, Variance: side.variance, Third: side.third, Freedom: side.freedom}
		if l := side.log; l != nil {
			mean.Log = &LogAggregates{l.level, l.location, l.variance, l.freedom}
		}
		a.Means = append(a.Means, mean)
	}
	return a
}

// result is what [CompareMeans] returns.
func (a *Aggregates) result(alpha float64) MeansResult {
	m := meansOf{unit: a.Unit, rarity: a.Rarity}
	for _, mean := range a.Means {
		side := weightedMean{mean: mean.Mean, variance: mean.Variance, third: mean.Third, freedom: mean.Freedom}
		if l := mean.Log; l != nil {
			side.log = &logNormalMean{level: l.Level, location: l.Location, variance: l.Variance, freedom: l.Freedom}
		}
		m.sides = append(m.sides, side)
	}
	r := MeansResult{Difference: a.Difference, Aggregates: a}
	r.combine(&normalShifts{a.Difference, a.Constant, a.Linear, a.Square}, m, alpha)
	return r
}

// Compare is [CompareMeans] of the values that the aggregates are of. An error is a [stats.ArgumentError]: of alpha, or
// of numbers that are no aggregates of values.
func (a *Aggregates) Compare(alpha float64) (MeansResult, error) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return MeansResult{Difference: math.NaN(), P: 1}, err
	}
	if err := a.Validate(); err != nil {
		return MeansResult{Difference: math.NaN(), P: 1}, err
	}
	return a.result(alpha), nil
}

// Validate returns a [stats.ArgumentError] for numbers that are no aggregates of values.
func (a *Aggregates) Validate() error {
	bad := func(name string, x float64) error {
		return argument.Wrong("aggregates", fmt.Sprintf("%s %v", name, x), "are those of no values")
	}
	for _, figure := range []struct {
		name  string
		x     float64
		least float64
	}{
		{"difference", a.Difference, math.Inf(-1)}, {"constant", a.Constant, 0}, {"linear", a.Linear, math.Inf(-1)},
		{"square", a.Square, 0}, {"unit", a.Unit, 0}, {"rarity", a.Rarity, 0}, {"means", 2 - float64(len(a.Means)), 0},
	} {
		if !(figure.x >= figure.least) || math.IsInf(figure.x, 0) {
			return bad(figure.name, figure.x)
		}
	}
	for _, m := range a.Means {
		if !(m.Variance >= 0) || math.IsInf(m.Variance, 0) || math.IsNaN(m.Mean+m.Third) || math.IsInf(m.Mean+m.Third, 0) {
			return bad("variance", m.Variance)
		}
		// A mean that varies has degrees of freedom, at least one.
		if !(m.Freedom >= 0) || m.Freedom > m.Variance*m.Variance*(1+1e-9) || m.Freedom == 0 && m.Variance > 0 {
			return bad("freedom", m.Freedom)
		}
		l := m.Log
		if l == nil {
			continue
		}
		if !(l.Variance > 0 && l.Variance <= largestLogVariance) || !(l.Location >= 0) || math.IsInf(l.Location+l.Level, 0) ||
			math.IsNaN(l.Level) {
			return bad("log.variance", l.Variance)
		}
		if !(l.Freedom >= 1 && l.Freedom <= stats.MaxTrials) {
			return bad("log.freedom", l.Freedom)
		}
	}
	return nil
}
