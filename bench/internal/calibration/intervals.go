package calibration

import (
	"fmt"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// calibrateIntervals measures the intervals that are shown beside verdicts and decide
// nothing. But for the exact one of a rate they are approximate, and promise nothing.
//
// Of the exact one, Clopper and Pearson's, the promise is made to whoever reads it: it misses the
// rate with at most alpha at every rate. The others are rows without a promise, so that the page
// says how much more than their alpha they miss.
func calibrateIntervals(c *calibrator) error {
	for _, step := range []func() error{c.rateIntervals, c.differences, c.clustered, c.means, c.forecasts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// intervalAlpha is the two-sided error of all intervals of this file.
const intervalAlpha = .05

// rateIntervals enumerates all counts of passes. Misses jump where the rate crosses a limit, so the
// rates beside every limit are in the grid.
func (c *calibrator) rateIntervals() error {
	for _, m := range intervalMethods {
		n := pick(c, 50, 200)
		intervals := make([]stats.Interval, n+1)
		for k := range intervals {
			var err error
			counts := stats.Counts{Passes: k, Trials: n}
			if intervals[k], err = m.Interval(counts, intervalAlpha); err != nil {
				return err
			}
		}
		rate, at := worstOver(append(rateGrid(.5, 1, 100), beside(intervals, 1)...), func(p float64) float64 {
			return sumWhere(binomialMasses(n, p), func(k int) bool { return !intervals[k].Contains(p) })
		})
		p := unpromised(intervalAlpha)
		if m == stats.ClopperPearsonInterval {
			p = atMost(intervalAlpha)
		}
		c.exact(m.String(), fmt.Sprintf("n %d, rate %.4g", n, at), uncovered, rate, p)
	}
	return nil
}

// differences enumerates all tables of two independent sides, and all flip tables of pairs, for the
// intervals of a difference of rates, with no drop and with one of 0.1.
func (c *calibrator) differences() error {
	n := pick(c, 20, 40)
	for _, m := range []struct {
		name     string
		interval func(baseline, candidate stats.Counts, alpha float64) (stats.Interval, error)
	}{{"Miettinen-Nurminen", stats.MiettinenNurminen}, {"Newcombe", stats.Newcombe}} {
		side := n + 1
		intervals := make([]stats.Interval, side*side)
		if err := bench.Repeat(c.ctx, len(intervals), func(i int) (err error) {
			intervals[i], err = m.interval(stats.Counts{Passes: i / side, Trials: n},
				stats.Counts{Passes: i % side, Trials: n}, intervalAlpha)
			return err
		}); err != nil {
			return err
		}
		for _, drop := range []float64{0, .1} {
			rate, at := worstOver(rateGrid(.5, 1, 20), func(p float64) float64 {
				return tables([2]int{n, n}, func(b, k int) bool {
					// A difference is candidate minus baseline: a drop is negative.
					return !intervals[b*side+k].Contains(-drop)
				}).probability(p, p-drop)
			})
			c.exact(m.name, fmt.Sprintf("%d/%d, drop %v, rate %.3g", n, n, drop, at), uncovered, rate,
				unpromised(intervalAlpha))
		}
	}
	// By the pairs that broke and that mended. Which of the steady pairs pass does not matter.
	intervals := map[[2]int]stats.Interval{}
	for broke := range n + 1 {
		for mended := 0; broke+mended <= n; mended++ {
			interval, err := stats.Tango(stats.Pairs{Broke: broke, Mended: mended, BothPass: n - broke - mended},
				intervalAlpha)
			if err != nil {
				return err
			}
			intervals[[2]int{broke, mended}] = interval
		}
	}
	for _, drop := range []float64{0, .1} {
		rate, at := worstOver(rateGrid(0, (1-drop)/2, 20), func(mends float64) (sum float64) {
			for t, interval := range intervals {
				if !interval.Contains(-drop) {
					sum += trinomial(n, t[0], t[1], mends+drop, mends)
				}
			}
			return sum
		})
		c.exact("Tango", fmt.Sprintf("%d pairs, drop %v, mends %.3g", n, drop, at), uncovered, rate,
			unpromised(intervalAlpha))
	}
	return nil
}

// clustered draws new scenarios like these.
//
// Rates of scenarios are Beta with a mean of 0.8. With five scenarios the interval rests on five
// numbers; 20,000 runs leave 0.46 points at alpha.
func (c *calibrator) clustered() error {
	for _, scenarios := range []int{5, 20} {
		err := c.simulate("clustered rate", fmt.Sprintf("%d scenarios of 10, rates .8 +- .1", scenarios), uncovered,
			c.runs(1000, 20_000), unpromised(intervalAlpha), func(random *rand.Rand) (bool, error) {
				var counts []stats.Counts
				for range scenarios {
					counts = append(counts,
						stats.Counts{Passes: passesOf(random, 10, simulation.Beta(random, .8, .1)), Trials: 10})
				}
				i, err := stats.ClusteredRate(counts, intervalAlpha)
				return !i.Contains(.8), err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// means compares two samples of skewed costs from one distribution, whose difference is 0. Of 5000 runs
// 0.9 points are left at alpha.
func (c *calibrator) means() error {
	const n = 30
	cost := simulation.Spread{Mean: 1, SD: 1}
	return c.simulate("difference of means", fmt.Sprintf("%d/%d, lognormal", n, n), uncovered, c.runs(300, 5000),
		unpromised(intervalAlpha), func(random *rand.Rand) (bool, error) {
			var s sample.Stratum
			for range n {
				s.Baseline = append(s.Baseline, cost.Draw(random))
				s.Candidate = append(s.Candidate, cost.Draw(random))
			}
			r, err := sample.CompareMeans([]sample.Stratum{s}, intervalAlpha, random.Uint64())
			// Where there are too few values none is printed.
			return r.Interval != nil && !r.Interval.Contains(0), err
		})
}

// forecasts measures the interval of what a success costs, which the cost of a month is scaled from:
// skewed costs over passes.
func (c *calibrator) forecasts() error {
	const n, rate = 50, .8
	cost := simulation.Spread{Mean: 1, SD: .8}
	return c.simulate("forecast", fmt.Sprintf("%d trials, rate %v, lognormal costs", n, rate), uncovered,
		c.runs(1000, 20_000), unpromised(intervalAlpha), func(random *rand.Rand) (bool, error) {
			var list []plan.ForecastTrial
			for range n {
				list = append(list,
					plan.ForecastTrial{Passed: random.Float64() < rate, CostUSD: trial.Some(cost.Draw(random))})
			}
			f, err := plan.NewForecast(list, plan.ForecastOptions{RunsPerDay: 1, Alpha: intervalAlpha})
			if err != nil || f.Cost == nil || f.Cost.Low == nil {
				return false, err
			}
			// Each success is paid with 1/rate trials on average.
			truth := cost.Mean / rate
			return truth < *f.Cost.Low || truth > *f.Cost.High, nil
		})
}
