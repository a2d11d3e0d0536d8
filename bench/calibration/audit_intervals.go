package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/simulation"
	"github.com/tribunal-dev/tribunal/stats"
)

// calibrateAuditIntervals measures the intervals that an audit found to miss more than they say, in
// its settings.
func calibrateAuditIntervals(c *calibrator) error {
	for _, step := range []func() error{c.newScenarios, c.thisSuite} {
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
