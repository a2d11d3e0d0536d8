package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Difference is what the end of a test says of the candidate's rate less the baseline's.
// The plain difference of the shares of passes is biased by stopping; these allow for it.
//
// Ends are ordered by the candidate's median-unbiased estimate in the stage-wise ordering
// of its own boundaries (Jennison and Turnbull 2000, chapter 8), less the baseline's share
// of passes. For a fixed outcome of the baseline that is the stage-wise ordering, so the
// probability of an end at least as high rises with the candidate's rate. The limits are
// the farthest over an exact interval of the baseline's rate, whose error is part of the
// level (Berger and Boos 1994).
type Difference struct {
	Naive float64 // the candidate's share of passes less the baseline's
	// MedianUnbiased is as often too high as too low, at the rate of the baseline nearest its
	// share of passes.
	MedianUnbiased float64
	Interval       stats.Interval // of the difference, for rates of the baseline in the guarded range
	Level          float64        // at least this share of the intervals cover it
}

// Difference returns the estimates after a test ended with so many failures in so many
// trials of the candidate, beside an outcome of the baseline. Alpha is the two-sided error
// of the interval. In a chain of tiers the order is that of the tier that the outcome
// belongs to. An error says that the test cannot end there.
func (f *Family) Difference(o Outcome, trials, failures int, alpha float64) (Difference, error) {
	if !(alpha > 0 && alpha < 1) {
		return Difference{}, &HypothesesError{"alpha", alpha, "must lie strictly between 0 and 1"}
	}
	place := f.sample.place(o)
	if place < 0 || f.settled != nil && !f.settled[place] {
		return Difference{}, noEnd(o, trials, failures)
	}
	if f.before != nil && f.before.settled[place] {
		return f.before.Difference(o, trials, failures, alpha)
	}
	tails, err := f.tails(o, trials, failures)
	if err != nil {
		return Difference{}, err
	}
	// The rate of the baseline is not known: the interval is the union over an exact interval of it at a
	// small error, which is taken off the level (Berger and Boos 1994).
	spent := alpha * nuisanceShare
	nuisance, err := f.sample.Guard(o, spent)
	if err != nil {
		return Difference{}, err
	}
	guarded := f.hypotheses.Guarded
	// Rates outside the guarded range are not among those that the test speaks of.
	nuisance.Low = math.Min(math.Max(nuisance.Low, guarded.Low), guarded.High)
	nuisance.High = math.Max(math.Min(nuisance.High, guarded.High), guarded.Low)
	tail := (alpha - spent) / 2
	low := least(nuisance, func(rate float64) float64 { return tails.lower(rate, tail) })
	high := -least(nuisance, func(rate float64) float64 { return -tails.upper(rate, tail) })
	share := shareOf(o)
	at := math.Min(math.Max(share, nuisance.Low), nuisance.High)
	return Difference{
		Naive:          float64(trials-failures)/float64(trials) - share,
		MedianUnbiased: (tails.lower(at, 0.5) + tails.upper(at, 0.5)) / 2,
		Interval:       stats.Interval{Low: low, High: high},
		Level:          1 - alpha,
	}, nil
}

// nuisanceShare is the share of an interval's error that is spent on the interval of the
// baseline's rate. It is chosen: the less is spent, the wider the range of the baseline's rate, the more,
// the wider the tails' limits.
const nuisanceShare = 0.05

// tails are the ends of a family at and above one of them, and at and below it. It is prepared once for an
// end and then evaluated at many rates.
type tails struct {
	sample  Sample
	columns []tailColumn
}

// tailColumn is the ends of one member from the lowest to the highest. An end is compared by its score, the
// estimate less the baseline's share: where the baseline did better, a candidate's end is lower.
type tailColumn struct {
	place int // of the outcome in the sample
	ends  []candidateEnd
	above int // the ends from here on are at least as high
	below int // the ends before here are at most as high
}

// candidateEnd is where a candidate's test can end.
type candidateEnd struct {
	passes, failures int
	logPaths         float64
	outcome          sprt.Outcome
	estimate         float64 // median-unbiased, of the candidate's rate
}

