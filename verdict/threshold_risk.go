package verdict

import (
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats/threshold"
)

// riskByScenario is the risk of the verdict on all scenarios, where each must hold; nil
// where none has a trial.
func (j thresholdJudge) riskByScenario(scenarios []RateVerdict) *Risk {
	if j.anytime() {
		return j.anytimeRisk()
	}
	var trials []int
	for _, v := range scenarios {
		if v.Trials > 0 {
			trials = append(trials, v.Trials)
		}
	}
	if len(trials) == 0 {
		return nil
	}
	risk := &Risk{}
	// A scenario without a trial is undecided, so the suite never passes.
	if len(trials) == len(scenarios) {
		risk.FalsePass = j.falsePassOfAll(trials)
	}
	risk.FalseFail, risk.Bound = j.falseFailOfAny(trials)
	return risk
}

// falsePassOfAll is the largest probability that every scenario passes although one is
// below the threshold: it is largest where the others always pass, and is then that of the
// scenario that is below. It is 0 where some scenario has too few trials to pass.
func (j thresholdJudge) falsePassOfAll(trials []int) float64 {
	largest := 0.0
	for _, n := range trials {
		risks, err := j.rule.Risks(n)
		if err != nil || risks.FalsePass == 0 {
			return 0
		}
		largest = math.Max(largest, risks.FalsePass)
	}
	return largest
}

// falseFailOfAny is the largest probability that some scenario fails although all reach
// the threshold, which is where all are at it.
//
// A scenario fails if its interval lies below and Holm's procedure rejects its binomial
// p-value, so the smallest of m p-values is alpha/m at most. Where each p-value that small
// has its interval below too, that is the condition, and the probability is that of a
// p-value so small in any of the independent scenarios. Elsewhere it is a bound, as is the
// probability that any interval lies below; the smaller of both is given.
func (j thresholdJudge) falseFailOfAny(trials []int) (risk float64, bound bool) {
	level := j.rule.Alpha / float64(len(trials))
	var smallest, below float64 // logarithms of the probabilities of none
	for _, n := range trials {
		c, err := j.rule.Cutoffs(n)
		if err != nil {
			continue
		}
		at := dist.Binomial{N: n, P: j.rule.Threshold}
		rejected := sort.Search(n+1, func(k int) bool { return at.CDF(k) > level }) - 1
		smallest += math.Log1p(-threshold.AtMost(n, rejected, j.rule.Threshold))
		below += math.Log1p(-threshold.AtMost(n, c.Fail, j.rule.Threshold))
		bound = bound || rejected > c.Fail
	}
	risk = -math.Expm1(smallest)
	if bound {
		risk = math.Min(risk, -math.Expm1(below))
	}
	return risk, bound
}
