package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// chanceOf adds up the probabilities of all outcomes of scenarios with these rates and
// numbers of trials that get the verdict.
func chanceOf(t *testing.T, want Verdict, o ThresholdOptions, trials []int, rates []float64) float64 {
	t.Helper()
	tallies := make([]Tally, len(trials))
	sum := 0.0
	var each func(i int, mass float64)
	each = func(i int, mass float64) {
		if mass == 0 {
			return
		}
		if i == len(trials) {
			if judge(t, o, tallies...).Verdict == want {
				sum += mass
			}
			return
		}
		for k := 0; k <= trials[i]; k++ {
			tallies[i] = Tally{Scenario: fmt.Sprint(i), Passes: k, Fails: trials[i] - k}
			each(i+1, mass*refdata.ExactBinomial(trials[i], k, rates[i]))
		}
	}
	each(0, 1)
	return sum
}

// The risks of a verdict on every scenario are those of that verdict, and not those of
// the pooled trials. The figures with a closed form: 0.7^9, 0.75^14, 1 - (1 - 2^-6)^3.
func TestRisksOfEveryScenario(t *testing.T) {
	for _, c := range []struct {
		theta                float64
		trials               []int
		method               stats.IntervalMethod
		falsePass, falseFail float64 // 0 where only enumeration tells
	}{
		{.70, []int{9, 9}, stats.WilsonInterval, math.Pow(.7, 9), 0},
		{.75, []int{14, 14}, stats.WilsonInterval, math.Pow(.75, 14), 0},
		{.50, []int{6, 6, 6}, stats.WilsonInterval, 0, 1 - math.Pow(1-math.Pow(.5, 6), 3)},
		{.60, []int{7, 11}, stats.WilsonInterval, 0, 0},
		{.60, []int{10, 7}, stats.ClopperPearsonInterval, 0, 0},
		{.50, []int{5, 9}, stats.JeffreysInterval, 0, 0},
		{.80, []int{4, 4, 9}, stats.AgrestiCoullInterval, 0, 0},
	} {
		o := ThresholdOptions{Threshold: c.theta, By: ByScenario, Interval: c.method}
		tallies, at := []Tally{}, []float64{}
		for i, n := range c.trials {
			tallies, at = append(tallies, Tally{Scenario: fmt.Sprint(i), Passes: n}), append(at, c.theta)
		}
		risk := judge(t, o, tallies...).Suite.Risk
		name := fmt.Sprintf("theta %v, %v, %v", c.theta, c.trials, c.method)
		// The largest over which scenario is just below while the others always pass.
		pass := 0.0
		for i := range c.trials {
			rates := make([]float64, len(c.trials))
			for k := range rates {
				rates[k] = 1
			}
			rates[i] = c.theta
			pass = math.Max(pass, chanceOf(t, Pass, o, c.trials, rates))
		}
		fail := chanceOf(t, Fail, o, c.trials, at)
		refdata.Near(t, name+": false pass", risk.FalsePass, pass, 1e-12)
		if risk.Bound {
			if risk.FalseFail < fail || risk.FalseFail > .05 {
				t.Errorf("%s: false fail %v is no bound of %v", name, risk.FalseFail, fail)
			}
		} else {
			refdata.Near(t, name+": false fail", risk.FalseFail, fail, 1e-12)
		}
		if c.falsePass > 0 {
			refdata.Near(t, name+": closed false pass", risk.FalsePass, c.falsePass, 1e-12)
		}
		if c.falseFail > 0 {
			refdata.Near(t, name+": closed false fail", risk.FalseFail, c.falseFail, 1e-12)
		}
	}
	// Five scenarios of 54 trials at 0.5: 0.0486 by enumeration with other software. A scenario
	// without a trial leaves no Pass.
	five := make([]Tally, 5)
	for i := range five {
		five[i] = Tally{Scenario: fmt.Sprint(i), Passes: 27, Fails: 27}
	}
	o := ThresholdOptions{Threshold: .5, By: ByScenario}
	refdata.Close(t, "five scenarios", judge(t, o, five...).Suite.Risk.FalseFail, .0486, 1e-3)
	five[2] = Tally{Scenario: "2"}
	if risk := judge(t, o, five...).Suite.Risk; risk.FalsePass != 0 {
		t.Errorf("without a trial of a scenario: %+v", risk)
	}
}

// One pass of 8 lies above 0.01 by Jeffreys' interval, and happens with a chance of 8 % to one trial at 0.08 and seven
// that never pass: the exact interval decides, and the page says why.
func TestExactIntervalInPlaceOfARiskyPass(t *testing.T) {
	o := ThresholdOptions{Threshold: .01, Interval: stats.JeffreysInterval}
	result := judge(t, o, Tally{Scenario: "a", Passes: 1, Fails: 7})
	if risk := result.Scenarios[0].Risk; result.Verdict != Inconclusive || risk.FalsePass > .05 {
		t.Errorf("%v with %+v", result.Verdict, risk)
	}
	if w := result.Warnings; len(w) != 1 || w[0].Code != warnExactInterval ||
		!strings.Contains(w[0].Text, "would say Pass in up to 8% of the cases") {
		t.Errorf("warnings %v", w)
	}
}
