package sample

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/dist"
)

// Stratum holds the values of both sides in one group of like trials, such as those of
// a scenario.
type Stratum struct{ Baseline, Candidate []float64 }

// StratifiedRanks returns the two-sided p-value of H0: within every stratum both sides
// are from the same distribution, against one of them tending to larger values; and
// whether it is exact. The statistic is a sum of the Mann-Whitney statistics of the
// strata (van Elteren 1960), so that a different mix of strata on the two sides is no
// difference. Each counts with the reciprocal of its number of values plus one, in
// whole multiples of that of the largest.
//
// For small samples the p-value is over all assignments of the values to the sides
// within the strata, ties included. For larger ones it is from the normal distribution
// with the corrections for ties and continuity. Strata without values on both sides say
// nothing; without any other, and where all values of each stratum are equal, p is 1.
// With one stratum it is [MannWhitney]. NaN is refused.
func StratifiedRanks(strata []Stratum) (p float64, exact bool, err error) {
	var all []jointRanks
	most := 0
	for i, s := range strata {
		for _, side := range [][]float64{s.Baseline, s.Candidate} {
			if slices.ContainsFunc(side, math.IsNaN) {
				return math.NaN(), false, argumentError(fmt.Sprintf("stratum %d", i), math.NaN(), "must hold numbers")
			}
		}
		if len(s.Baseline) > 0 && len(s.Candidate) > 0 {
			all = append(all, rankTogether(s.Baseline, s.Candidate))
			most = max(most, len(s.Baseline)+len(s.Candidate))
		}
	}
	weights := make([]int, len(all))
	work, width := 0.0, 1.0
	for i, r := range all {
		weights[i] = int(math.Round(float64(most+1) / float64(r.baseline+r.candidate+1)))
		support := 2 * float64(r.baseline) * float64(r.candidate)
		width += float64(weights[i]) * support
		work += r.work() + width*(support+1)
	}
	switch {
	case len(all) == 0:
		return 1, true, nil
	case work <= maxRankWork:
		return exactOfStrata(all, weights), true, nil
	}
	return normalOfStrata(all, weights), false, nil
}

// exactOfStrata adds up the assignments of all strata, each in units of half a pair.
func exactOfStrata(all []jointRanks, weights []int) float64 {
	total := []float64{1}
	var distance, centre int64 // of the observed sum from its mean, and that mean
	for i, r := range all {
		own, weight := r.assignments(), weights[i]
		next := make([]float64, len(total)+weight*(len(own)-1))
		for at, w := range total {
			if w == 0 {
				continue
			}
			for u, ways := range own {
				next[at+weight*u] += w * ways
			}
		}
		total = next
		mean := int64(r.baseline) * int64(r.candidate)
		distance += int64(weight) * (r.doubleU - mean)
		centre += int64(weight) * mean
	}
	if distance < 0 {
		distance = -distance
	}
	extreme := 0.0
	for u, ways := range total {
		if away := int64(u) - centre; away >= distance || -away >= distance {
			extreme += ways
		}
	}
	return math.Min(extreme, 1)
}

// normalOfStrata is the approximation for large samples.
func normalOfStrata(all []jointRanks, weights []int) float64 {
	distance, variance := 0.0, 0.0
	for i, r := range all {
		w := float64(weights[i])
		distance += w * (float64(r.doubleU) - float64(r.baseline)*float64(r.candidate)) / 2
		variance += w * w * r.variance()
	}
	if variance <= 0 {
		return 1
	}
	return math.Min(1, 2*dist.NormalSurvival(math.Max(math.Abs(distance)-0.5, 0)/math.Sqrt(variance)))
}

