package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// StratifiedDifference returns the candidate's rate minus the baseline's, averaged over the strata with the
// weights of Mantel and Haenszel, and its interval at two-sided level 1-alpha: the Wilson intervals of all
// strata and sides, their distances from the estimates added up as squares (Newcombe 1998; Zou & Donner 2008,
// Statistics in Medicine 27:1693). A stratum of clusters counts as one trial for each, at the mean of their
// rates: that is on the safe side whatever the trials of a cluster have in common. The level is approximate.
//
// At least one stratum needs trials on both sides.
func StratifiedDifference(strata []Stratum, clusters []ClusterStratum, alpha float64) (float64, Interval, error) {
	var sides [][2]share
	for _, s := range strata {
		sides = append(sides, [2]share{shareOf([]Counts{s.Baseline}, false), shareOf([]Counts{s.Candidate}, false)})
	}
	for _, c := range clusters {
		sides = append(sides, [2]share{shareOf(c.Baseline, true), shareOf(c.Candidate, true)})
	}
	if err := validateStrata(strata); err != nil {
		return math.NaN(), Interval{}, err
	}
	if err := validateClusters(clusters); err != nil {
		return math.NaN(), Interval{}, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return math.NaN(), Interval{}, err
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	var weights, value, below, above float64
	for _, s := range sides {
		b, k := s[0], s[1]
		if b.n == 0 || k.n == 0 {
			continue
		}
		w := b.n * k.n / (b.n + k.n)
		weights += w
		value += w * (k.rate - b.rate)
		fromB, fromK := b.wilson(z), k.wilson(z)
		below += w * w * (square(k.rate-fromK.Low) + square(fromB.High-b.rate))
		above += w * w * (square(fromK.High-k.rate) + square(b.rate-fromB.Low))
	}
	if weights == 0 {
		return math.NaN(), Interval{}, argument.Wrong("strata", len(sides), "have no trials on both sides")
	}
	value /= weights
	return value, Interval{
		Low:  math.Max(-1, value-math.Sqrt(below)/weights),
		High: math.Min(1, value+math.Sqrt(above)/weights),
	}, nil
}

// share is a rate and the number of observations that it rests on.
type share struct{ rate, n float64 }

// shareOf is the rate of all trials, or the mean of the rates where each of the counts is one observation.
func shareOf(list []Counts, each bool) (s share) {
	if !each {
		return share{list[0].Rate(), float64(list[0].Trials)}
	}
	for _, c := range list {
		s.rate += c.Rate() / float64(len(list))
	}
	s.n = float64(len(list))
	return s
}

// wilson is the score interval at z standard errors.
func (s share) wilson(z float64) Interval {
	scale := 1 + z*z/s.n
	middle := (s.rate + z*z/(2*s.n)) / scale
	half := z / scale * math.Sqrt(s.rate*(1-s.rate)/s.n+z*z/(4*s.n*s.n))
	return Interval{math.Max(0, middle-half), math.Min(1, middle+half)}
}

func square(x float64) float64 { return x * x }
