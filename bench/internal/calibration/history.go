package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	series "github.com/tribunal-dev/tribunal/verdict/history"
)

// calibrateHistory measures how often a history shows a change, where the series has none and where it has one.
//
// The promise is made to whoever reads a history of runs that did not change: any change at all is shown with alpha at
// most, also where every night moves its trials together, where nights have unlike numbers of trials, and where tests
// stopped them by their outcomes. The interval of the intraclass correlation promises nothing, as it is approximate.
func calibrateHistory(c *calibrator) error {
	settings := nightSettings()
	if err := c.each(len(settings), func(c *calibrator, i int) error { return c.changesOf(settings[i]) }); err != nil {
		return err
	}
	if err := c.meansOfNights(); err != nil {
		return err
	}
	return c.alikeTrials()
}

// nights is a setting: runs of a rate, which may drop at one of them.
type nights struct {
	decision, setting string
	runs              int
	trials            func(random *rand.Rand, night int) int
	rate, after       float64
	drop              int     // the first night after the drop; the number of runs is none
	spread            float64 // intraclass correlation of the trials of a night
	stopped           bool    // by the fifth failure
	byTrials          bool
	err               string
	promise           promise
}

// nightSettings are those that the promise is made for, and two with a drop.
func nightSettings() []nights {
	twenty := func(*rand.Rand, int) int { return 20 }
	growing := func(_ *rand.Rand, night int) int { return 5 + 2*night }
	return []nights{
		{"by runs", "21 runs of 20, 0.9", 21, twenty, .9, .9, 21, 0, false, false, falseAlarm, atMost(.05)},
		{"by runs", "40 runs of 20, 0.7, nights alike .1", 40, twenty, .7, .7, 40, .1, false, false, falseAlarm, atMost(.05)},
		{"by runs", "30 runs, stopped by the fifth failure", 30, twenty, .7, .7, 30, 0, true, false, falseAlarm, atMost(.05)},
		{"by trials", "21 runs of 20, 0.9", 21, twenty, .9, .9, 21, 0, false, true, falseAlarm, atMost(.05)},
		{"by trials", "30 runs of 5 to 63, 0.8", 30, growing, .8, .8, 30, 0, false, true, falseAlarm, atMost(.05)},
		{"trials, alike nights", "40 runs, nights alike .1", 40, twenty, .7, .7, 40, .1, false, true, falseAlarm,
			unpromised(.05)},
		{"by runs", "21 runs of 20, 0.95 to 0.75 after 14", 21, twenty, .95, .75, 14, 0, false, false, missed,
			unpromised(.1)},
		{"by trials", "21 runs of 20, 0.95 to 0.75 after 14", 21, twenty, .95, .75, 14, 0, false, true, missed,
			unpromised(.1)},
	}
}

// draw is one series.
func (n *nights) draw(random *rand.Rand) []series.Point {
	list := make([]series.Point, n.runs)
	for i := range list {
		rate := n.rate
		if i >= n.drop {
			rate = n.after
		}
		rate = rateOfGroup(random, rate, n.spread)
		list[i].Runs = 1
		for range n.trials(random, i) {
			if random.Float64() < rate {
				list[i].Passes++
			} else if list[i].Failures++; n.stopped && list[i].Failures == 5 {
				break
			}
		}
	}
	return list
}

// rateOfGroup is that of a group whose trials have an intraclass correlation rho, and a rate over all groups: one of
// two,
// which are rate and 1-rate times as frequent, and whose variance is rho times that of an outcome.
func rateOfGroup(random *rand.Rand, rate, rho float64) float64 {
	apart := math.Sqrt(rho)
	if random.Float64() < rate {
		return rate + (1-rate)*apart
	}
	return rate * (1 - apart)
}

// changesOf adds how often a change is shown, or none within two nights of the one that is there.
func (c *calibrator) changesOf(n nights) error {
	return c.simulate(n.decision, n.setting, n.err, c.runs(60, 1000), n.promise, func(random *rand.Rand) (bool, error) {
		r, err := series.Judge(c.ctx, n.draw(random), nil, series.Options{ByTrials: n.byTrials, Seed: random.Uint64()})
		if err != nil {
			return false, err
		}
		if n.drop == n.runs {
			return len(r.Changes) > 0, nil
		}
		for _, x := range r.Changes {
			if x.At >= n.drop-2 && x.At <= n.drop+2 && x.Difference < 0 {
				return false, nil
			}
		}
		return true, nil
	})
}

// meansOfNights adds how often the mean of a skewed cost is shown to change where it does not.
func (c *calibrator) meansOfNights() error {
	return c.simulate("means of runs", "30 runs of 10, log-normal, sd 1.0", falseAlarm, c.runs(60, 1000), atMost(.05),
		func(random *rand.Rand) (bool, error) {
			list := make([]series.Point, 30)
			for i := range list {
				list[i].Runs, list[i].Sum = 1, &series.Sum{Known: 10}
				for range 10 {
					x := math.Exp(random.NormFloat64())
					list[i].Sum.Total += x
					list[i].Sum.Squares += x * x
				}
			}
			r, err := series.Judge(c.ctx, list, nil, series.Options{Metric: series.Cost, Seed: random.Uint64()})
			return err == nil && len(r.Changes) > 0, err
		})
}

// alikeTrials adds how often the interval of an intraclass correlation misses it.
func (c *calibrator) alikeTrials() error {
	for _, s := range []struct {
		setting string
		groups  int
		rho     float64
	}{{"20 scenarios of 10, .3", 20, .3}, {"50 scenarios of 10, .3", 50, .3}, {"50 scenarios of 10, .8", 50, .8}} {
		if err := c.simulate("alike trials", s.setting, uncovered, c.runs(60, 600), unpromised(.05),
			func(random *rand.Rand) (bool, error) {
				groups := make([]stats.Counts, s.groups)
				for i := range groups {
					groups[i].Trials = 10
					p := rateOfGroup(random, .7, s.rho)
					for range 10 {
						if random.Float64() < p {
							groups[i].Passes++
						}
					}
				}
				interval, known := intraclass.Interval(groups, .05, random.Uint64())
				return known && !interval.Contains(s.rho), nil
			}); err != nil {
			return err
		}
	}
	return nil
}
