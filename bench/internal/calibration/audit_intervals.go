package calibration

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateAuditIntervals measures the intervals that an audit found to miss more than they say, in
// its settings.
func calibrateAuditIntervals(c *calibrator) error {
	for _, step := range []func() error{c.newScenarios, c.thisSuite, c.costs, c.costsOfStopped, c.meanDifferences,
		c.changedMeans, c.metricsUnderMix} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// newScenarios draws suites whose rates are Beta with a correlation within scenarios, near 1 where
// agents are; a twentieth of the scenarios then nearly always fails, and few suites hold one.
//
// The promise is made to whoever reads what is said of new scenarios like these, for any number of
// them and any distribution of their rates. The trials of a scenario are 15, or from 1 to 60.
func (c *calibrator) newScenarios() error {
	settings := []struct {
		mean, correlation float64
		scenarios         int
		unequal           bool
		before            float64
	}{
		{.95, .2, 10, false, .151},
		{.95, .2, 20, false, .14},
		{.9, .5, 10, false, .18},
		{.95, .5, 20, true, .285},
		{.98, .5, 50, false, .198},
		{.98, .5, 50, true, .295},
		{.5, .5, 10, false, 0},
		{.8, .2, 5, true, 0},
	}
	return c.each(pick(c, 4, len(settings)), func(c *calibrator, i int) error {
		s := settings[i]
		trials := "15 each"
		if s.unequal {
			trials = "1..60 each"
		}
		deviation := math.Sqrt(s.mean * (1 - s.mean) * s.correlation)
		setting := fmt.Sprintf("mean %v, correlation %v, %d of %s", s.mean, s.correlation, s.scenarios, trials)
		err := c.simulate("new scenarios", setting, uncovered, c.runs(200, 2000), atMost(intervalAlpha),
			func(random *rand.Rand) (bool, error) {
				var suite []stats.Counts
				for range s.scenarios {
					n := 15
					if s.unequal {
						n = 1 + random.IntN(60)
					}
					rate := simulation.Beta(random, s.mean, deviation)
					suite = append(suite, stats.Counts{Passes: passesOf(random, n, rate), Trials: n})
				}
				interval, err := stats.ClusteredRate(suite, intervalAlpha)
				return !interval.Contains(s.mean), err
			})
		if s.before > 0 {
			c.before(s.before)
		}
		return err
	})
}

// thisSuite enumerates the passes of a fixed suite with few trials of each scenario.
//
// Scenarios at one rate add up, so that two binomials are all there is to go through.
func (c *calibrator) thisSuite() error {
	for _, s := range []struct {
		scenarios [2]int // at each of the two rates
		rates     [2]float64
		trials    int
		before    float64
	}{
		{[2]int{5, 0}, [2]float64{.99, 0}, 3, .14},
		{[2]int{1, 1}, [2]float64{1, .8}, 3, .104},
		{[2]int{1, 1}, [2]float64{.8, .05}, 20, 0},
		{[2]int{9, 1}, [2]float64{.99, .6}, 10, 0},
	} {
		first := binomialMasses(s.scenarios[0]*s.trials, s.rates[0])
		second := binomialMasses(s.scenarios[1]*s.trials, s.rates[1])
		all := len(first) + len(second) - 2
		mean := (float64(len(first)-1)*s.rates[0] + float64(len(second)-1)*s.rates[1]) / float64(all)
		misses := 0.0
		for a, p := range first {
			for b, q := range second {
				interval, err := stats.SuiteRate([]stats.Counts{{Passes: a + b, Trials: all}}, intervalAlpha)
				if err != nil {
					return err
				}
				if !interval.Contains(mean) {
					misses += p * q
				}
			}
		}
		c.exact("this suite", fmt.Sprintf("%d at %v, %d at %v, %d trials each", s.scenarios[0], s.rates[0],
			s.scenarios[1], s.rates[1], s.trials), uncovered, misses, atMost(intervalAlpha))
		if s.before > 0 {
			c.before(s.before)
		}
	}
	return nil
}

// costModel draws what a trial costs by its outcome.
type costModel struct {
	rate     float64 // of passes
	dearer   float64 // a failure, times a pass
	logSD    float64 // of a log-normal cost; 0 is uniform from 0.5 to 1.5
	expected float64 // cost of a pass
}

func pricedAt(rate, dearer, logSD float64) costModel {
	return costModel{rate, dearer, logSD, math.Exp(logSD * logSD / 2)}
}

// truth is what a success costs on average.
func (p costModel) truth() float64 { return p.expected * (1 + p.dearer*(1-p.rate)/p.rate) }

func (p costModel) trial(random *rand.Rand) plan.ForecastTrial {
	t := plan.ForecastTrial{Passed: random.Float64() < p.rate}
	cost := 0.5 + random.Float64()
	if p.logSD > 0 {
		cost = math.Exp(p.logSD * random.NormFloat64())
	}
	if !t.Passed {
		cost *= p.dearer
	}
	t.CostUSD = trial.Some(cost)
	return t
}

// misses reports whether the interval of a forecast is there and misses.
func (p costModel) misses(trials []plan.ForecastTrial, o plan.ForecastOptions) (bool, error) {
	o.RunsPerDay, o.Alpha = 1, intervalAlpha
	f, err := plan.NewForecast(trials, o)
	if err != nil || f.Cost == nil || f.Cost.Low == nil {
		return false, err
	}
	return p.truth() < *f.Cost.Low || p.truth() > *f.Cost.High, nil
}

// costs draws trials whose failures are dear, or whose costs have a heavy tail, of which few
// trials show too little.
//
// The promise is made to whoever plans a month by it: an interval that is printed misses with at most
// its alpha, at costs like these. Where trials or failures are too few there is none.
func (c *calibrator) costs() error {
	settings := []struct {
		costModel
		trials int
		before float64
	}{
		{pricedAt(.95, 10, 0), 20, .36},
		{pricedAt(.95, 10, 0), 50, .15},
		{pricedAt(.8, 1, 1.5), 50, .13},
		{pricedAt(.95, 10, 0), 10, .61},
		{pricedAt(.95, 10, 0), 100, .09},
		{pricedAt(.8, 1, 1.5), 10, .2},
		{pricedAt(.8, 1, 1.5), 200, .1},
		{pricedAt(.7, 1, 0), 60, 0},
	}
	return c.each(pick(c, 3, len(settings)), func(c *calibrator, i int) error {
		s := settings[i]
		costs := "uniform costs"
		if s.logSD > 0 {
			costs = fmt.Sprintf("log-normal costs, sd %v", s.logSD)
		}
		setting := fmt.Sprintf("%d trials, rate %v, %s, failures %v times", s.trials, s.rate, costs, s.dearer)
		err := c.simulate("cost of a success", setting, uncovered, c.runs(1000, 10_000), atMost(intervalAlpha),
			func(random *rand.Rand) (bool, error) {
				list := make([]plan.ForecastTrial, s.trials)
				for i := range list {
					list[i] = s.trial(random)
				}
				return s.misses(list, plan.ForecastOptions{})
			})
		if s.before > 0 {
			c.before(s.before)
		}
		return err
	})
}

// costsOfStopped draws trials until the test that is the default decides.
func (c *calibrator) costsOfStopped() error {
	found, err := sprt.Optimal(c.ctx, usualHypotheses, sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		return err
	}
	sample, err := baseline.Stopping(found.Design.Boundaries)
	if err != nil {
		return err
	}
	settings := []struct{ rate, before float64 }{{.9, .28}, {.95, .47}, {.98, .48}, {.8, 0}}
	return c.each(pick(c, 2, len(settings)), func(c *calibrator, i int) error {
		s := settings[i]
		p := pricedAt(s.rate, 10, 0)
		setting := fmt.Sprintf("stopped by the test of .9 less .1, rate %v, failures 10 times", s.rate)
		err := c.simulate("cost of a success", setting, uncovered, c.runs(500, 5000), atMost(intervalAlpha),
			func(random *rand.Rand) (bool, error) {
				var list []plan.ForecastTrial
				failures := 0
				for b := found.Design.Boundaries; len(list) < b.MaxTrials(); {
					list = append(list, p.trial(random))
					if !list[len(list)-1].Passed {
						failures++
					}
					if n := len(list) - 1; failures <= b.PassAtOrBelow[n] || failures >= b.FailAtOrAbove[n] {
						break
					}
				}
				end := baseline.Outcome{Trials: len(list), Failures: failures}
				return p.misses(list, plan.ForecastOptions{
					Sequential: true, Rate: plan.StoppedRateOf(sample, end, intervalAlpha),
				})
			})
		if s.before > 0 {
			c.before(s.before)
		}
		return err
	})
}

// meanDifferences draws two samples from one distribution, whose difference is 0.
//
// The promise is made to whoever reads by how much a mean changed. A tail that one trial in twenty shows
// is not in every sample, which the values alone cannot tell: eight of a hundred are what is promised of it.
func (c *calibrator) meanDifferences() error {
	normal := func(r *rand.Rand) float64 { return 10 + r.NormFloat64() }
	settings := []struct {
		name   string
		draw   func(*rand.Rand) float64
		sizes  [2]int
		bound  float64
		before float64
	}{
		{"5 % at 20 times", rarelyDear, [2]int{10, 50}, .08, .41},
		{"log-normal, sd 1.5", heavyTail, [2]int{150, 150}, .05, .13},
		{"5 % at 20 times", rarelyDear, [2]int{50, 50}, .08, 0},
		{"normal", normal, [2]int{5, 5}, .05, .13},
		{"log-normal, sd 1", func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }, [2]int{10, 10}, .05, .17},
		{"log-normal, sd 1.5", heavyTail, [2]int{10, 10}, .05, .2},
		{"log-normal, sd 1.5", heavyTail, [2]int{20, 100}, .05, 0},
		{"5 % at 20 times", rarelyDear, [2]int{20, 100}, .08, 0},
		{"5 % at 20 times", rarelyDear, [2]int{150, 150}, .08, 0},
		{"normal", normal, [2]int{20, 20}, .05, 0},
	}
	return c.each(pick(c, 3, len(settings)), func(c *calibrator, i int) error {
		s := settings[i]
		setting := fmt.Sprintf("%d/%d, %s", s.sizes[0], s.sizes[1], s.name)
		err := c.simulate("difference of means", setting, uncovered, c.runs(1000, 10_000), atMost(s.bound),
			func(random *rand.Rand) (bool, error) {
				var x sample.Stratum
				for range s.sizes[0] {
					x.Baseline = append(x.Baseline, s.draw(random))
				}
				for range s.sizes[1] {
					x.Candidate = append(x.Candidate, s.draw(random))
				}
				r, err := sample.CompareMeans([]sample.Stratum{x}, intervalAlpha, random.Uint64())
				// Where there are too few values none is printed.
				return r.Interval != nil && !r.Interval.Contains(0), err
			})
		if s.before > 0 {
			c.before(s.before)
		}
		return err
	})
}

