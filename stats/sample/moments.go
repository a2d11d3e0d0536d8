package sample

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// Moments are what a query of a database tells of values: how many there are, their sum and the sum of their squares.
type Moments struct {
	N       int     `json:"n"`    // how many values are known
	Sum     float64 `json:"sum"`  // of the values
	Squares float64 `json:"sum2"` // of their squares
}

// MomentsOf adds up values.
func MomentsOf(values []float64) Moments {
	squares := make([]float64, len(values))
	for i, x := range values {
		squares[i] = x * x
	}
	return Moments{N: len(values), Sum: Sum(values), Squares: Sum(squares)}
}

// Plus adds the moments of further values.
func (m Moments) Plus(more Moments) Moments {
	return Moments{m.N + more.N, m.Sum + more.Sum, m.Squares + more.Squares}
}

// Mean of the values; NaN without one.
func (m Moments) Mean() float64 { return m.Sum / float64(m.N) }

// Scaled are the moments of the values times a factor.
func (m Moments) Scaled(by float64) Moments { return Moments{m.N, m.Sum * by, m.Squares * by * by} }

// Shifted are the moments of the values and an amount each.
func (m Moments) Shifted(by float64) Moments {
	n := float64(m.N)
	return Moments{m.N, m.Sum + n*by, m.Squares + 2*by*m.Sum + n*by*by}
}

// sumRounding is what sums in floating point may be off by, as a share: of a million additions the error is a
// random walk of a thousand steps of 1e-16. Chosen ten times larger. By so much of the sum of squares the spread
// is taken for larger, as the difference of two large sums may have lost it.
const sumRounding = 1e-12

// Validate returns a [stats.ArgumentError] for moments that no values have: n·Σx² is never below (Σx)².
func (m Moments) Validate() error {
	bad := func(problem string) error {
		return argument.Wrong("sums", fmt.Sprintf("%d, %v, %v", m.N, m.Sum, m.Squares), problem)
	}
	switch {
	case m.N < 0:
		return bad("must be of a number of values that is not negative")
	case math.IsNaN(m.Sum) || math.IsInf(m.Sum, 0) || math.IsNaN(m.Squares) || math.IsInf(m.Squares, 0):
		return bad("must be finite")
	case m.N == 0 && (m.Sum != 0 || m.Squares != 0):
		return bad("are of no value, and must be 0")
	case m.Squares < 0 || float64(m.N)*m.Squares < m.Sum*m.Sum*(1-1e3*sumRounding):
		return bad("cannot be a sum and a sum of squares of so many values")
	}
	return nil
}

// within is the sum of the squares about the mean.
func (m Moments) within() float64 {
	return math.Max(m.Squares-m.Sum*m.Mean(), 0) + sumRounding*m.Squares
}

// MomentStratum has the moments of both sides in one group of like trials.
type MomentStratum struct{ Baseline, Candidate Moments }

// CompareMoments is [CompareMeans] of values of which only the moments are known: the same difference, by the same
// weights, and the larger of two p-values. One takes the difference for normal with its variance over all
// assignments of the values to the sides, which [CompareMeans] does with more than 5,000 values; the other is
// Welch's (1947), whose degrees of freedom are Satterthwaite's. Both ask for fewer values than the skewness of the
// values may need: of [CompareMeans] the interval allows for it, and small numbers of values are permuted. So P is
// 1 where the sides hold fewer than [FewestTrials] values each in strata with two values a side or more, and there
// are no [FewestTrials] strata whose differences could be taken for the sample.
func CompareMoments(strata []MomentStratum, alpha float64) (MeansResult, error) {
	none := MeansResult{Difference: math.NaN(), P: 1}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return none, err
	}
	for _, s := range strata {
		for _, m := range []Moments{s.Baseline, s.Candidate} {
			if err := m.Validate(); err != nil {
				return none, err
			}
		}
	}
	w := weighMoments(strata)
	if len(w.strata) == 0 {
		return none, nil
	}
	r := MeansResult{Difference: w.difference(), P: 1}
	at := w.welch()
	if at == nil {
		return r, nil
	}
	n := w.normal()
	r.P = math.Max(n.p(), levelOf(at))
	interval, by := at(alpha), n.interval(alpha)
	if low, high := math.Min(interval.Low, by.Low), math.Max(interval.High, by.High); !math.IsInf(high-low, 0) {
		r.Interval = &stats.Interval{Low: low, High: high}
	}
	return r, nil
}