// tails sorts the ends of all members by the score of the end seen; an error if the test cannot end
// there.
func (f *Family) tails(o Outcome, trials, failures int) (tails, error) {
	t := tails{sample: f.sample}
	score := math.NaN()
	for i, m := range f.members {
		c := tailColumn{place: f.sample.place(m.outcome), ends: f.estimated()[i]}
		if m.outcome == o {
			for _, e := range c.ends {
				if e.passes+e.failures == trials && e.failures == failures {
					score = e.estimate - shareOf(o)
				}
			}
		}
		t.columns = append(t.columns, c)
	}
	if math.IsNaN(score) {
		return tails{}, noEnd(o, trials, failures)
	}
	for i := range t.columns {
		c := &t.columns[i]
		share := shareOf(f.sample.outcomes[c.place])
		// Scores that differ by less are equal: the same end must be in both tails.
		const rounding = 1e-9
		order := func(e candidateEnd, s float64) int { return cmp.Compare(e.estimate-share, s) }
		c.above, _ = slices.BinarySearchFunc(c.ends, score-rounding, order)
		c.below, _ = slices.BinarySearchFunc(c.ends, score+rounding, order)
	}
	return t, nil
}

// estimated returns the ends of every member from the lowest to the highest, with their estimates, once. Members that
// share boundaries share them.
func (f *Family) estimated() [][]candidateEnd {
	f.cache.medians.Do(func() {
		for i, m := range f.members {
			if i > 0 && same(m.boundaries, f.members[i-1].boundaries) {
				f.cache.estimated = append(f.cache.estimated, f.cache.estimated[i-1])
				continue
			}
			ends := stageWise(m.boundaries)
			estimateMedians(ends)
			f.cache.estimated = append(f.cache.estimated, ends)
		}
	})
	return f.cache.estimated
}

// shareOf is the share of passes.
func shareOf(o Outcome) float64 { return float64(o.Passes()) / float64(o.Trials) }

// stageWise returns the ends of boundaries from the lowest to the highest: the earlier a
// Fail the lower, the earlier a Pass the higher.
func stageWise(b sprt.Boundaries) (ends []candidateEnd) {
	walk(b, func(n, f int, logPaths float64, o sprt.Outcome) {
		ends = append(ends, candidateEnd{n - f, f, logPaths, o, 0})
	})
	slices.SortStableFunc(ends, func(a, b candidateEnd) int {
		if a.outcome != b.outcome {
			return cmp.Compare(severity(b.outcome), severity(a.outcome))
		}
		// Fewer trials to a Fail speak for a lower rate, fewer to a Pass for a higher one; ties by
		// failures.
		byTrials := cmp.Compare(a.passes+a.failures, b.passes+b.failures)
		if a.outcome == sprt.Pass {
			byTrials = -byTrials
		}
		return cmp.Or(byTrials, cmp.Compare(b.failures, a.failures))
	})
	return ends
}

// estimateMedians sets the estimates: the rate at which ending at or below, and at or
// above, are equally likely, each end counted half. They rise with the order, for the
// probability of ending below a point falls as the rate rises.
func estimateMedians(ends []candidateEnd) {
	// Rates go up a grid on the scale of the arcsine; between two of them the crossing of one half is
	// interpolated. The estimates serve to order ends, and any fixed order is valid, so an interpolation is
	// enough.
	const steps = 256
	previous := make([]float64, len(ends)) // probability of ending below, and half at, by end
	current := make([]float64, len(ends))
	middles := func(rate float64, into []float64) {
		pass, fail := math.Log(rate), math.Log1p(-rate)
		sum := 0.0
		for i, e := range ends {
			mass := math.Exp(e.logPaths + times(e.passes, pass) + times(e.failures, fail))
			into[i] = sum + mass/2
			sum += mass
		}
	}
	// An end that stays above one half up to a rate of 1 has 1 as its estimate.
	for i := range ends {
		ends[i].estimate = 1
	}
	rateAt := func(step int) float64 {
		root := math.Sin(math.Pi / 2 * float64(step) / steps)
		return root * root
	}
	middles(0, previous)
	next := len(ends) - 1
	done := make([]bool, len(ends))
	for i, x := range previous {
		if x <= 0.5 {
			ends[i].estimate, done[i] = 0, true
		}
	}
	for step := 1; step <= steps && next >= 0; step++ {
		middles(rateAt(step), current)
		for i := range ends {
			if !done[i] && current[i] <= 0.5 {
				low, high := rateAt(step-1), rateAt(step)
				ends[i].estimate, done[i] = low+(high-low)*(previous[i]-0.5)/(previous[i]-current[i]), true
			}
		}
		previous, current = current, previous
	}
	// Interpolation must not turn the order round.
	for i := 1; i < len(ends); i++ {
		ends[i].estimate = math.Max(ends[i].estimate, ends[i-1].estimate)
	}
}