// rarelyDear is a cost near 1, and near 20 in one trial of twenty.
func rarelyDear(r *rand.Rand) float64 {
	cost := 0.8 + 0.4*r.Float64()
	if r.Float64() < .05 {
		cost *= 20
	}
	return cost
}

// changedMeans draws a candidate whose values are a multiple of the baseline's kind, in pairs and alone: the interval
// is that of the difference of the means, though no shift makes one side of the other.
func (c *calibrator) changedMeans() error {
	skewed := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }
	const mean = 1.6487212707001282 // √e
	settings := []struct {
		sizes  [2]int
		factor float64
		bound  float64
	}{{[2]int{50, 50}, 3, .08}, {[2]int{20, 100}, 3, .08}, {[2]int{100, 20}, 3, .08}, {[2]int{20, 20}, 3, .08},
		{[2]int{0, 40}, 3, .08}}
	return c.each(pick(c, 2, len(settings)), func(c *calibrator, i int) error {
		s := settings[i]
		setting := fmt.Sprintf("%d/%d, log-normal, sd 1, candidate %v times", s.sizes[0], s.sizes[1], s.factor)
		if s.sizes[0] == 0 {
			setting = fmt.Sprintf("%d pairs, log-normal, sd 1, candidate %v times", s.sizes[1], s.factor)
		}
		return c.simulate("changed difference of means", setting, uncovered, c.runs(300, 3000), atMost(s.bound),
			func(random *rand.Rand) (bool, error) {
				var strata []sample.Stratum
				var x sample.Stratum
				for range s.sizes[0] {
					x.Baseline = append(x.Baseline, skewed(random))
				}
				for range s.sizes[1] {
					v := s.factor * skewed(random)
					x.Candidate = append(x.Candidate, v)
					strata = append(strata, sample.Stratum{Baseline: []float64{skewed(random)}, Candidate: []float64{v}})
				}
				if s.sizes[0] > 0 {
					strata = []sample.Stratum{x}
				}
				r, err := sample.CompareMeans(strata, intervalAlpha, random.Uint64())
				return r.Interval != nil && !r.Interval.Contains((s.factor-1)*mean), err
			})
	})
}

