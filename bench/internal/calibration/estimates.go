package calibration

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// calibrateEstimates computes how often what is said of the rate after a sequential test
// misses it, and how often a confidence sequence ever does.
//
// The promises are made to whoever reads the rate off a result. An interval after a sequential test
// misses the true rate with at most alpha, although the test stopped where it did. The limit that
// belongs to a verdict misses with at most its printed level. A confidence sequence misses at any
// time with at most alpha. The naive interval, which ignores the stopping, promises nothing.
func calibrateEstimates(c *calibrator) error {
	hypotheses := manyHypotheses(c.short)[:pick(c, 2, 5)]
	for _, h := range hypotheses {
		// Both designs have the most trials that the default has, 7/5 of a fixed sample.
		fixed, _ := h.FixedSample()
		best, err := sprt.Optimal(c.ctx, h, sprt.OptimalOptions{MaxTrials: fixed.Trials * 7 / 5})
		if err != nil {
			return err
		}
		wald, err := sprt.Wald(h, fixed.Trials*7/5)
		if err != nil {
			return err
		}
		for _, d := range []sprt.Design{best.Design, wald} {
			if err := c.coverage(d); err != nil {
				return err
			}
		}
	}
	return c.sequences()
}

// coverage adds the misses of the limits after a test, at the worst rate of a grid that
// holds both sides of every limit.
//
// Exact: what is said at each end is computed once, and each rate only weighs the ends.
func (c *calibrator) coverage(d sprt.Design) error {
	const alpha = .05
	// The rate does not matter: the ends are the same at every rate.
	stops := walk(d.Boundaries, func(int) float64 { return .5 })
	stagewise, naive := make([]stats.Interval, len(stops)), make([]stats.Interval, len(stops))
	upper, level := make([]float64, len(stops)), make([]float64, len(stops))
	if err := bench.Repeat(c.ctx, len(stops), func(i int) error {
		s := stops[i]
		e, err := d.Boundaries.Estimate(s.trials, s.failures, alpha)
		if err != nil {
			return err
		}
		stagewise[i] = e.Interval
		counts := stats.Counts{Passes: s.trials - s.failures, Trials: s.trials}
		if naive[i], err = stats.ClopperPearson(counts, alpha); err != nil {
			return err
		}
		upper[i], level[i], err = d.DecisionLimit(s.trials, s.failures)
		return err
	}); err != nil {
		return err
	}
	// Coverage jumps where the rate crosses a limit, and its worst cases are just beside the jumps. The
	// short form takes every fifth end.
	rates := append(rateGrid(.02, .999, 60), beside(stagewise, pick(c, 5, 1))...)
	mass := make([][]float64, len(rates))
	if err := bench.Repeat(c.ctx, len(rates), func(i int) error {
		for _, s := range walk(d.Boundaries, func(int) float64 { return rates[i] }) {
			mass[i] = append(mass[i], s.probability)
		}
		return nil
	}); err != nil {
		return err
	}
	worst := func(misses func(end int, p float64) bool) (worst, at float64) {
		for i, p := range rates {
			if m := sumWhere(mass[i], func(end int) bool { return misses(end, p) }); m > worst {
				worst, at = m, p
			}
		}
		return worst, at
	}
	text := func(at float64) string { return fmt.Sprintf("%v, rate %.3g, %s", d.Kind, at, setting(d.Hypotheses)) }
	rate, at := worst(func(i int, p float64) bool { return !stagewise[i].Contains(p) })
	c.exact("stage-wise interval", text(at), uncovered, rate, atMost(alpha))
	rate, at = worst(func(i int, p float64) bool { return upper[i] < p })
	// The level differs by the end that was reached; the largest bounds the misses at every rate.
	c.exact("limit of a verdict", text(at), uncovered, rate, atMost(slices.Max(level)))
	rate, at = worst(func(i int, p float64) bool { return !naive[i].Contains(p) })
	c.exact("naive interval", text(at), uncovered, rate, unpromised(alpha))
	return nil
}

// beside returns the rates on both sides of every so manieth interval's limits.
//
// The gap is small beside the distance of limits, and large beside their rounding.
func beside(intervals []stats.Interval, step int) (rates []float64) {
	const gap = 1e-6
	for i := 0; i < len(intervals); i += step {
		for _, limit := range []float64{intervals[i].Low, intervals[i].High} {
			for _, p := range []float64{limit - gap, limit + gap} {
				if p > 0 && p < 1 {
					rates = append(rates, p)
				}
			}
		}
	}
	return rates
}

// sequences follows confidence sequences trial by trial: the rate is missed once one of
// the intervals does not hold it.
//
// The promise is for all times at once; what is measured are as many looks as there are trials, one
// after each. The mixtures are one of somebody who knows nothing and one who expects 0.9.
func (c *calibrator) sequences() error {
	const alpha = .05
	trials := pick(c, 400, 3000)
	type setting struct{ a, b, p float64 }
	var settings []setting
	for _, mixture := range [][2]float64{{1, 1}, {9, 1}} {
		for _, p := range pick(c, []float64{.5, .9}, []float64{.5, .8, .9, .99}) {
			settings = append(settings, setting{mixture[0], mixture[1], p})
		}
	}
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		low, high, missed := 0, 0, 0.0 // the passes with which the rate has not been missed
		alive := []float64{1}          // from low to high
		for n := 1; n <= trials; n++ {
			next := make([]float64, len(alive)+1)
			// One trial further: alive[k] belongs to low+k passes.
			for k, m := range alive {
				next[k] += m * (1 - s.p)
				next[k+1] += m * s.p
			}
			high++
			covers := func(passes int) (bool, error) {
				interval, err := sprt.ConfidenceSequence(stats.Counts{Passes: passes, Trials: n}, alpha, s.a, s.b)
				return interval.Contains(s.p), err
			}
			for low <= high { // what covers is a range: cut off both ends
				yes, err := covers(low)
				if err != nil {
					return err
				}
				if yes {
					break
				}
				// Once missed is missed for good: the path is not followed further.
				missed += next[0]
				next, low = next[1:], low+1
			}
			for low <= high {
				yes, err := covers(high)
				if err != nil {
					return err
				}
				if yes {
					break
				}
				missed += next[len(next)-1]
				next, high = next[:len(next)-1], high-1
			}
			alive = next
		}
		c.exact("confidence sequence", fmt.Sprintf("Beta(%v,%v), rate %v, %d analyses", s.a, s.b, s.p, trials),
			uncovered, missed, atMost(alpha))
		return nil
	})
}
