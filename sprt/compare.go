package sprt

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// End is where a test ended.
type End struct {
	Trials   int // how many were judged
	Failures int // how many of them failed
}

// Comparison tests, by where two independent tests ended, whether the rate of one
// system is as much above that of another as H0 says. The boundaries of the tests may
// differ.
//
// H0: the second's rate is at least the first's plus Delta. With a baseline for the
// first and Delta 0 it says that the candidate is no worse; with the candidate for the
// first, that it is worse by Delta or more.
//
// The test is exact and unconditional, as those of Barnard (1945) and Boschloo (1970)
// are for fixed samples. A pair of ends is as extreme as another if the product of its
// tails, that the first ends so high and the second so low in the stage-wise ordering,
// is at most as large at the rate, of a fixed grid, where it is largest. The p-value is
// the largest probability under H0 of a pair as extreme as the one that was seen. Such
// pairs are closed upwards in the first's end and downwards in the second's, so by the
// coupling that [Errors] describes their probability rises with the first's rate and
// falls with the second's: the maximum lies where the rates are Delta apart.
//
// A Comparison is not safe for concurrent use.
type Comparison struct {
	delta         float64
	first, second *endings
	products      []tailProduct // by the rates of the grid
}

// tailProduct is the tails at one pair of rates: that the first ends at or above each
// of its ends, and the second at or below each of its.
type tailProduct struct{ above, below []float64 }

const (
	compareLeast = 128    // steps of the rates that order the pairs, at least
	compareSteps = 512    // and at most
	compareStart = 64     // intervals that the search for the maximum begins with
	compareMost  = 20_000 // intervals that it looks at

	compareTolerance = .02 // relative, of the maximum
	compareKept      = 4e6 // probabilities that are kept for each test, for all rates together
)

// NewComparison returns the comparison of two tests. Delta is at least 0 and below 1.
func NewComparison(first, second Boundaries, delta float64) (*Comparison, error) {
	if !(delta >= 0 && delta < 1) {
		return nil, fmt.Errorf("delta %v must be at least 0 and below 1", delta)
	}
	c := &Comparison{delta: delta}
	var err error
	if c.first, err = newEndings(first); err != nil {
		return nil, err
	}
	if c.second, err = newEndings(second); err != nil {
		return nil, err
	}
	for _, rate := range compareRates(delta, max(first.MaxTrials(), second.MaxTrials())) {
		c.products = append(c.products, tailProduct{c.first.at(rate).above, c.second.at(min(rate+delta, 1)).below})
	}
	return c, nil
}

// compareRates are the rates of the first test that order the pairs. On the scale of the
// arcsine, on which the standard deviation of a rate is 1/(2√n) everywhere, they are
// half of one apart as far as their number allows.
func compareRates(delta float64, trials int) (rates []float64) {
	steps := min(max(int(2*math.Pi*math.Sqrt(float64(trials))), compareLeast), compareSteps)
	for i := range steps + 1 {
		root := math.Sin(math.Pi / 2 * float64(i) / float64(steps))
		rates = append(rates, (1-delta)*root*root)
	}
	return rates
}

// P returns the p-value. It is never below the exact maximum, and above it by at most
// a relative 0.02; of samples that are fixed, and longer than some thousand trials, by
// somewhat more. An error says that a test cannot end there.
func (c *Comparison) P(first, second End) (float64, error) {
	i, err := placeOf(c.first.stops, first.Trials, first.Failures)
	if err != nil {
		return math.NaN(), err
	}
	j, err := placeOf(c.second.stops, second.Trials, second.Failures)
	if err != nil {
		return math.NaN(), err
	}
	return c.maximum(c.asExtreme(i, j)), nil
}

// asExtreme returns for each end of the first test how many ends of the second, from
// the lowest on, make a pair with it that is as extreme as the given one.
func (c *Comparison) asExtreme(i, j int) []int {
	const rounding = 1e-12
	limit := c.extremity(i, j) * (1 + rounding)
	ends := make([]int, len(c.first.stops))
	most := 0
	for k := range ends {
		for most < len(c.second.stops) && c.extremity(k, most) <= limit {
			most++
		}
		ends[k] = most
	}
	return ends
}

