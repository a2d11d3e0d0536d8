package change

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// mostPlaces is how many places of a series are looked at; of longer ones each second, third, ... The number is
// chosen: a test is over orders times places.
const mostPlaces = 1000

// kind is what a series is of.
type kind uint8

const (
	rates kind = iota // passes
	means             // numbers
)

// series is what the runs add up to.
type series struct {
	kind    kind
	sums    []float64   // of the values of each run; passes, for rates
	sizes   []int       // trials of each run
	values  [][]float64 // of each run; nil for rates
	options SegmentOptions

	trials int
	step   int
	middle float64   // what was taken away from all values; 0 for rates
	logs   []float64 // n log n, for rates of not too many trials
}

// prepare checks and completes the series.
func (s *series) prepare(o SegmentOptions) error {
	s.options = o
	for _, n := range s.sizes {
		s.trials += n
	}
	switch {
	case s.trials == 0:
		return argument.Wrong("trials", 0, "must be at least 1")
	case o.Unit == Trials && s.trials > maxSegmentTrials:
		return argument.Wrong("trials", s.trials, fmt.Sprintf("must be at most %d where trials are the unit",
			maxSegmentTrials))
	}
	s.step = max(1, (len(s.sizes)+mostPlaces-1)/mostPlaces)
	if s.kind == means {
		s.centre()
		return nil
	}
	s.logs = make([]float64, min(s.trials, maxSegmentTrials)+1)
	for n := range s.logs {
		s.logs[n] = timesLog(float64(n))
	}
	return nil
}

// centre takes the mean away, so that sums of squares of large numbers do not cancel. Copies are made.
func (s *series) centre() {
	s.middle = sample.Sum(s.sums) / float64(s.trials)
	centred, sums := make([][]float64, len(s.values)), make([]float64, len(s.values))
	for i, values := range s.values {
		centred[i] = make([]float64, len(values))
		for j, x := range values {
			centred[i][j] = x - s.middle
		}
		sums[i] = sample.Sum(centred[i])
	}
	s.values, s.sums = centred, sums
}

// total returns the sum and the number of the values of the runs from..to-1.
func (s *series) total(from, to int) (sum float64, trials int) {
	for i := from; i < to; i++ {
		sum, trials = sum+s.sums[i], trials+s.sizes[i]
	}
	return sum, trials
}

// timesLog is x log x, 0 at 0.
func timesLog(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}

// fit is how well one value of its own explains some trials: the logarithm of the likelihood at their rate, or the
// square of their sum over their number, which is the larger the fewer squares are left.
func (s *series) fit(sum float64, trials int) float64 {
	if s.kind == means {
		return sum * sum / float64(trials)
	}
	return s.timesLog(int(sum)) + s.timesLog(trials-int(sum)) - s.timesLog(trials)
}

func (s *series) timesLog(n int) float64 {
	if n < len(s.logs) {
		return s.logs[n]
	}
	return timesLog(float64(n))
}

// stretch is a part of a series that is tested by itself.
type stretch struct {
	*series
	from, to int
	observed *order
	best     int // the place with the largest gain
	gain     float64
	random   *rand.Rand
}

// stretch returns the runs from..to-1.
func (s *series) stretch(from, to int) *stretch {
	t := &stretch{series: s, from: from, to: to, random: seeded.Stream(s.options.Seed, uint64(from)<<32|uint64(to))}
	t.observed = &order{sums: s.sums[from:to], sizes: s.sizes[from:to]}
	t.best, t.gain = t.largest(t.observed)
	return t
}

// order is the runs of a stretch in one order of what is exchangeable.
type order struct {
	sums  []float64
	sizes []int
}

// largest returns the place with the largest gain from two means in place of one: the first run after it.
func (t *stretch) largest(o *order) (place int, gain float64) {
	place, gain = t.from+1, math.Inf(-1)
	t.gains(o, func(at int, g float64) {
		if g > gain {
			place, gain = at, g
		}
	})
	return place, gain
}

// gains calls visit with each place that leaves trials on both sides, and what two means gain there.
func (t *stretch) gains(o *order, visit func(at int, gain float64)) {
	var sum float64
	trials := 0
	for i, n := range o.sizes {
		sum, trials = sum+o.sums[i], trials+n
	}
	one := t.fit(sum, trials)
	var left float64
	n := 0
	for i := range len(o.sizes) - 1 {
		left, n = left+o.sums[i], n+o.sizes[i]
		at := t.from + i + 1
		if n == 0 || n == trials || at%t.step != 0 {
			continue
		}
		visit(at, t.fit(left, n)+t.fit(sum-left, trials-n)-one)
	}
}

// test returns the p-value of the largest gain among those in other orders. It ends early once it cannot be at most
// the level.
func (t *stretch) test(ctx context.Context, level float64) (float64, error) {
	if math.IsInf(t.gain, -1) || !(t.gain > 0) {
		return 1, nil // no place, or nothing differs
	}
	draw := t.orders(t.from, t.to)
	return t.exceeded(ctx, level, func() bool {
		_, gain := t.largest(draw())
		return gain >= t.gain*(1-1e-9)
	})
}

// fewestHits is how many orders must reach what was observed before a test ends early, at the least. It is chosen:
// the p-value that is left then has a relative error of a third.
const fewestHits = 10

// exceeded returns the p-value of something that draws of the same distribution reach so often (Besag and Clifford
// 1991). It never ends early with less than the level.
func (t *stretch) exceeded(ctx context.Context, level float64, reached func() bool) (float64, error) {
	most := t.options.Permutations
	enough := max(fewestHits, int(level*float64(most+1))+1)
	hits := 0
	for n := 1; n <= most; n++ {
		if ctx.Err() != nil {
			return math.NaN(), context.Cause(ctx)
		}
		if !reached() {
			continue
		}
		if hits++; hits == enough {
			return float64(hits) / float64(n), nil
		}
	}
	return float64(hits+1) / float64(most+1), nil
}
