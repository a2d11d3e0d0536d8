package calibration

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// calibrateLooks measures what an audit found of verdicts on every scenario, of rates that
// are unlike, and of looks that nobody counts.
func calibrateLooks(c *calibrator) error {
	if err := c.everyScenario(); err != nil {
		return err
	}
	return c.closeCutoffs()
}

// everyScenario enumerates the numbers of passes in all scenarios, where every one must
// hold, and sets the errors beside the risks of the page. Before, it printed those of the
// pooled rate.
func (c *calibrator) everyScenario() error {
	settings := []struct {
		theta             float64
		trials, scenarios int
		// The true error that was printed too low; a short form enumerates the small ones.
		error  string
		before float64
	}{
		{.70, 9, 2, falsePass, .0404}, {.75, 12, 2, falsePass, .0317}, {.50, 6, 3, falseFail, .0461},
		{.50, 54, 5, falseFail, .0486},
	}
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		risk, verdicts, err := c.everyScenarioVerdicts(s.theta, s.trials, s.scenarios)
		if err != nil {
			return err
		}
		at := binomialMasses(s.trials, s.theta)
		// One scenario is just below and the others always pass; or all are just good enough.
		rate, promised := 0.0, risk.FalsePass
		if s.error == falsePass {
			for k, mass := range at {
				if verdicts(k, s.trials) == verdict.Pass {
					rate += mass
				}
			}
		} else {
			// A scenario among others fails if its p-value is small enough in the first step of Holm.
			none := sumWhere(at, func(k int) bool { return verdicts(k, s.trials) != verdict.Fail })
			rate, promised = 1-math.Pow(none, float64(s.scenarios)), risk.FalseFail
		}
		c.exact("every scenario", fmt.Sprintf("theta %v, %d x %d", s.theta, s.scenarios, s.trials), s.error, rate,
			asPrinted(promised))
		c.before(s.before)
		return nil
	})
}

// everyScenarioVerdicts is the printed risk, and the verdict where one scenario has so many
// passes and the others another number.
func (c *calibrator) everyScenarioVerdicts(theta float64, trials, scenarios int) (
	verdict.Risk, func(one, others int) verdict.Verdict, error,
) {
	o := verdict.ThresholdOptions{Threshold: theta, By: verdict.ByScenario}
	judge := func(one, others int) (*verdict.ThresholdResult, error) {
		tallies := []verdict.Tally{{Scenario: "0", Passes: one, Fails: trials - one}}
		for i := 1; i < scenarios; i++ {
			tallies = append(tallies,
				verdict.Tally{Scenario: fmt.Sprint(i), Passes: others, Fails: trials - others})
		}
		return verdict.JudgeThreshold(c.ctx, tallies, o)
	}
	first, err := judge(trials, trials)
	if err != nil {
		return verdict.Risk{}, nil, err
	}
	return *first.Suite.Risk, func(one, others int) verdict.Verdict {
		if r, err := judge(one, others); err == nil {
			return r.Verdict
		}
		return verdict.Inconclusive
	}, nil
}

// closeCutoffs pools trials with unlike rates where the cut-off is less than a trial from
// the mean, so that equal rates are not the worst: all but one always pass.
func (c *calibrator) closeCutoffs() error {
	for _, n := range []int{10, 15, 17} {
		const theta = .99
		o := verdict.ThresholdOptions{Threshold: theta, Alpha: .05, Interval: stats.WilsonInterval}
		verdicts, risk, err := c.thresholdVerdicts(o, n)
		if err != nil {
			return err
		}
		mass := masses(n, func(i int) float64 {
			if i > 0 {
				return 1
			}
			return 1 - float64(n)*(1-theta)
		})
		fail := sumWhere(mass, func(k int) bool { return verdicts[k] == verdict.Fail })
		c.exact("unequal trials", fmt.Sprintf("theta %v, n %d, one trial has all failures", theta, n), falseFail, fail,
			atMost(risk.FalseFail))
		if n == 15 {
			c.before(.15)
		}
	}
	return nil
}
