package verdict

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// anytimeMethod is the name of the intervals of a judgement at any time.
const anytimeMethod = "confidence sequence"

// WarnUnevenRounds says that scenarios have unlike numbers of trials, where the promise over
// all looks is for whole rounds of them.
const WarnUnevenRounds Code = "uneven-rounds"

// anytimeLimits are those of the confidence sequence under the uniform mixture.
func anytimeLimits(c stats.Counts, alpha float64) (stats.Interval, error) {
	return sprt.ConfidenceSequence(c, alpha, 1, 1)
}

// anytimeSide is where that sequence lies: it is one interval about the share of passes, so
// it has the threshold in it unless the mixture outweighs that by 1/alpha.
func anytimeSide(c stats.Counts, alpha, threshold float64) int {
	ratio, err := sprt.MixtureRatio(c, threshold, 1, 1)
	switch {
	case err != nil || c.Trials == 0 || ratio < -math.Log(alpha):
		return 0
	case c.Rate() >= threshold:
		return 1
	}
	return -1
}

// anytime reports whether the judge's errors hold over all looks.
func (j thresholdJudge) anytime() bool { return j.rule.Limits != nil }

// method is the name of the judge's interval of so many trials.
func (j thresholdJudge) method(trials int) string {
	if j.anytime() {
		return anytimeMethod
	}
	return j.rule.At(trials).Method.String()
}

// anytimeRisk is that of all looks together: the true rate leaves the sequence at any of
// them with a chance of alpha at most, and a wrong verdict needs that. It holds for every
// scenario by itself, and for the verdict that all must hold: Pass is wrong only if that
// of a scenario is, and Fail is corrected.
func (j thresholdJudge) anytimeRisk() *Risk {
	return &Risk{FalsePass: j.rule.Alpha, FalseFail: j.rule.Alpha, Bound: true}
}

// anytimeP is the p-value of H0 "the rate is at least the threshold" that holds at whichever
// look: the reciprocal of the least ratio of the mixture's likelihood to that of a rate in
// H0 (Ville 1939), which is that of the threshold where fewer passed, and 1 at most.
func anytimeP(c stats.Counts, threshold float64) float64 {
	if c.Trials == 0 || c.Rate() >= threshold {
		return 1
	}
	e, err := sprt.MixtureRatio(c, threshold, 1, 1)
	if err != nil {
		return 1
	}
	return math.Min(1, math.Exp(-e))
}

// unevenRounds warns of a pooled rate of scenarios with unlike numbers of trials. Of trials
// with unlike rates the ratio is a supermartingale from one round of all scenarios to the
// next, for their rates' product is largest where they are equal; within a round it is not.
func (j thresholdJudge) unevenRounds(result *ThresholdResult) []Warning {
	if !j.anytime() || result.Suite == nil || result.By == ByScenario {
		return nil
	}
	for _, s := range result.Scenarios {
		if s.Trials+s.Errors != result.Scenarios[0].Trials+result.Scenarios[0].Errors {
			return []Warning{WarnUnevenRounds.Warning(
				"the scenarios have unlike numbers of trials: the errors over all looks hold for looks after whole rounds " +
					"of all scenarios, or where each scenario is judged by itself")}
		}
	}
	return nil
}
