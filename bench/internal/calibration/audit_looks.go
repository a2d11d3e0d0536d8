package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateLooks measures what an audit found of verdicts on every scenario, of rates that
// are unlike, and of looks that nobody counts.
func calibrateLooks(c *calibrator) error {
	if err := c.everyScenario(); err != nil {
		return err
	}
	if err := c.closeCutoffs(); err != nil {
		return err
	}
	if err := c.repeatedRuns(); err != nil {
		return err
	}
	if err := c.grownRecordings(); err != nil {
		return err
	}
	if err := c.grownComparisons(); err != nil {
		return err
	}
	return c.grownScores()
}

// grownScores judges the mean of scores after every ten trials until there is a verdict, where the mean is at the
// threshold: of outcomes, of levels, and of distributions of which the seldom part is hardly ever seen.
func (c *calibrator) grownScores() error {
	const theta = .8
	most := pick(c, 60, 300)
	for _, d := range []struct {
		name            string
		scores, chances []float64
	}{
		{"0 and 1", []float64{0, 1}, []float64{.2, .8}},
		{"0.5, 0.75 and 1", []float64{.5, .75, 1}, []float64{.2, .4, .4}},
		{"seldom 0", []float64{0, .82}, []float64{.02 / .82, .8 / .82}},
		{"seldom 1", []float64{.79, 1}, []float64{.2 / .21, .01 / .21}},
	} {
		for _, s := range []struct {
			error string
			wrong verdict.Verdict
		}{{falsePass, verdict.Pass}, {falseFail, verdict.Fail}} {
			setting := fmt.Sprintf("%s with the mean %v, every 10 to %d", d.name, theta, most)
			err := c.simulate("mean of scores", setting, s.error, c.runs(200, 2000), atMost(.05),
				func(r *rand.Rand) (bool, error) {
					values := make([]betting.Value, len(d.scores))
					for n := 1; n <= most; n++ {
						at, u := 0, r.Float64()
						for at < len(d.scores)-1 && u >= d.chances[at] {
							u -= d.chances[at]
							at++
						}
						values[at] = betting.Value{Value: d.scores[at], Times: values[at].Times + 1}
						if n%10 > 0 {
							continue
						}
						found, err := mean.Judge([]mean.Scenario{{Name: "s", Values: values}}, mean.Options{Threshold: theta})
						if err != nil || found.Verdict != verdict.Inconclusive {
							return err == nil && found.Verdict == s.wrong, err
						}
					}
					return false, nil
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
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

// repeatedRuns makes a run of a test again until it passes, three times at most, of a system
// that is too bad by what matters. The promise is the chance that the third page prints.
func (c *calibrator) repeatedRuns() error {
	const tries = 3
	h := sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	plan, err := sprt.Optimal(c.ctx, h, sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		return err
	}
	design := plan.Design
	pass, _, _ := ends(design.Boundaries, .8)
	exact, err := design.Errors()
	if err != nil {
		return err
	}
	var earlier []verdict.Look
	for range tries - 1 {
		earlier = append(earlier, verdict.Look{Verdict: verdict.Fail, FalsePass: exact.Beta, FalseFail: exact.Alpha})
	}
	l := verdict.NewLooks(earlier, 0, verdict.Risk{FalsePass: exact.Beta, FalseFail: exact.Alpha})
	c.exact("runs until a Pass", "0.9/0.8, three tries at 0.8", falsePass, 1-math.Pow(1-pass, tries),
		atMost(l.FalsePass))
	c.before(.271)
	return nil
}

// grownRecordings judges a recording at 20 trials and again after every 10 more, until there is
// a verdict, at a rate of just the threshold.
func (c *calibrator) grownRecordings() error {
	const theta, looks = .9, 5
	anytime := verdict.ThresholdOptions{Threshold: theta, Alpha: .05, Anytime: true}
	wilson := verdict.ThresholdOptions{Threshold: theta, Alpha: .05}
	exact := verdict.ThresholdOptions{Threshold: theta, Alpha: .05 / looks, Interval: stats.ClopperPearsonInterval}
	most := pick(c, 400, 3000)
	for _, s := range []struct {
		name    string
		options verdict.ThresholdOptions
		most    int
		promise func(summed float64) promise
		before  bool
	}{
		{"anytime-valid", anytime, most, func(float64) promise { return atMost(.05) }, true},
		{"analyses not declared", wilson, 20 + 10*(looks-1), atMost, false},
		{"five declared analyses", exact, 20 + 10*(looks-1), func(float64) promise { return atMost(.025) }, false},
	} {
		fail, pass, summed, err := c.grown(s.options, s.most)
		if err != nil {
			return err
		}
		setting := fmt.Sprintf("theta %v, every 10 from 20 to %d", theta, s.most)
		c.exact(s.name, setting, falseFail, fail, s.promise(summed.FalseFail))
		if s.before {
			c.before(.247)
		}
		c.exact(s.name, setting, falsePass, pass, s.promise(summed.FalsePass))
		if s.before {
			c.before(.183)
		}
	}
	return nil
}

// grown is the probability that the first verdict on a recording that grows is Fail, and that
// it is Pass, with the sum of the printed risks.
func (c *calibrator) grown(o verdict.ThresholdOptions, most int) (fail, pass float64, summed verdict.Risk, err error) {
	alive := []float64{1}
	for n := 1; n <= most; n++ {
		next := make([]float64, len(alive)+1)
		for k, mass := range alive {
			next[k] += mass * (1 - o.Threshold)
			next[k+1] += mass * o.Threshold
		}
		alive = next
		if n < 20 || n%10 > 0 {
			continue
		}
		judge := func(k int) verdict.Verdict {
			r, e := verdict.JudgeThreshold(c.ctx, []verdict.Tally{{Scenario: "s", Passes: k, Fails: n - k}}, o)
			if e != nil {
				err = e
				return verdict.Inconclusive
			}
			return r.Verdict
		}
		// More passes are never judged worse: two cut-offs are all verdicts.
		least := sort.Search(n+1, func(k int) bool { return judge(k) != verdict.Fail })
		enough := sort.Search(n+1, func(k int) bool { return judge(k) == verdict.Pass })
		if err != nil {
			return 0, 0, summed, err
		}
		for k := range alive {
			switch {
			case k < least:
				fail, alive[k] = fail+alive[k], 0
			case k >= enough:
				pass, alive[k] = pass+alive[k], 0
			}
		}
		r, err := verdict.JudgeThreshold(c.ctx, []verdict.Tally{{Scenario: "s", Passes: n}}, o)
		if err != nil {
			return 0, 0, summed, err
		}
		summed.FalsePass += r.Scenarios[0].Risk.FalsePass
		summed.FalseFail += r.Scenarios[0].Risk.FalseFail
	}
	return fail, pass, summed, nil
}

// grownComparisons compares after every ten pairs of trials, until there is a verdict: the errors
// over all looks, and how often a change, and that there is none, is found by the last.
func (c *calibrator) grownComparisons() error {
	type setting struct {
		baseline, candidate float64
		want                verdict.Verdict
		error               string
		promise             promise
	}
	most := pick(c, 60, 300)
	for _, s := range []setting{
		{.9, .9, verdict.Fail, falseFail, atMost(.05)}, {.5, .5, verdict.Fail, falseFail, atMost(.05)},
		{.9, .8, verdict.Pass, falsePass, atMost(.1)}, {.99, .89, verdict.Pass, falsePass, atMost(.1)},
		// That there is no change, and a drop, within the pairs of the full form.
		{.95, .95, verdict.Pass, missed, atMost(.2)}, {.95, .85, verdict.Fail, missed, atMost(.2)},
	} {
		if s.error == missed && c.short {
			continue
		}
		runs := c.runs(200, 2000)
		name := fmt.Sprintf("%v against %v, every 10 pairs to %d", s.baseline, s.candidate, most)
		err := c.simulate("comparison at any time", name, s.error, runs, s.promise, func(r *rand.Rand) (bool, error) {
			var sides [2]recording.Recording
			for n := 1; n <= most; n++ {
				for i, rate := range []float64{s.baseline, s.candidate} {
					outcome := trial.Fail
					if r.Float64() < rate {
						outcome = trial.Pass
					}
					sides[i].Add(&trial.Trial{Scenario: "s", Outcome: outcome})
				}
				if n%10 > 0 {
					continue
				}
				found, err := compare.JudgeAnytime(&sides[0], &sides[1], compare.AnytimeOptions{})
				if err != nil || found.Verdict == s.want {
					return s.error != missed, err
				}
			}
			return s.error == missed, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
