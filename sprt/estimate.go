package sprt

import (
	"fmt"
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/stats"
)

// Estimates are what the end of a sequential test says of the pass rate. The share
// of passes is biased by stopping, and its usual intervals cover too rarely; these
// allow for it. They order the ends of the test stage-wise: the earlier a Fail the
// lower the rate, the earlier a Pass the higher (Jennison and Turnbull 2000, chapter
// 8). Under that ordering the probability of an end at least as high rises with the
// rate, by the coupling that [Errors] describes.
type Estimates struct {
	// Naive is the share of passes among the judged trials.
	Naive float64
	// MedianUnbiased is the rate that is as often too high as too low: the middle between
	// the one-sided limits at level 1/2.
	MedianUnbiased float64
	// Unbiased is the share of the paths to this end whose first trial passes (Girshick,
	// Mosteller and Savage 1946): its mean over all ends is the rate.
	Unbiased float64
	// Interval holds the rates at which neither an end at least as low nor one at least as
	// high has a probability below half of the error.
	Interval stats.Interval
	// Level is the least share of such intervals that cover the rate: 1 less the error.
	Level float64
}

// Estimate returns the estimates after a test ended with so many failures in so
// many trials. Alpha is the two-sided error of the interval. An error says that the
// test cannot end there.
func (b Boundaries) Estimate(trials, failures int, alpha float64) (Estimates, error) {
	o, at, err := b.ordered(trials, failures)
	if err != nil {
		return Estimates{}, err
	}
	if !(alpha > 0 && alpha < 1) {
		return Estimates{}, fmt.Errorf("alpha %v must lie strictly between 0 and 1", alpha)
	}
	s := o.stops[at]
	return Estimates{
		Naive:          float64(trials-failures) / float64(trials),
		MedianUnbiased: (o.lowerLimit(at, 0.5) + o.upperLimit(at, 0.5)) / 2,
		Unbiased:       b.firstPass(trials, failures, 1) / s.share,
		Interval:       stats.Interval{Low: o.lowerLimit(at, alpha/2), High: o.upperLimit(at, alpha/2)},
		Level:          1 - alpha,
	}, nil
}

// DecisionLimit returns a one-sided upper limit of the pass rate that agrees with
// the verdict: it is below the threshold exactly if the test ended with Fail. Its
// error level, which is returned with it, is the exact alpha of the design and half
// of the next end's probability.
func (d Design) DecisionLimit(trials, failures int) (limit, level float64, err error) {
	o, at, err := d.Boundaries.ordered(trials, failures)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	for _, s := range o.stops {
		mass := s.probability(d.Hypotheses.Threshold)
		if s.outcome != Fail {
			level += mass / 2
			break
		}
		level += mass
	}
	return o.upperLimit(at, level), level, nil
}

// ordering holds the ends of a test from the lowest to the highest.
type ordering struct{ stops []stop }

// ordered ranks the ends of the test and says where among them one stands.
func (b Boundaries) ordered(trials, failures int) (ordering, int, error) {
	l, err := b.Lattice()
	if err != nil {
		return ordering{}, 0, err
	}
	stops := l.ranked()
	at, err := placeOf(stops, trials, failures)
	return ordering{stops}, at, err
}

// ranked returns the ends from the lowest to the highest.
func (l *Lattice) ranked() []stop {
	stops := append([]stop(nil), l.stops...)
	sort.SliceStable(stops, func(i, j int) bool { return stops[i].lowerThan(stops[j]) })
	return stops
}

