package verdict

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/stats"
)

// The names of the intervals of a judgement at any time: by bets on the mean, and by the likelihood ratio to a uniform
// prior, which earlier versions judged by.
const (
	bettingMethod = "betting"
	uniformMethod = "confidence sequence"
)

// WarnUnevenRounds says that scenarios have unlike numbers of trials, where the promise over
// all looks is for whole rounds of them.
const WarnUnevenRounds Code = "uneven-rounds"

// byBets judges by [betting.Above] and [betting.Below]: either error is alpha, and each limit of the interval errs with
// that.
func (j *thresholdJudge) byBets() {
	j.rule.Limits = func(c stats.Counts, alpha float64) (stats.Interval, error) {
		return betting.Limits(betting.Outcomes(c.Passes, c.Fails()), alpha)
	}
	j.rule.Side = func(c stats.Counts, alpha, threshold float64) int {
		values, enough := betting.Outcomes(c.Passes, c.Fails()), -math.Log(alpha)
		switch {
		case betting.Above(values, threshold) >= enough:
			return 1
		case betting.Below(values, threshold) >= enough:
			return -1
		}
		return 0
	}
}

// byUniform judges by the confidence sequence of the uniform mixture, which is one interval about the share of passes:
// it has the threshold in it unless the mixture outweighs that by 1/alpha.
func (j *thresholdJudge) byUniform() {
	j.uniform = true
	j.rule.Limits = func(c stats.Counts, alpha float64) (stats.Interval, error) {
		return sprt.ConfidenceSequence(c, alpha, 1, 1)
	}
	j.rule.Side = func(c stats.Counts, alpha, threshold float64) int {
		ratio, err := sprt.MixtureRatio(c, threshold, 1, 1)
		switch {
		case err != nil || c.Trials == 0 || ratio < -math.Log(alpha):
			return 0
		case c.Rate() >= threshold:
			return 1
		}
		return -1
	}
}

// anytime reports whether the judge's errors hold over all looks.
func (j thresholdJudge) anytime() bool { return j.rule.Limits != nil }

// method is the name of the judge's interval of so many trials.
func (j thresholdJudge) method(trials int) string {
	switch {
	case j.uniform:
		return uniformMethod
	case j.anytime():
		return bettingMethod
	}
	return j.rule.At(trials).Method.String()
}

// level is the confidence of the judge's intervals. At any time each limit errs with alpha, as each verdict does: that
// of the uniform mixture, both together.
func (j thresholdJudge) level() float64 {
	if j.anytime() && !j.uniform {
		return math.Max(0, 1-2*j.rule.Alpha)
	}
	return 1 - j.rule.Alpha
}

// anytimeRisk is that of all looks together: evidence against what is true is ever enough with a chance of alpha at
// most. It holds for every scenario by itself, and for the verdict that all must hold: Pass is wrong only if that of a
// scenario is, and Fail is corrected.
func (j thresholdJudge) anytimeRisk() *Risk {
	return &Risk{FalsePass: j.rule.Alpha, FalseFail: j.rule.Alpha, Bound: true}
}

// anytimeP is the p-value of H0 "the pass rate is at least theta" that holds at whichever look: the reciprocal of the
// evidence against it (Ville 1939), and 1 at most. By the uniform mixture that is the least ratio of its likelihood
// to that of a rate in H0, which is that of the threshold where fewer passed.
func (j thresholdJudge) anytimeP(c stats.Counts, theta float64) float64 {
	if !j.uniform {
		return math.Min(1, math.Exp(-betting.Below(betting.Outcomes(c.Passes, c.Fails()), theta)))
	}
	e, err := sprt.MixtureRatio(c, theta, 1, 1)
	if err != nil || c.Trials == 0 || c.Rate() >= theta {
		return 1
	}
	return math.Min(1, math.Exp(-e))
}

// unevenRounds warns of a pooled rate of scenarios with unlike numbers of trials. Of trials
// with unlike rates the evidence is a supermartingale from one round of all scenarios to the
// next, for the product of their factors is largest where they are equal; within a round it is not.
func (j thresholdJudge) unevenRounds(result *ThresholdResult) []Warning {
	if !j.anytime() || result.Suite == nil || result.By == ByScenario {
		return nil
	}
	for _, s := range result.Scenarios {
		if s.Trials+s.Errors != result.Scenarios[0].Trials+result.Scenarios[0].Errors {
			return []Warning{WarnUnevenRounds.Warning(
				"the scenarios have unlike numbers of trials: the errors over all analyses hold for analyses after whole rounds " +
					"of all scenarios, or where each scenario is judged by itself")}
		}
	}
	return nil
}
