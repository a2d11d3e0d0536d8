package calibration

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/threshold"
	"github.com/tribunal-dev/tribunal/verdict"
)

// intervalMethods are those that a threshold is judged by.
var intervalMethods = []stats.IntervalMethod{stats.WilsonInterval, stats.ClopperPearsonInterval,
	stats.AgrestiCoullInterval, stats.JeffreysInterval}

// calibrateThreshold enumerates the verdicts on one rate against a threshold. The exact
// interval keeps half of alpha on either side; of the others it is promised that the
// risks are printed with the result, and that they are at most alpha.
//
// The promise is made to whoever reads the verdict on a pass rate. At a true rate of just the
// threshold, Fail is wrong; the same rate also bounds how often Pass is, for a rate below it passes
// less often. All rows are exact: of n trials there are n+1 outcomes.
func calibrateThreshold(c *calibrator) error {
	// trials go from where no verdict is possible to where most rates are decided
	type setting struct {
		method       stats.IntervalMethod
		alpha, theta float64
		trials       int
	}
	var settings []setting
	for _, m := range intervalMethods {
		for _, alpha := range pick(c, []float64{.05}, []float64{.05, .01, .10}) {
			for _, theta := range pick(c, []float64{.5, .9, .99}, []float64{.5, .7, .8, .9, .95, .99}) {
				for _, n := range pick(c, []int{10, 55, 100}, []int{10, 20, 35, 55, 100, 200, 500}) {
					settings = append(settings, setting{m, alpha, theta, n})
				}
			}
		}
	}
	if err := c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		return c.oneThreshold(verdict.ThresholdOptions{Threshold: s.theta, Alpha: s.alpha, Interval: s.method}, s.trials)
	}); err != nil {
		return err
	}
	if err := c.thresholdErrors(); err != nil {
		return err
	}
	if err := c.moreTrials(); err != nil {
		return err
	}
	return c.thresholdMixture()
}

// mostJudged is the number of trials up to which every outcome is judged as a whole.
// Beyond, the verdicts are those of the intervals, and the printed risks those of one
// outcome: the rest of a judgement, such as how many more trials would decide, takes long.
//
// Chosen. That both ways give one verdict is what the outcomes up to it show.
const mostJudged = 30

// thresholdVerdicts judges every number of passes, and returns the printed risks too.
func (c *calibrator) thresholdVerdicts(o verdict.ThresholdOptions, n int) ([]verdict.Verdict, verdict.Risk, error) {
	verdicts := make([]verdict.Verdict, n+1)
	var risk verdict.Risk
	for k := range verdicts {
		// The risks do not depend on the outcome, so that of 0 passes, judged as a whole, is enough.
		if n > mostJudged && k > 0 {
			rule := threshold.Rule{Method: o.Interval, Alpha: o.Alpha, Threshold: o.Threshold, Guarded: true}
			switch side := rule.Decide(stats.Counts{Passes: k, Trials: n}); {
			case side > 0:
				verdicts[k] = verdict.Pass
			case side < 0:
				verdicts[k] = verdict.Fail
			}
			continue
		}
		r, err := verdict.JudgeThreshold(c.ctx, []verdict.Tally{{Scenario: "s", Passes: k, Fails: n - k}}, o)
		if err != nil {
			return nil, risk, err
		}
		// Risk is set whenever there are trials, and here there always are.
		verdicts[k], risk = r.Verdict, *r.Scenarios[0].Risk
	}
	return verdicts, risk, nil
}

// riskOf promises alpha/2 of the exact interval, and else that the risk is as printed.
func riskOf(o verdict.ThresholdOptions, risk float64) promise {
	if o.Interval == stats.ClopperPearsonInterval {
		return atMost(o.Alpha / 2)
	}
	return asPrinted(risk)
}