// atLeast returns the probability of an end at least as high.
func (t tails) atLeast(baseline, candidate float64) float64 {
	return t.probability(baseline, candidate, func(c *tailColumn) []candidateEnd { return c.ends[c.above:] })
}

// atMost returns the probability of an end at most as high.
func (t tails) atMost(baseline, candidate float64) float64 {
	return t.probability(baseline, candidate, func(c *tailColumn) []candidateEnd { return c.ends[:c.below] })
}

// probability adds up the chosen ends of every member, at rates of both sides.
func (t tails) probability(baseline, candidate float64, ends func(c *tailColumn) []candidateEnd) (sum float64) {
	pass, fail := math.Log(candidate), math.Log1p(-candidate)
	for i := range t.columns {
		mass := t.sample.mass(t.columns[i].place, baseline)
		// Left out to save time; thousands of such outcomes would not show in the limits.
		if mass < 1e-14 {
			continue
		}
		for _, e := range ends(&t.columns[i]) {
			sum += mass * math.Exp(e.logPaths+times(e.passes, pass)+times(e.failures, fail))
		}
	}
	return sum
}

// lower returns the largest difference at which an end so high has at most a probability,
// at a rate of the baseline; upper the smallest at which one so low has. The candidate's rate at which the
// tail has the probability, less the baseline's rate.
func (t tails) lower(baseline, probability float64) float64 {
	return crossing(func(rate float64) float64 { return t.atLeast(baseline, rate) - probability }) - baseline
}

// upper is lower with passes and failures in place of each other.
func (t tails) upper(baseline, probability float64) float64 {
	return 1 - crossing(func(fail float64) float64 { return t.atMost(baseline, 1-fail) - probability }) - baseline
}

// crossing returns where a rising function crosses 0 in [0,1], by the Illinois variant of
// false position; 0 or 1 where it does not.
//
// False position keeps both ends around the crossing; halving the value at an end that has stayed twice
// keeps it from creeping (Dowell and Jarratt 1971).
func crossing(f func(x float64) float64) float64 {
	low, high := 0.0, 1.0
	below, above := f(low), f(high)
	if below > 0 {
		return 0
	}
	if above <= 0 {
		return 1
	}
	side := 0
	for range 60 {
		x := (low*above - high*below) / (above - below)
		if high-low < 1e-9 || x <= low || x >= high {
			break
		}
		switch y := f(x); {
		case y > 0:
			high, above = x, y
			if side > 0 {
				below /= 2
			}
			side = 1
		default:
			low, below = x, y
			if side < 0 {
				above /= 2
			}
			side = -1
		}
	}
	// low is a point where the function is 0 or less: of a tail's probability the limit errs to the safe
	// side.
	return low
}

// least returns the least value of a function over an interval of rates: on a grid, and
// then by golden sections around the best. The grid is for functions with several minima, such as limits
// that step with the order of ends.
func least(over stats.Interval, f func(rate float64) float64) float64 {
	const steps = 16
	best, at := math.Inf(1), 0
	for i := range steps + 1 {
		if x := f(over.Low + over.Width()*float64(i)/steps); x < best {
			best, at = x, i
		}
	}
	// (√5-1)/2
	const golden = 0.6180339887498949
	low := over.Low + over.Width()*float64(max(at-1, 0))/steps
	high := over.Low + over.Width()*float64(min(at+1, steps))/steps
	for range 12 {
		left, right := high-golden*(high-low), low+golden*(high-low)
		x, y := f(left), f(right)
		best = math.Min(best, math.Min(x, y))
		if x < y {
			high = right
		} else {
			low = left
		}
	}
	return best
}