// weightedMoments are the strata over which a difference is taken, with weights that add up to 1.
type weightedMoments struct {
	strata  []MomentStratum
	weights []float64
	by      int // as of weightedStrata
}

// weighMoments chooses as weigh does.
func weighMoments(strata []MomentStratum) weightedMoments {
	var shared, within []MomentStratum
	var least [2]int
	for _, s := range strata {
		if s.Baseline.N > 0 && s.Candidate.N > 0 {
			shared = append(shared, s)
		}
		if s.Baseline.N > 1 && s.Candidate.N > 1 {
			within = append(within, s)
			least[0] += s.Baseline.N
			least[1] += s.Candidate.N
		}
	}
	w := weightedMoments{strata: shared, by: byNothing}
	switch {
	case min(least[0], least[1]) >= FewestTrials:
		w.strata, w.by = within, byValues
	case len(shared) >= FewestTrials:
		w.by = byStrata
	}
	w.weights = weights(len(w.strata), w.by, func(i int) (int, int) {
		return w.strata[i].Baseline.N, w.strata[i].Candidate.N
	})
	return w
}

// differences are those of the strata.
func (w weightedMoments) differences() []float64 {
	list := make([]float64, len(w.strata))
	for i, s := range w.strata {
		list[i] = s.Candidate.Mean() - s.Baseline.Mean()
	}
	return list
}

// difference is the weighted one.
func (w weightedMoments) difference() float64 {
	parts := w.differences()
	for i := range parts {
		parts[i] *= w.weights[i]
	}
	return Sum(parts)
}

// welch is the interval by its level; nil where there are too few values for one.
func (w weightedMoments) welch() func(alpha float64) stats.Interval {
	variance, freedom := 0.0, 0.0
	switch w.by {
	case byValues:
		for i, s := range w.strata {
			for _, m := range []Moments{s.Baseline, s.Candidate} {
				n := float64(m.N)
				v := w.weights[i] * w.weights[i] * m.within() / (n - 1) / n
				variance += v
				freedom += v * v / (n - 1)
			}
		}
		freedom = variance * variance / freedom
	case byStrata: // Student's, of the differences
		m := MomentsOf(w.differences())
		n := float64(m.N)
		variance, freedom = m.within()/(n-1)/n, n-1
	default:
		return nil
	}
	if !(variance > 0) || !(freedom > 0) {
		return nil // all values are 0
	}
	d, spread := w.difference(), math.Sqrt(variance)
	return func(alpha float64) stats.Interval {
		t := dist.StudentTUpperQuantile(alpha/2, freedom)
		return stats.Interval{Low: d - t*spread, High: d + t*spread}
	}
}

// normal is that of weightedStrata: N/(n₀n₁(N-1)) times the squares about the mean of both sides, by stratum.
func (w weightedMoments) normal() *normalShifts {
	n := &normalShifts{difference: w.difference()}
	for i, s := range w.strata {
		b, c := float64(s.Baseline.N), float64(s.Candidate.N)
		scale := w.weights[i] * w.weights[i] / (b + c - 1)
		d := s.Candidate.Mean() - s.Baseline.Mean()
		// Of one value a side the squares about its mean are 0, and within adds rounding alone.
		n.constant += scale * ((s.Baseline.within()+s.Candidate.within())*(b+c)/(b*c) + d*d)
		n.linear -= scale * 2 * d
		n.square += scale
	}
	return n
}