// oneThreshold adds four rows of one interval in one setting: both errors beside the risks that are printed and,
// of approximate intervals, beside alpha, which they keep as the exact one decides where they would not.
func (c *calibrator) oneThreshold(o verdict.ThresholdOptions, n int) error {
	verdicts, risk, err := c.thresholdVerdicts(o, n)
	if err != nil {
		return err
	}
	mass := binomialMasses(n, o.Threshold)
	// The usual alpha goes without saying, so that settings stay short in the table.
	setting := fmt.Sprintf("theta %v, n %d", o.Threshold, n)
	if o.Alpha != verdict.DefaultAlpha {
		setting += fmt.Sprintf(", alpha %v", o.Alpha)
	}
	rate := func(want verdict.Verdict, always float64) float64 {
		is := func(k int) bool { return verdicts[k] == want }
		return math.Max(sumWhere(mass, is), unlike(n, o.Threshold, always, is))
	}
	fail, pass := rate(verdict.Fail, 1), rate(verdict.Pass, 0)
	name := o.Interval.String()
	c.exact(name, setting, falseFail, fail, riskOf(o, risk.FalseFail))
	c.exact(name, setting, falsePass, pass, riskOf(o, risk.FalsePass))
	if o.Interval != stats.ClopperPearsonInterval {
		c.exact(name+", level", setting, falseFail, fail, atMost(o.Alpha))
		c.exact(name+", level", setting, falsePass, pass, atMost(o.Alpha))
	}
	return nil
}

// mostUnlike is how many trials there are at most where rates that differ are tried: a cut-off
// within a trial of the mean is one of few trials, or of few that are expected to fail.
const mostUnlike = 20

// unlike is the largest probability over trials of which some always pass, or never do, and
// the others have one rate, so that the mean is theta.
func unlike(n int, theta, always float64, is func(k int) bool) (largest float64) {
	for sure := 0; sure < n && n <= mostUnlike; sure++ {
		rate := (float64(n)*theta - float64(sure)*always) / float64(n-sure)
		if rate < 0 || rate > 1 {
			break
		}
		largest = math.Max(largest, sumWhere(masses(n, func(i int) float64 {
			if i < sure {
				return always
			}
			return rate
		}), is))
	}
	return largest
}

// thresholdErrors enumerates verdicts on trials of which some broke, where that depends
// on what they would have been: the worst that errors can do.
func (c *calibrator) thresholdErrors() error {
	// All n(n+1)/2 outcomes are judged as a whole, hence few trials.
	n := pick(c, 12, 40)
	settings := []struct {
		name        string
		pass, fails float64 // the share of the passes, and of the failures, that break
	}{{"passes break", .3, 0}, {"failures break", 0, .3}, {"a fifth breaks", .2, .2}}
	policies := []struct {
		name    string
		policy  verdict.ErrorPolicy
		promise func(float64) promise
		// The robust policy keeps alpha/2 against errors of any kind, since it decides only what holds
		// whether they are passes or failures; the other two promise that for no kind of error.
	}{{"with errors", verdict.RobustErrors, atMost}, {"errors left out", verdict.ExcludeErrors, unpromised},
		{"errors are failures", verdict.FailErrors, unpromised}}
	return c.each(len(settings)*len(policies), func(c *calibrator, i int) error {
		const theta = .8
		s, policy := settings[i%len(settings)], policies[i/len(settings)]
		o := verdict.ThresholdOptions{Threshold: theta, Alpha: .05, Interval: stats.ClopperPearsonInterval,
			Errors: policy.policy}
		fail, pass := 0.0, 0.0
		// The probabilities of a recorded pass and of a recorded failure; the rest are errors.
		right, wrong := theta*(1-s.pass), (1-theta)*(1-s.fails)
		for passes := 0; passes <= n; passes++ {
			for fails := 0; passes+fails <= n; fails++ {
				mass := trinomial(n, passes, fails, right, wrong)
				// Of at most 861 outcomes these add up to less than what rounding may be off.
				if mass < 1e-15 {
					continue
				}
				r, err := verdict.JudgeThreshold(c.ctx, []verdict.Tally{{Scenario: "s", Passes: passes, Fails: fails,
					Errors: n - passes - fails}}, o)
				if err != nil {
					return err
				}
				switch r.Verdict {
				case verdict.Fail:
					fail += mass
				case verdict.Pass:
					pass += mass
				}
			}
		}
		setting := fmt.Sprintf("%s, theta %v, n %d", s.name, theta, n)
		c.exact(policy.name, setting, falseFail, fail, policy.promise(o.Alpha/2))
		c.exact(policy.name, setting, falsePass, pass, policy.promise(o.Alpha/2))
		return nil
	})
}