// extremity is the largest product of the tails; it falls with i and rises with j.
func (c *Comparison) extremity(i, j int) (largest float64) {
	for _, p := range c.products {
		largest = max(largest, p.above[i]*p.below[j])
	}
	return largest
}

// maximum returns an upper bound of the probability of the pairs over all rates that
// are delta apart. On an interval of rates the probability is at most that with the
// first's rate at its upper end and the second's at its lower one.
func (c *Comparison) maximum(ends []int) float64 {
	largest := 0.0
	var open rateIntervals
	add := func(low, high float64) {
		largest = math.Max(largest, c.probability(ends, low, low))
		heap.Push(&open, rateInterval{low, high, c.probability(ends, high, low)})
	}
	for i := range compareStart {
		step := (1 - c.delta) / compareStart
		add(step*float64(i), step*float64(i+1))
	}
	largest = math.Max(largest, c.probability(ends, 1-c.delta, 1-c.delta))
	for range compareMost {
		top := open[0]
		if top.bound <= largest*(1+compareTolerance) {
			break
		}
		heap.Pop(&open)
		middle := (top.low + top.high) / 2
		add(top.low, middle)
		add(middle, top.high)
	}
	return math.Min(1, math.Max(largest, open[0].bound))
}

// probability is that of the pairs, with the first's rate and the second's less delta.
func (c *Comparison) probability(ends []int, first, second float64) float64 {
	masses, below := c.first.at(first).masses, c.second.at(min(second+c.delta, 1)).below
	sum := 0.0
	for i, n := range ends {
		if n > 0 {
			sum += masses[i] * below[n-1]
		}
	}
	return sum
}

// endings are the ends of a test from the lowest to the highest.
type endings struct {
	stops []stop
	logs  []float64 // of the share of the paths times the number of all paths there
	known map[float64]*endingMass
}

// endingMass is the probabilities at a rate: of each end, of those at or below it, and
// of those at or above it.
type endingMass struct{ masses, below, above []float64 }

// newEndings ranks the ends and takes the logarithms of their numbers of paths, which do
// not depend on the rate.
func newEndings(b Boundaries) (*endings, error) {
	l, err := b.Lattice()
	if err != nil {
		return nil, err
	}
	e := &endings{stops: l.ranked(), known: map[float64]*endingMass{}}
	for _, s := range e.stops {
		e.logs = append(e.logs, math.Log(s.share)+special.LogChoose(float64(s.trials), float64(s.failures)))
	}
	return e, nil
}

// at returns the probabilities at a rate.
func (e *endings) at(rate float64) *endingMass {
	if m := e.known[rate]; m != nil {
		return m
	}
	n := len(e.stops)
	m := &endingMass{make([]float64, n), make([]float64, n), make([]float64, n)}
	pass, fail := math.Log(rate), math.Log1p(-rate)
	sum := 0.0
	for i, s := range e.stops {
		m.masses[i] = math.Exp(e.logs[i] + times(s.trials-s.failures, pass) + times(s.failures, fail))
		sum += m.masses[i]
		m.below[i] = sum
	}
	sum = 0
	for i := n - 1; i >= 0; i-- {
		sum += m.masses[i]
		m.above[i] = sum
	}
	if len(e.known)*n < compareKept {
		e.known[rate] = m
	}
	return m
}

// times is n·x, and 0 where n is, also of a logarithm of 0.
func times(n int, x float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * x
}

// rateInterval is an interval of rates with a bound of the probability on it.
type rateInterval struct{ low, high, bound float64 }

// rateIntervals are a heap, the one with the largest bound first.
type rateIntervals []rateInterval

func (r rateIntervals) Len() int           { return len(r) }
func (r rateIntervals) Less(i, j int) bool { return r[i].bound > r[j].bound }
func (r rateIntervals) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *rateIntervals) Push(x any)        { *r = append(*r, x.(rateInterval)) }
func (r *rateIntervals) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
