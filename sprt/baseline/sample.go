package baseline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Outcome is what the trials of a baseline came to, or may have come to.
type Outcome struct {
	Trials   int // at least 1
	Failures int // from 0 to Trials
}

// Passes is the number of trials that passed.
func (o Outcome) Passes() int { return o.Trials - o.Failures }

// compare orders outcomes by trials, then failures.
func (o Outcome) compare(other Outcome) int {
	return cmp.Or(cmp.Compare(o.Trials, other.Trials), cmp.Compare(o.Failures, other.Failures))
}

// Sample says how a baseline was sampled: every outcome that its trials can come to,
// with the number of sequences of trials that end there. Of a fixed number of trials
// that is the binomial; of a run that a sequential test stopped it is not. The zero
// value holds no outcome. A Sample is made by [Fixed], [Sequential] and [Pooled], and
// is not changed afterwards.
type Sample struct {
	outcomes []Outcome // by trials, then failures
	paths    []float64 // logarithms of the numbers of sequences
	// sequential is where the run stopped, of a sample that is one sequential run.
	sequential *sprt.Boundaries
	parts      []Sample // of a sample of several runs that were pooled, some of them sequential
}

const (
	mostBaseline = 100_000   // trials: a column is sought for every outcome that may matter; chosen
	mostOutcomes = 4_000_000 // products of outcomes that pooling goes through; chosen
)

// Fixed returns the sample of a number of trials, from 1 to 100,000, that was fixed
// before they ran. An outcome has trials over failures sequences.
func Fixed(trials int) (Sample, error) {
	if trials < 1 || trials > mostBaseline {
		return Sample{}, fmt.Errorf("%d trials of a baseline: must be from 1 to %d", trials, mostBaseline)
	}
	s := Sample{outcomes: make([]Outcome, trials+1), paths: make([]float64, trials+1)}
	for f := range s.outcomes {
		s.outcomes[f] = Outcome{trials, f}
		s.paths[f] = logChoose(trials, f)
	}
	return s, nil
}

// Sequential returns the sample of a run that ended where a sequential test stopped it. The outcomes are
// the points at which it can stop, with the sequences that did not stop before: the rate of failures at
// such a point is biased, the likelihood is not.
func Sequential(b sprt.Boundaries) (Sample, error) {
	if err := b.Validate(); err != nil {
		return Sample{}, err
	}
	var s Sample
	walk(b, func(n, f int, logPaths float64, _ sprt.Outcome) {
		s.outcomes = append(s.outcomes, Outcome{n, f})
		s.paths = append(s.paths, logPaths)
	})
	stopped := b.Clone()
	s.sequential = &stopped
	return s, nil
}

// Stopping returns the sample of a run with these boundaries: where they stop at the last trial
// alone, that of its number of trials, which was fixed.
func Stopping(b sprt.Boundaries) (Sample, error) {
	if err := b.Validate(); err != nil {
		return Sample{}, err
	}
	for i := range b.MaxTrials() - 1 {
		if b.PassAtOrBelow[i] >= 0 || b.FailAtOrAbove[i] <= i+1 {
			return Sequential(b)
		}
	}
	return Fixed(b.MaxTrials())
}

// Pooled returns the sample of several runs of the baseline together. Trials and
// failures of all of them are enough to know of their common rate, so their sums are
// the outcomes.
//
// Sequences of the runs are independent: those of a sum are the products, added up over the ways to come to
// it.
func Pooled(samples ...Sample) (Sample, error) {
	// Fixed numbers of trials are one such number together.
	trials := 0
	var parts []Sample
	for _, s := range samples {
		for _, part := range s.split() {
			switch {
			case len(part.outcomes) == 0:
				return Sample{}, fmt.Errorf("a run of a baseline has no outcome")
			case part.fixed():
				trials += part.outcomes[0].Trials
			default:
				parts = append(parts, part)
			}
		}
	}
	if trials > 0 {
		fixed, err := Fixed(trials)
		if err != nil {
			return Sample{}, err
		}
		parts = append([]Sample{fixed}, parts...)
	}
	if len(parts) == 0 {
		return Sample{}, fmt.Errorf("no runs of a baseline to pool")
	}
	pooled := parts[0]
	work := 0
	for _, s := range parts[1:] {
		if work += len(pooled.outcomes) * len(s.outcomes); work > mostOutcomes {
			return Sample{}, fmt.Errorf("%d and %d outcomes of runs to pool are too many",
				len(pooled.outcomes), len(s.outcomes))
		}
		pooled = pooled.convolved(s)
	}
	if len(parts) > 1 {
		pooled.parts = parts
	}
	return pooled, nil
}

// split returns the runs of a sample.
func (s Sample) split() []Sample {
	if s.parts != nil {
		return s.parts
	}
	return []Sample{s}
}

