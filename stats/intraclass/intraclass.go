package intraclass

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// Correlation returns the intraclass correlation of outcomes within groups, by the estimator of analysis of variance
// (Fleiss, Levin & Paik 2003, Statistical Methods for Rates and Proportions, 15.1; Ridout, Demétrio & Firth 1999,
// Biometrics 55:137, which finds it among the best for binary outcomes):
//
//	ρ = (B - W) / (B + (n₀-1) W),  n₀ = (N - Σ nᵢ²/N) / (k-1)
//
// with the mean squares B between and W within k groups of nᵢ trials, N together. It is 0 where trials of one group are
// no more alike than those of two, 1 where all of a group end the same, and down to -1/(n₀-1) where groups are
// more alike than chance makes them. Groups without trials are left out. Known is false where it cannot be told: fewer
// than
// two groups, none with two trials, or all trials with one outcome.
func Correlation(groups []stats.Counts) (rho float64, known bool) {
	return of(groups, func(i int) stats.Counts { return groups[i] })
}

// of is Correlation of as many groups as there are, which a function picks.
func of(groups []stats.Counts, pick func(i int) stats.Counts) (rho float64, known bool) {
	var k, trials, passes, squares, between float64
	for i := range groups {
		c := pick(i)
		if c.Trials < 1 {
			continue
		}
		n, y := float64(c.Trials), float64(c.Passes)
		k++
		trials += n
		passes += y
		squares += n * n
		between += y * y / n
	}
	if k < 2 || trials <= k || passes <= 0 || passes >= trials {
		return 0, false
	}
	within := (passes - between) / (trials - k) // Σ x² is Σ x, for outcomes of 0 and 1
	between = (between - passes*passes/trials) / (k - 1)
	each := (trials - squares/trials) / (k - 1)
	if below := between + (each-1)*within; below > 0 {
		return (between - within) / below, true
	}
	return 0, false
}

// FewestGroups is how many groups an interval takes. It is chosen: of fewer, draws of groups say little of their
// spread.
const FewestGroups = 10

// draws are the samples of groups that an interval is taken from. It is chosen: its ends then hold still to about a
// percentage point of their level.
const draws = 2000

// Interval returns the interval of [Correlation] at two-sided level 1-alpha: the percentiles of the same estimate over
// samples of the groups, drawn with replacement (Efron & Tibshirani 1993, chapter 13; groups, not trials, as the
// groups are what is a sample: Ukoumunne, Davison, Gulliford & Chinn 2003, Statistics in Medicine 22:3805). It is
// approximate: with few groups it covers less than its level says. Known is false of fewer than [FewestGroups] groups
// with trials, and where the correlation of more than a tenth of the samples cannot be told.
func Interval(groups []stats.Counts, alpha float64, seed uint64) (interval stats.Interval, known bool) {
	var list []stats.Counts
	for _, c := range groups {
		if c.Trials > 0 {
			list = append(list, c)
		}
	}
	if len(list) < FewestGroups || !(alpha > 0 && alpha < 1) {
		return stats.Interval{}, false
	}
	random := seeded.Stream(seed, uint64(len(list)))
	var rhos []float64
	for range draws {
		if rho, known := of(list, func(int) stats.Counts { return list[random.IntN(len(list))] }); known {
			rhos = append(rhos, rho)
		}
	}
	if len(rhos) < draws*9/10 {
		return stats.Interval{}, false
	}
	slices.Sort(rhos)
	return stats.Interval{Low: sample.Quantile(rhos, alpha/2), High: sample.Quantile(rhos, 1-alpha/2)}, true
}

// StandardError returns that of the pass rate of all trials together, as an estimate of the rate over new groups like
// these: the root of p(1-p) Σ nᵢ (1 + (nᵢ-1) ρ) / N² for groups of nᵢ trials, N together (the design effect of
// Kish 1965, Survey Sampling, 8.2). A correlation below 0 counts as 0: groups are a sample whatever it is. It is NaN
// where there are no trials.
func StandardError(rate, rho float64, sizes []int) float64 {
	rho = min(max(rho, 0), 1)
	var trials, sum float64
	for _, n := range sizes {
		trials += float64(n)
		sum += float64(n) * (1 + float64(max(n-1, 0))*rho)
	}
	return math.Sqrt(rate*(1-rate)*sum) / trials
}
