package sample

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats"
)

// Stratum holds the values of both sides in one group of like trials, such as those of
// a scenario.
type Stratum struct{ Baseline, Candidate []float64 }

// StratifiedMeanDifference returns the difference of the means, candidate minus
// baseline, within strata: the mean of the strata's differences, each weighted by
// n₀n₁/(n₀+n₁) of its numbers of values (Cochran 1954), so that a different mix is no
// difference; and its interval at two-sided level 1-alpha, [MeanInterval] for a
// difference. Where values of both sides might be log-normal, it reaches as far as the
// limits that are recovered from those of both means (Zou, Huo & Taleban 2009).
//
// Strata without two values a side have no variance of their own. Where the others
// hold fewer than [FewestTrials] values a side, the strata's differences, if they are so
// many, are taken for the sample, each with the same weight. Where that is not so either
// the error is [ErrTooFew]; without spread it is [ErrNoSpread]. The difference is there
// with both. It is NaN where no stratum has values of both sides.
func StratifiedMeanDifference(strata []Stratum, alpha float64) (
	difference float64, interval stats.Interval, err error,
) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return math.NaN(), interval, err
	}
	all := view{list: strata}
	if err := checkStrata(all); err != nil {
		return math.NaN(), interval, err
	}
	w := weigh(all)
	difference = w.difference()
	interval, err = w.interval(alpha)
	return difference, interval, err
}

// checkStrata refuses NaN and infinities.
func checkStrata(strata view) error {
	for i := range strata.len() {
		s := strata.at(i)
		for _, side := range [][]float64{s.Baseline, s.Candidate} {
			if err := checkFinite("value", side); err != nil {
				return err
			}
		}
	}
	return nil
}

// weightedStrata are the strata over which a difference is taken, with weights that add up to 1.
type weightedStrata struct {
	strata  view
	weights []float64
	by      int // byValues, byStrata or byNothing
}

// What an interval of weighted strata is taken from.
const (
	byValues  = iota // the values of all strata
	byStrata         // the differences of the strata
	byNothing        // there are too few of both
)

// weigh chooses the strata, by their numbers of values alone; see [StratifiedMeanDifference].
func weigh(strata view) weightedStrata {
	within := func(s Stratum) bool { return len(s.Baseline) > 1 && len(s.Candidate) > 1 }
	var least [2]int
	for i := range strata.len() {
		if s := strata.at(i); within(s) {
			least[0] += len(s.Baseline)
			least[1] += len(s.Candidate)
		}
	}
	w := weightedStrata{by: byNothing}
	if min(least[0], least[1]) >= FewestTrials {
		w.strata, w.by = strata.where(within), byValues
	} else {
		w.strata = strata.where(func(s Stratum) bool { return len(s.Baseline) > 0 && len(s.Candidate) > 0 })
		if w.strata.len() >= FewestTrials {
			w.by = byStrata
		}
	}
	w.weights = weights(w.strata.len(), w.by, func(i int) (int, int) {
		s := w.strata.at(i)
		return len(s.Baseline), len(s.Candidate)
	})
	return w
}

