package sprt

import (
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// stop is a point at which a test can end: after so many trials with so many
// failures. share is the number of paths that reach it, divided by the number of
// all paths to it, so that P_p(stop here) = share · Binomial(failures; trials, 1-p).
type stop struct {
	trials, failures int
	share            float64
	outcome          Outcome
}

// Lattice holds the stop points of boundaries with their shares of paths: all that
// the exact characteristics at any rate need. It is made by [Boundaries.Lattice]
// and is not changed by its methods.
type Lattice struct {
	boundaries Boundaries
	stops      []stop // by trials, then failures
}

// Lattice counts the paths once, without a rate: with w the share of the paths to
// a point that have not stopped before, w(0,0) = 1 and
//
//	w(n,f) = (n-f)/n · w(n-1,f) + f/n · w(n-1,f-1)
//
// over the points at n-1 that go on. All shares lie in [0,1], and the sums have no
// differences, so nothing cancels.
func (b Boundaries) Lattice() (*Lattice, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return b.lattice(), nil
}

// lattice is Lattice for boundaries that are known to be valid.
func (b Boundaries) lattice() *Lattice {
	l := &Lattice{boundaries: b, stops: make([]stop, 0, 2*b.MaxTrials())} // most have two at a trial, if any
	going := make([]float64, b.MaxTrials()+2)                             // by failures; points that go on
	going[0] = 1
	low, high := 0, 0 // failures of the points that go on
	for n := 1; n <= b.MaxTrials() && low <= high; n++ {
		advance(going, n, low, high)
		high++
		// What passes is at the lower end, what fails at the upper one; at the last trial all stop.
		for low <= high {
			if b.at(n, low) == Undecided {
				break
			}
			l.add(n, low, going, b)
			low++
		}
		last := high
		for last >= low && b.at(n, last) != Undecided {
			last--
		}
		for f := last + 1; f <= high; f++ {
			l.add(n, f, going, b)
		}
		high = last
	}
	return l
}

// advance moves shares from n-1 to n trials, for failures low..high+1.
func advance(going []float64, n, low, high int) {
	inverse := 1 / float64(n)
	going[high+1] = 0
	for f := high + 1; f > low; f-- {
		going[f] = float64(n-f)*inverse*going[f] + float64(f)*inverse*going[f-1]
	}
	going[low] *= float64(n-low) * inverse
}

// add takes the paths that arrive at a point out of those that go on, and keeps the point
// if there are any.
func (l *Lattice) add(n, f int, going []float64, b Boundaries) {
	if going[f] > 0 {
		l.stops = append(l.stops, stop{n, f, going[f], b.at(n, f)})
	}
	going[f] = 0
}

// Characteristics are what a test does at one pass rate, exactly.
type Characteristics struct {
	P              float64 // the pass rate
	Pass           float64 // probability of Pass
	Fail           float64 // probability of Fail
	Inconclusive   float64 // probability of using up the trials undecided
	ExpectedTrials float64 // the mean number of trials until the end
}

// Characteristics returns the exact characteristics of the boundaries at a pass
// rate; the field P is NaN where the rate is not a probability.
func (b Boundaries) Characteristics(p float64) (Characteristics, error) {
	l, err := b.Lattice()
	if err != nil {
		return Characteristics{}, err
	}
	return l.At(p), nil
}

// At returns the exact characteristics at a pass rate. All fields are NaN where
// the rate is not a probability.
func (l *Lattice) At(p float64) Characteristics {
	c := Characteristics{P: p}
	if !(p >= 0 && p <= 1) {
		nan := math.NaN()
		return Characteristics{nan, nan, nan, nan, nan}
	}
	for _, s := range l.stops {
		c.add(s, s.probability(p))
	}
	return c
}

// add adds an end with its probability.
func (c *Characteristics) add(s stop, mass float64) {
	c.ExpectedTrials += float64(s.trials) * mass
	switch s.outcome {
	case Pass:
		c.Pass += mass
	case Fail:
		c.Fail += mass
	default:
		c.Inconclusive += mass
	}
}

// AtWithQuantile is [Lattice.At] and [Lattice.Quantile] at once, in half of the time of both. The rate must be a
// probability.
func (l *Lattice) AtWithQuantile(p, probability float64) (Characteristics, int) {
	c := Characteristics{P: p}
	times := make([]float64, l.boundaries.MaxTrials()+1)
	for _, s := range l.stops {
		mass := s.probability(p)
		c.add(s, mass)
		times[s.trials] += mass
	}
	return c, l.quantile(times, probability)
}

// probability returns P_p(the test ends here).
func (s stop) probability(p float64) float64 {
	return s.share * (dist.Binomial{N: s.trials, P: p}).Prob(s.trials-s.failures)
}

// StoppingTime returns the distribution of the number of trials at a pass rate:
// element n is the probability of ending after exactly n trials.
func (l *Lattice) StoppingTime(p float64) []float64 {
	times := make([]float64, l.boundaries.MaxTrials()+1)
	for _, s := range l.stops {
		times[s.trials] += s.probability(p)
	}
	return times
}

// Quantile returns the smallest number of trials within which the test ends with
// at least the given probability at a pass rate.
func (l *Lattice) Quantile(p, probability float64) int {
	return l.quantile(l.StoppingTime(p), probability)
}

// quantile is that of a distribution of the number of trials.
func (l *Lattice) quantile(times []float64, probability float64) int {
	sum := 0.0
	cumulated := make([]float64, len(times))
	for n, mass := range times {
		sum += mass
		cumulated[n] = sum
	}
	// A sum of all masses may miss 1 by rounding.
	return min(sort.SearchFloat64s(cumulated, probability-1e-12), l.boundaries.MaxTrials())
}