// convolved returns the outcomes of both, with the numbers of sequences multiplied and
// added up.
func (s Sample) convolved(t Sample) Sample {
	paths := map[Outcome]float64{}
	for i, a := range s.outcomes {
		for j, b := range t.outcomes {
			sum := Outcome{a.Trials + b.Trials, a.Failures + b.Failures}
			// Numbers of sequences overflow a float64 from about a thousand trials on: their logarithms are
			// kept.
			more := s.paths[i] + t.paths[j]
			if before, ok := paths[sum]; ok {
				more = logSum(before, more)
			}
			paths[sum] = more
		}
	}
	// A map has no order: outcomes are sorted, for place searches by halves and digests must not change.
	var result Sample
	for o := range paths {
		result.outcomes = append(result.outcomes, o)
	}
	slices.SortFunc(result.outcomes, Outcome.compare)
	for _, o := range result.outcomes {
		result.paths = append(result.paths, paths[o])
	}
	return result
}

// Outcomes returns every outcome that the sample can have, by trials and failures.
func (s Sample) Outcomes() []Outcome { return slices.Clone(s.outcomes) }

// Probability returns how likely an outcome is at a pass rate; 0 if the sample cannot
// come to it, NaN if the rate is not from 0 to 1.
func (s Sample) Probability(o Outcome, rate float64) float64 {
	if !(rate >= 0 && rate <= 1) {
		return math.NaN()
	}
	if i := s.place(o); i >= 0 {
		return s.mass(i, rate)
	}
	return 0
}

// fixed reports whether the number of trials was fixed before they ran.
func (s Sample) fixed() bool {
	return s.sequential == nil && s.parts == nil
}

// place returns where an outcome stands, -1 if it is none.
func (s Sample) place(o Outcome) int {
	i, found := slices.BinarySearchFunc(s.outcomes, o, Outcome.compare)
	if !found {
		return -1
	}
	return i
}

// mass is the probability of an outcome at a pass rate. It is exp(log paths + passes·log p +
// failures·log(1-p)): no product overflows.
func (s Sample) mass(i int, rate float64) float64 {
	o := s.outcomes[i]
	return math.Exp(s.paths[i] + times(o.Passes(), math.Log(rate)) + times(o.Failures, math.Log1p(-rate)))
}

// DefaultGamma is the chance that a guarded range, chosen by [Sample.Guard], misses
// the baseline's rate. It is so small that it is lost in the digits of the errors.
const DefaultGamma = 1e-6

// Guard returns an exact two-sided confidence interval of the baseline's rate at
// 1-gamma: of a fixed number of trials that of Clopper and Pearson (1934), of a
// sequential run the stage-wise one, of pooled runs that of all trials' tails under
// the ordering by the share of passes. Within it the errors of a test are kept,
// outside nothing is promised: add gamma to both of them.
func (s Sample) Guard(o Outcome, gamma float64) (stats.Interval, error) {
	if !(gamma > 0 && gamma < 1) {
		return stats.Interval{}, &HypothesesError{"gamma", gamma, "must lie strictly between 0 and 1"}
	}
	if s.place(o) < 0 {
		return stats.Interval{}, fmt.Errorf("the baseline cannot have come to %d failures in %d trials",
			o.Failures, o.Trials)
	}
	if s.sequential != nil {
		e, err := s.sequential.Estimate(o.Trials, o.Failures, gamma)
		return e.Interval, err
	}
	if s.fixed() {
		return stats.ClopperPearson(stats.Counts{Passes: o.Passes(), Trials: o.Trials}, gamma)
	}
	// By the share of passes, and by the number of trials where shares are equal. The
	// tails are those of this ordering whatever the sampling was.
	higher := func(a, b Outcome) bool {
		left, right := a.Passes()*b.Trials, b.Passes()*a.Trials
		return left > right || left == right && a.Trials >= b.Trials
	}
	// The limits are those of Clopper and Pearson (1934) with this ordering in place of that by passes: the
	// rate at which what was seen, or anything higher, has probability gamma/2.
	tail := func(in func(a, b Outcome) bool, rate float64) float64 {
		sum := 0.0
		for i, a := range s.outcomes {
			if in(a, o) {
				sum += s.mass(i, rate)
			}
		}
		return sum
	}
	lower := func(a, b Outcome) bool { return higher(b, a) }
	return stats.Interval{
		Low:  lastBelow(func(p float64) bool { return tail(higher, p) <= gamma/2 }),
		High: 1 - lastBelow(func(q float64) bool { return tail(lower, 1-q) <= gamma/2 }),
	}, nil
}

// lastBelow returns the rate up to which holds is true on a fine grid, refined. The tail of this ordering
// need not rise with the rate everywhere; the first step at which holds is false ends it. Fifty halvings
// leave less than 1e-17.
func lastBelow(holds func(rate float64) bool) float64 {
	if !holds(0) {
		return 0
	}
	const steps = 200
	low := 0.0
	for i := 1; i <= steps; i++ {
		x := float64(i) / steps
		if !holds(x) {
			high := x
			for range 50 {
				if middle := (low + high) / 2; holds(middle) {
					low = middle
				} else {
					high = middle
				}
			}
			return low
		}
		low = x
	}
	return 1
}

// Stops returns where a sample that is one sequential run could stop; false of others.
func (s Sample) Stops() (sprt.Boundaries, bool) {
	if s.sequential == nil || s.parts != nil {
		return sprt.Boundaries{}, false
	}
	return s.sequential.Clone(), true
}