// trinomial is the probability of so many of two kinds among n, with their rates.
// In logarithms, since the factorials of hundreds overflow. A count of 0 adds nothing even where
// its rate is 0, whose logarithm would be -Inf times 0.
func trinomial(n, a, b int, rateA, rateB float64) float64 {
	rest := n - a - b
	log := logFactorial(n) - logFactorial(a) - logFactorial(b) - logFactorial(rest)
	for _, part := range []struct {
		count int
		rate  float64
	}{{a, rateA}, {b, rateB}, {rest, 1 - rateA - rateB}} {
		if part.count > 0 {
			log += float64(part.count) * math.Log(math.Max(part.rate, 0))
		}
	}
	return math.Exp(log)
}

// logFactorial is ln n!, by the Gamma function of the standard library, which stats does not use
// for its masses.
func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n + 1))
	return l
}

// moreTrials checks the chance of a decision that is printed with an open verdict.
// The promise is the printed chance: that so many more trials, at the observed rate, decide. It is
// checked by adding every outcome of those trials to what was observed.
func (c *calibrator) moreTrials() error {
	for _, observed := range []stats.Counts{{Passes: 45, Trials: 50}, {Passes: 9, Trials: 10},
		{Passes: 30, Trials: 40}} {
		o := verdict.ThresholdOptions{Threshold: .85, Alpha: .05}
		r, err := verdict.JudgeThreshold(c.ctx, []verdict.Tally{{Scenario: "s", Passes: observed.Passes,
			Fails: observed.Fails()}}, o)
		if err != nil {
			return err
		}
		// nil where the verdict is decided, or where no number of trials is likely to decide it.
		more := r.Scenarios[0].MoreTrials
		if more == nil {
			continue
		}
		chance := 0.0
		for k, mass := range binomialMasses(more.Trials, observed.Rate()) {
			i, err := o.Interval.Interval(
				stats.Counts{Passes: observed.Passes + k, Trials: observed.Trials + more.Trials}, o.Alpha)
			if err != nil {
				return err
			}
			if i.Low >= o.Threshold || i.High < o.Threshold {
				chance += mass
			}
		}
		c.exact("more trials", fmt.Sprintf("%v, theta %v, %d more", observed, o.Threshold, more.Trials), decides,
			chance, asPrinted(more.Chance))
	}
	return nil
}

// thresholdMixture pools scenarios whose rates differ and have the threshold as their
// mean: equal rates are the worst (Hoeffding 1956).
//
// The promise is that the printed risks hold for a suite of unlike scenarios too, so it is a bound
// here, not a rate that is met.
func (c *calibrator) thresholdMixture() error {
	for _, spread := range []float64{.02, .05, .1} {
		const theta = .9
		o := verdict.ThresholdOptions{Threshold: theta, Alpha: .05}
		n := pick(c, 60, 200)
		verdicts, risk, err := c.thresholdVerdicts(o, n)
		if err != nil {
			return err
		}
		// Half of the trials are above the threshold by the spread, half below.
		mass := masses(n, func(i int) float64 { return theta + spread*float64(2*(i%2)-1) })
		setting := fmt.Sprintf("%v +- %v, n %d", theta, spread, n)
		c.exact("unequal scenarios", setting, falseFail, sumWhere(mass, func(k int) bool {
			return verdicts[k] == verdict.Fail
		}), atMost(risk.FalseFail))
		c.exact("unequal scenarios", setting, falsePass, sumWhere(mass, func(k int) bool {
			return verdicts[k] == verdict.Pass
		}), atMost(risk.FalsePass))
	}
	return nil
}