// metricsUnderMix compares an unchanged agent of two scenarios, of which the hard one costs more, where the
// candidate tries it more often.
//
// The promise is made to whoever reads which metrics changed: a mix is no change. 50 easy trials of 100 become
// 40 or 30.
func (c *calibrator) metricsUnderMix() error {
	settings := []struct {
		easy   int
		before float64
	}{{40, .145}, {30, .93}}
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		err := c.simulate("metric, another mix", fmt.Sprintf("50 -> %d easy of 100, costs log-normal, hard 3 times", s.easy),
			falseAlarm, c.runs(100, 1000), atMost(intervalAlpha), func(random *rand.Rand) (bool, error) {
				var sides [2]recording.Recording
				for side, easy := range []int{50, s.easy} {
					for k := range 100 {
						t := &trial.Trial{Scenario: "easy", Outcome: trial.Pass}
						cost := math.Exp(0.5 * random.NormFloat64())
						if k >= easy {
							t.Scenario, cost = "hard", 3*cost
						}
						t.CostUSD = trial.Some(cost)
						sides[side].Add(t)
					}
				}
				r, err := compare.Judge(c.ctx, &sides[0], &sides[1], compare.Options{Alpha: intervalAlpha})
				if err != nil {
					return false, err
				}
				if len(r.Metrics) == 0 {
					return false, errors.New("the cost is not compared")
				}
				return r.Metrics[0].P <= intervalAlpha, nil
			})
		c.before(s.before)
		return err
	})
}