// SignedRanks returns the two-sided p-value of H0: differences of pairs are symmetric
// about 0 (Wilcoxon 1945), and whether it is exact: over all signs of the differences,
// ties included. Differences of 0 say nothing. NaN and infinities are refused.
func SignedRanks(differences []float64) (p float64, exact bool, err error) {
	if err := checkFinite("difference", differences); err != nil {
		return math.NaN(), false, err
	}
	var sizes []float64
	for _, d := range differences {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
		}
	}
	slices.Sort(sizes)
	// Twice the rank of a group of ties is whole.
	doubled := func(size float64) int {
		first, _ := slices.BinarySearch(sizes, size)
		last := first
		for last < len(sizes) && sizes[last] == size {
			last++
		}
		return first + last + 1
	}
	signed, squares, sum := 0, 0.0, 0
	var ranks []int
	for _, d := range differences {
		if d == 0 {
			continue
		}
		rank := doubled(math.Abs(d))
		ranks = append(ranks, rank)
		sum += rank
		squares += float64(rank) * float64(rank)
		if d > 0 {
			signed += rank
		} else {
			signed -= rank
		}
	}
	distance := max(signed, -signed)
	switch {
	case len(ranks) == 0:
		return 1, true, nil
	case float64(len(ranks))*float64(sum) > maxRankWork:
		return math.Min(1, 2*dist.NormalSurvival(math.Max(float64(distance)-2, 0)/math.Sqrt(squares))), false, nil
	}
	// chance[s] is that the ranks of positive differences add up to s.
	chance := make([]float64, sum+1)
	chance[0] = 1
	reach := 0
	for _, rank := range ranks {
		reach += rank
		for s := reach; s >= 0; s-- {
			chance[s] /= 2
			if s >= rank {
				chance[s] += chance[s-rank] / 2
			}
		}
	}
	for s, c := range chance {
		if away := 2*s - sum; away >= distance || -away >= distance {
			p += c
		}
	}
	return math.Min(p, 1), true, nil
}

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
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return math.NaN(), interval, err
	}
	var shared, within []Stratum
	var least [2]int
	for _, s := range strata {
		for _, side := range [][]float64{s.Baseline, s.Candidate} {
			if err := checkFinite("value", side); err != nil {
				return math.NaN(), interval, err
			}
		}
		if len(s.Baseline) > 0 && len(s.Candidate) > 0 {
			shared = append(shared, s)
		}
		if len(s.Baseline) > 1 && len(s.Candidate) > 1 {
			within = append(within, s)
			least[0] += len(s.Baseline)
			least[1] += len(s.Candidate)
		}
	}
	switch {
	case len(shared) == 0:
		return math.NaN(), interval, ErrTooFew
	case min(least[0], least[1]) >= FewestTrials:
		return differenceWithin(within, alpha)
	case len(shared) >= FewestTrials:
		var differences []float64
		for _, s := range shared {
			differences = append(differences, Mean(s.Candidate)-Mean(s.Baseline))
		}
		interval, err = MeanInterval(differences, alpha)
		return Mean(differences), interval, err
	}
	b, c, unit := bothSides(shared)
	return (c.mean - b.mean) * unit, interval, ErrTooFew
}

// bothSides are the weighted means of both sides, in a unit.
func bothSides(strata []Stratum) (baseline, candidate weightedMean, unit float64) {
	var values [2][][]float64
	var weights []float64
	sum := 0.0
	for _, s := range strata {
		b, c := float64(len(s.Baseline)), float64(len(s.Candidate))
		weights = append(weights, b*c/(b+c))
		sum += b * c / (b + c)
		values[0] = append(values[0], s.Baseline)
		values[1] = append(values[1], s.Candidate)
	}
	for i := range weights {
		weights[i] /= sum
	}
	unit = unitOf(append(slices.Clone(values[0]), values[1]...)...)
	return sideOf(values[0], weights, unit), sideOf(values[1], weights, unit), unit
}

// differenceWithin is the difference of strata with two values a side or more.
func differenceWithin(strata []Stratum, alpha float64) (float64, stats.Interval, error) {
	b, c, unit := bothSides(strata)
	d := c.less(b)
	if d.variance == 0 {
		return d.mean * unit, stats.Interval{}, ErrNoSpread
	}
	i := d.transformed(alpha)
	if b.log == nil || c.log == nil {
		if rarity(strata, unit) < fewestRare {
			return d.mean * unit, stats.Interval{}, ErrTooFew
		}
	} else {
		before, after := b.log.interval(alpha), c.log.interval(alpha)
		i.Low = math.Min(i.Low, d.mean-math.Hypot(math.Max(c.mean-after.Low, 0), math.Max(before.High-b.mean, 0)))
		i.High = math.Max(i.High, d.mean+math.Hypot(math.Max(after.High-c.mean, 0), math.Max(b.mean-before.Low, 0)))
	}
	return d.mean * unit, stats.Interval{Low: i.Low * unit, High: i.High * unit}, nil
}

// fewestRare is how many of the values that make up the spread the smaller side has on
// average. Chosen: with fewer it may well have none of them, and no way to know.
const fewestRare = 3

// rarity is the effective number of values that make up the spread within strata and
// sides, (Σd²)²/Σd⁴, as a share of all values, times the values of the smaller side.
func rarity(strata []Stratum, unit float64) float64 {
	var squares, fourths float64
	var n [2]int
	for _, s := range strata {
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