// weights are those of so many strata with values on both sides; they sum to 1.
func weights(strata int, by int, sizes func(i int) (baseline, candidate int)) []float64 {
	list := make([]float64, strata)
	sum := 0.0
	for i := range list {
		list[i] = 1
		if by != byStrata {
			n, m := sizes(i)
			b, c := float64(n), float64(m)
			list[i] = b * c / (b + c)
		}
		sum += list[i]
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// difference is the weighted one; NaN without strata.
func (w weightedStrata) difference() float64 {
	if w.strata.len() == 0 {
		return math.NaN()
	}
	var sum special.Accumulator
	for i, weight := range w.weights {
		s := w.strata.at(i)
		sum.Add(weight * (Mean(s.Candidate) - Mean(s.Baseline)))
	}
	return sum.Sum()
}

// interval is that of the difference.
func (w weightedStrata) interval(alpha float64) (stats.Interval, error) {
	at, err := w.means().intervals()
	if err != nil {
		return stats.Interval{}, err
	}
	return at(alpha), nil
}

// meansOf is what the interval of a difference is taken from: the weighted means of both sides, or the mean of the
// differences of strata, in a unit; none where there are too few values.
type meansOf struct {
	sides  []weightedMean
	unit   float64
	rarity float64 // see [rarity]; only where it is looked at
}

// means are those of the weighted strata.
func (w weightedStrata) means() meansOf {
	switch w.by {
	case byValues:
		b, c, unit := w.bothSides()
		m := meansOf{sides: []weightedMean{b, c}, unit: unit}
		if (b.log == nil || c.log == nil) && b.variance+c.variance > 0 {
			m.rarity = rarity(w.strata, unit)
		}
		return m
	case byStrata:
		differences := make([]float64, 0, w.strata.len())
		for i := range w.strata.len() {
			s := w.strata.at(i)
			differences = append(differences, Mean(s.Candidate)-Mean(s.Baseline))
		}
		one := groupsOf{1, func(int) []float64 { return differences }}
		unit := unitOf(one)
		return meansOf{sides: []weightedMean{sideOf(one, []float64{1}, unit)}, unit: unit}
	}
	return meansOf{}
}

// intervals returns the interval by its level, so that those of many levels take little more than one.
func (m meansOf) intervals() (func(alpha float64) stats.Interval, error) {
	switch len(m.sides) {
	case 1:
		return m.sides[0].intervals(m.unit)
	case 2:
		return m.ofBoth()
	}
	return nil, ErrTooFew
}

// bothSides are the weighted means of both sides, in a unit.
func (w weightedStrata) bothSides() (baseline, candidate weightedMean, unit float64) {
	n := w.strata.len()
	before := groupsOf{n, func(i int) []float64 { return w.strata.at(i).Baseline }}
	after := groupsOf{n, func(i int) []float64 { return w.strata.at(i).Candidate }}
	unit = unitOf(before, after)
	return sideOf(before, w.weights, unit), sideOf(after, w.weights, unit), unit
}

// ofBoth is the interval of strata with two values a side or more.
func (m meansOf) ofBoth() (func(alpha float64) stats.Interval, error) {
	b, c, unit := m.sides[0], m.sides[1], m.unit
	d := c.less(b)
	if d.variance == 0 {
		return nil, ErrNoSpread
	}
	logs := b.log != nil && c.log != nil
	if !logs && m.rarity < fewestRare {
		return nil, ErrTooFew
	}
	return func(alpha float64) stats.Interval {
		i := d.transformed(alpha)
		if logs {
			before, after := b.log.interval(alpha), c.log.interval(alpha)
			i.Low = math.Min(i.Low, d.mean-math.Hypot(math.Max(c.mean-after.Low, 0), math.Max(before.High-b.mean, 0)))
			i.High = math.Max(i.High, d.mean+math.Hypot(math.Max(after.High-c.mean, 0), math.Max(b.mean-before.Low, 0)))
		}
		return stats.Interval{Low: i.Low * unit, High: i.High * unit}
	}, nil
}

// fewestRare is how many of the values that make up the spread the smaller side has on
// average. Chosen: with fewer it may well have none of them, and no way to know.
const fewestRare = 3

// rarity is the effective number of values that make up the spread within strata and
// sides, (Σd²)²/Σd⁴, as a share of all values, times the values of the smaller side.
func rarity(strata view, unit float64) float64 {
	var squares, fourths float64
	var n [2]int
	for i := range strata.len() {
		s := strata.at(i)
		for side, values := range [2][]float64{s.Baseline, s.Candidate} {
			mean, _, _ := moments(values, unit)
			for _, x := range values {
				d := x/unit - mean
				squares += d * d
				fourths += d * d * d * d
			}
			n[side] += len(values)
		}
	}
	return squares * squares / fourths * float64(min(n[0], n[1])) / float64(n[0]+n[1])
}