// placeOf returns where among the ends of a test one stands.
func placeOf(stops []stop, trials, failures int) (int, error) {
	for i, s := range stops {
		if s.trials == trials && s.failures == failures {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the test cannot end after %d trials with %d failures", trials, failures)
}

// lowerThan is the stage-wise ordering: by outcome, then an earlier Fail is lower and an
// earlier Pass higher, then more failures are lower.
func (s stop) lowerThan(t stop) bool {
	switch {
	case s.outcome != t.outcome:
		return s.outcome.rank() < t.outcome.rank()
	case s.trials != t.trials:
		return (s.trials < t.trials) == (s.outcome == Fail)
	}
	return s.failures > t.failures
}

// rank orders the outcomes from the lowest rate to the highest.
func (o Outcome) rank() int { return [...]int{Fail: 0, Inconclusive: 1, Undecided: 1, Pass: 2}[o] }

// atMost returns the probability of ending at or below the given end.
func (o ordering) atMost(at int, p float64) float64 { return probability(o.stops[:at+1], p) }

// atLeast returns the probability of ending at or above it.
func (o ordering) atLeast(at int, p float64) float64 { return probability(o.stops[at:], p) }

// probability returns the probability of ending at one of the points at a pass rate.
func probability(stops []stop, p float64) float64 {
	sum := 0.0
	for _, s := range stops {
		sum += s.probability(p)
	}
	return sum
}

// lowerLimit is the largest rate at which ending so high has at most probability
// level; 0 if it always has more.
func (o ordering) lowerLimit(at int, level float64) float64 {
	if o.atLeast(at, 0) > level {
		return 0
	}
	return bisect(func(p float64) bool { return o.atLeast(at, p) <= level })
}

// upperLimit is the smallest rate at which ending so low has at most probability
// level; 1 if it always has more.
func (o ordering) upperLimit(at int, level float64) float64 {
	if o.atMost(at, 1) > level {
		return 1
	}
	return 1 - bisect(func(q float64) bool { return o.atMost(at, 1-q) <= level })
}

// bisect returns the largest x in [0,1] up to which holds is true, to rounding.
func bisect(holds func(x float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// PassHatK returns the unbiased estimate of the probability that k trials all pass,
// after a test ended with so many failures in so many trials: the share of the paths
// to this end whose first k trials pass (Rao and Blackwell's improvement of the
// indicator that they do). An error says that the test cannot end there, or can end
// with a Pass before k trials: then nothing tells of k.
func (b Boundaries) PassHatK(trials, failures, k int) (float64, error) {
	l, err := b.Lattice()
	if err != nil {
		return math.NaN(), err
	}
	return l.PassHatK(trials, failures, k)
}

// PassHatK is [Boundaries.PassHatK] where the paths are counted already.
func (l *Lattice) PassHatK(trials, failures, k int) (float64, error) {
	b := l.boundaries
	if k < 1 || k > b.MaxTrials() {
		return math.NaN(), fmt.Errorf("k %d must be from 1 to %d", k, b.MaxTrials())
	}
	for n := 1; n < k; n++ {
		if b.at(n, 0) != Undecided {
			return math.NaN(), fmt.Errorf("k %d: the test can end after %d passes", k, n)
		}
	}
	at, err := placeOf(l.stops, trials, failures)
	if err != nil {
		return math.NaN(), err
	}
	return b.firstPass(trials, failures, k) / l.stops[at].share, nil
}

// firstPass returns the share of all paths to a point that reach it without stopping
// before and begin with k passes, none of which stops the test but the last.
func (b Boundaries) firstPass(trials, failures, k int) float64 {
	switch {
	case trials < k:
		return 0 // it ended with a failure before
	case trials == k || b.at(k, 0) != Undecided:
		if trials == k && failures == 0 {
			return 1
		}
		return 0
	}
	going := make([]float64, trials+2)
	going[0] = 1 // one path of one to (k, 0)
	low, high := 0, 0
	for n := k + 1; n <= trials; n++ {
		advance(going, n, low, high)
		high = min(high+1, failures) // a path beyond them does not come back
		if n == trials {
			break
		}
		for f := low; f <= high; f++ {
			if b.at(n, f) != Undecided {
				going[f] = 0
			}
		}
	}
	return going[failures]
}

// Tails returns, at a pass rate p, the probabilities that the test ends at least as
// low and at least as high as it did, in the stage-wise ordering. The first is the
// p-value against "the rate is at least p", for it rises as the rate falls; the second
// that against "the rate is at most p". An error says that the test cannot end there.
func (b Boundaries) Tails(trials, failures int, p float64) (atMost, atLeast float64, err error) {
	if !(p >= 0 && p <= 1) {
		return math.NaN(), math.NaN(), fmt.Errorf("rate %v must lie between 0 and 1", p)
	}
	o, at, err := b.ordered(trials, failures)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	return o.atMost(at, p), o.atLeast(at, p), nil
}

// FailsWithin returns the probability, at a pass rate, that the test ends with a Fail whose p-value against
// "the rate is at least the threshold", that of [Boundaries.Tails], is at most a level: of a Fail that also
// counts beside others, where the level is corrected for their number. It is NaN where a rate is none.
func (l *Lattice) FailsWithin(threshold, level, rate float64) (sum float64) {
	if !(threshold >= 0 && threshold <= 1 && rate >= 0 && rate <= 1) {
		return math.NaN()
	}
	tail := 0.0
	for _, s := range l.ranked() { // the lowest ends first, which are those of Fails
		tail += s.probability(threshold)
		if s.outcome != Fail || tail > level {
			break
		}
		sum += s.probability(rate)
	}
	return sum
}
