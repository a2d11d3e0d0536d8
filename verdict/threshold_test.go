package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

func judge(t *testing.T, o ThresholdOptions, tallies ...Tally) *ThresholdResult {
	t.Helper()
	result, err := JudgeThreshold(t.Context(), tallies, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestZeroVerdictIsInconclusive(t *testing.T) {
	var v Verdict
	if v != Inconclusive || v.ExitCode() != 2 || v.String() != "inconclusive" {
		t.Errorf("zero verdict is %v, exit code %d", v, v.ExitCode())
	}
	if Verdict(9).ExitCode() != 2 {
		t.Error("an unknown verdict does not exit like Inconclusive")
	}
	if (&ThresholdResult{}).Verdict != Inconclusive {
		t.Error("an empty result is not Inconclusive")
	}
}

// Wilson's intervals by statsmodels proportion_confint(method="wilson").
func TestThresholdVerdicts(t *testing.T) {
	for _, c := range []struct {
		passes, trials int
		threshold      float64
		want           Verdict
		low, high      float64
		code           Code
	}{
		{45, 50, 0.85, Inconclusive, 0.7864, 0.9565, CodeStraddlesThreshold},
		{90, 100, 0.80, Pass, 0.8256, 0.9448, CodeAboveThreshold},
		{180, 200, 0.95, Fail, 0.8506, 0.9343, CodeBelowThreshold},
	} {
		result := judge(t, ThresholdOptions{Threshold: c.threshold},
			Tally{Scenario: "all", Passes: c.passes, Fails: c.trials - c.passes})
		v := result.Scenarios[0]
		name := fmt.Sprintf("%d/%d", c.passes, c.trials)
		refdata.Close(t, name+" low", v.Interval.Low, c.low, 1e-4)
		refdata.Close(t, name+" high", v.Interval.High, c.high, 1e-4)
		if result.Verdict != c.want || v.Reasons[0].Code != c.code || result.ExitCode != c.want.ExitCode() {
			t.Errorf("%s at %v: %v (%v), want %v", name, c.threshold, result.Verdict, v.Reasons, c.want)
		}
		if (v.MoreTrials != nil) != (c.want == Inconclusive) {
			t.Errorf("%s: more trials %+v", name, v.MoreTrials)
		}
	}
}

func TestNothingIsNeverPass(t *testing.T) {
	for name, tallies := range map[string][]Tally{
		"no scenario": nil,
		"no trial":    {{Scenario: "a"}},
		"all errors":  {{Scenario: "a", Errors: 40}},
		"one without": {{Scenario: "a", Passes: 500}, {Scenario: "b"}},
	} {
		for _, by := range []Grouping{BySuite, ByScenario} {
			result := judge(t, ThresholdOptions{Threshold: 0.1, By: by}, tallies...)
			if name == "one without" && by == BySuite {
				continue // the pooled trials do pass
			}
			if result.Verdict != Inconclusive || result.ExitCode != 2 {
				t.Errorf("%s by %v: %v", name, by, result.Verdict)
			}
			if len(result.Reasons) == 0 {
				t.Errorf("%s by %v: no reason", name, by)
			}
		}
	}
}

// At 0.9 Wilson's interval would fail too often at 35 trials, so that the exact one decides: 0.9ⁿ is at most 0.025
// from 36 on.
func TestPassUnreachableIsSaid(t *testing.T) {
	result := judge(t, ThresholdOptions{Threshold: 0.9}, Tally{Scenario: "a", Passes: 34})
	found := false
	for _, r := range result.Reasons {
		found = found || r.Code == CodePassUnreachable && strings.Contains(r.Text, "takes 36 trials at least")
	}
	if !found {
		t.Errorf("34 of 34 at 0.9: %v", result.Reasons)
	}
}

func TestRiskWarningNamesClopperPearson(t *testing.T) {
	warned := func(method stats.IntervalMethod) bool {
		result := judge(t, ThresholdOptions{Threshold: 0.99, Interval: method}, Tally{Scenario: "a", Passes: 54, Fails: 1})
		for _, w := range result.Warnings {
			if w.Code == warnExactInterval && strings.Contains(w.Text, "Clopper") {
				return true
			}
		}
		return false
	}
	if !warned(stats.WilsonInterval) || warned(stats.ClopperPearsonInterval) {
		t.Errorf("warned: wilson %v, clopper-pearson %v", warned(stats.WilsonInterval), warned(stats.ClopperPearsonInterval))
	}
}

// One trial that failed is no verdict: at a rate of 0.85 it happens with 15 %, more than alpha, though Wilson's
// interval ends below 0.85. The interval that is shown is the one that decided, in the row of a scenario too.
func TestOneFailureIsNoFail(t *testing.T) {
	r := judge(t, ThresholdOptions{Threshold: .85}, Tally{Scenario: "a", Fails: 1})
	if v := r.Scenarios[0]; r.Verdict != Inconclusive || v.Interval.Method != "clopper-pearson" || v.Risk.FalseFail > .05 {
		t.Errorf("%v by %+v, risk %+v", r.Verdict, v.Interval, v.Risk)
	}
	// 1 - 0.025 of no pass in one trial.
	refdata.Close(t, "upper limit", r.Scenarios[0].Interval.High, .975, 1e-9)
	r = judge(t, ThresholdOptions{Threshold: .85}, Tally{Scenario: "a", Fails: 1}, Tally{Scenario: "b", Passes: 59})
	if v := r.Scenarios[0]; v.Verdict != Inconclusive || r.Method != "wilson" {
		t.Errorf("row %v, asked for %q", v.Verdict, r.Method)
	}
}

// Eight scenarios of which each may reach 0.5, and their mean does not: the verdict on the scenarios is open, and the
// page does not leave the row of the mean beside it without a word.
func TestMeanBelowIsSaid(t *testing.T) {
	var tallies []Tally
	for i := range 8 {
		tallies = append(tallies, Tally{Scenario: fmt.Sprint(i), Passes: 6, Fails: 14})
	}
	r := judge(t, ThresholdOptions{Threshold: .5, By: ByScenario}, tallies...)
	if r.Verdict != Inconclusive || r.Suite.Verdict != Fail {
		t.Fatalf("%v, mean %v", r.Verdict, r.Suite.Verdict)
	}
	if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == warnMeanBelow }) {
		t.Errorf("%v", r.Warnings)
	}
}

// A robust verdict holds for every way in which the errors could have ended.
func TestRobustVerdictHoldsForEverySplit(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		tally := Tally{
			Scenario: "a",
			Passes:   rapid.IntRange(0, 80).Draw(t, "passes"),
			Fails:    rapid.IntRange(0, 80).Draw(t, "fails"),
			Errors:   rapid.IntRange(0, 15).Draw(t, "errors"),
		}
		o := ThresholdOptions{Threshold: rapid.Float64Range(0.05, 0.95).Draw(t, "threshold")}
		robust, err := JudgeThreshold(t.Context(), []Tally{tally}, o)
		if err != nil {
			t.Fatal(err)
		}
		if robust.Verdict == Inconclusive {
			t.Skip()
		}
		for passed := range tally.Errors + 1 {
			split := Tally{Scenario: "a", Passes: tally.Passes + passed, Fails: tally.Fails + tally.Errors - passed}
			other, err := JudgeThreshold(t.Context(), []Tally{split}, o)
			if err != nil {
				t.Fatal(err)
			}
			if other.Verdict != robust.Verdict {
				t.Fatalf("%+v is %v, but %v if %d errors were passes", tally, robust.Verdict, other.Verdict, passed)
			}
		}
	})
}

func TestErrorPolicies(t *testing.T) {
	tally := Tally{Scenario: "a", Passes: 45, Errors: 5}
	for policy, want := range map[ErrorPolicy]struct {
		verdict Verdict
		trials  int
	}{
		RobustErrors:  {Inconclusive, 45},
		ExcludeErrors: {Pass, 45},
		FailErrors:    {Inconclusive, 50},
	} {
		result := judge(t, ThresholdOptions{Threshold: 0.85, Errors: policy}, tally)
		v := result.Scenarios[0]
		if v.Verdict != want.verdict || v.Trials != want.trials || v.Errors != 5 {
			t.Errorf("%v: %v of %d trials, %d errors", policy, v.Verdict, v.Trials, v.Errors)
		}
	}
	if r := judge(t, ThresholdOptions{Threshold: 0.85}, tally); r.Reasons[0].Code != CodeErrorsMatter {
		t.Errorf("robust: %v", r.Reasons)
	}
}

// Twenty scenarios exactly at the threshold: by Holm the chance that any fails is
// at most alpha. All outcomes of the worst one are enumerated: with independent
// scenarios P(any fails) = 1 - P(none does), and Holm's first step is Bonferroni's.
func TestByScenarioKeepsAlphaOverTheSuite(t *testing.T) {
	const scenarios, trials, threshold = 20, 40, 0.8
	fails := func(passes int) bool {
		tallies := []Tally{{Scenario: "0", Passes: passes, Fails: trials - passes}}
		for i := 1; i < scenarios; i++ {
			tallies = append(tallies, Tally{Scenario: fmt.Sprint(i), Passes: trials * 8 / 10, Fails: trials * 2 / 10})
		}
		return judge(t, ThresholdOptions{Threshold: threshold, By: ByScenario}, tallies...).Verdict == Fail
	}
	one := 0.0
	for passes := range trials + 1 {
		if fails(passes) {
			one += dist.Binomial{N: trials, P: threshold}.Prob(passes)
		}
	}
	if any := 1 - math.Pow(1-one, scenarios); any > 0.05 || one == 0 {
		t.Errorf("P(any of %d good scenarios fails) = %v", scenarios, any)
	}
}

// The chance of a decision, and that no smaller number has it, by judging all that the further trials of one scenario may
// bring: what Holm's correction opens again stays open.
func TestMoreTrialsKnowTheCorrection(t *testing.T) {
	undecided := func(fails, passes int, others []Tally) RateVerdict {
		tallies := append(slices.Clone(others), Tally{Scenario: "y", Passes: passes, Fails: fails})
		r := judge(t, ThresholdOptions{Threshold: 0.8, By: ByScenario}, tallies...)
		return r.Scenarios[len(r.Scenarios)-1]
	}
	sure := []Tally{{Scenario: "a", Passes: 20}, {Scenario: "b", Passes: 20}, {Scenario: "c", Passes: 20}}
	broken := []Tally{{Scenario: "a", Passes: 20}, {Scenario: "b", Fails: 20}}
	low := []Tally{{Scenario: "a", Passes: 20}, {Scenario: "b", Passes: 12, Fails: 8}}
	for _, c := range []struct {
		passes, fails int
		others        []Tally
	}{
		{12, 8, sure}, {13, 9, sure}, {16, 10, sure}, {12, 8, broken}, {13, 7, low}, {8, 5, low}, {20, 9, low}, {19, 1, sure},
	} {
		v := undecided(c.fails, c.passes, c.others)
		if v.Verdict != Inconclusive || v.MoreTrials == nil {
			t.Fatalf("%+v: %+v", c, v)
		}
		rate := float64(c.passes) / float64(c.passes+c.fails)
		for more := max(1, v.MoreTrials.Trials-40); more <= v.MoreTrials.Trials; more++ {
			chance := 0.0
			for k := range more + 1 {
				if undecided(c.fails+more-k, c.passes+k, c.others).Verdict != Inconclusive {
					chance += refdata.ExactBinomial(more, k, rate)
				}
			}
			if more == v.MoreTrials.Trials {
				refdata.Close(t, fmt.Sprintf("%+v: chance", c), v.MoreTrials.Chance, chance, 1e-9)
			} else if chance >= DecisionChance {
				t.Errorf("%+v: %d more trials decide with a chance of %v, and it says %+v", c, more, chance, *v.MoreTrials)
			}
		}
	}
}

// An error of a package that was not built stands for any number of tests: whatever passes beside it, they might fail.
func TestTestsThatDidNotRunLeaveItOpen(t *testing.T) {
	for _, c := range []struct {
		errors        ErrorPolicy
		passes, fails int
		want          Verdict
	}{
		{RobustErrors, 1000, 0, Inconclusive}, {RobustErrors, 0, 1000, Inconclusive}, {FailErrors, 1000, 0, Inconclusive},
		{FailErrors, 0, 1000, Fail}, {ExcludeErrors, 1000, 0, Pass},
	} {
		r := judge(t, ThresholdOptions{Threshold: 0.8, Errors: c.errors},
			Tally{Scenario: "a", Passes: c.passes, Fails: c.fails}, Tally{Scenario: "b", Errors: 1, Unrun: 1})
		if r.Verdict != c.want {
			t.Errorf("%+v: %v, %v", c, r.Verdict, r.Reasons)
		}
	}
}

func TestSuitesOfScenarios(t *testing.T) {
	good, bad, open := Tally{Scenario: "good", Passes: 100}, Tally{Scenario: "bad", Passes: 5, Fails: 95},
		Tally{Scenario: "open", Passes: 4, Fails: 1}
	for _, c := range []struct {
		tallies []Tally
		want    Verdict
		code    Code
	}{
		{[]Tally{good, good}, Pass, CodeScenariosPass},
		{[]Tally{good, open}, Inconclusive, CodeScenariosOpen},
		{[]Tally{good, open, bad}, Fail, CodeScenariosFail},
	} {
		result := judge(t, ThresholdOptions{Threshold: 0.8, By: ByScenario}, c.tallies...)
		if result.Verdict != c.want || result.Reasons[0].Code != c.code {
			t.Errorf("%v: %v %v, want %v", c.tallies, result.Verdict, result.Reasons, c.want)
		}
	}
	below := Tally{Scenario: "below", Passes: 70, Fails: 30}
	pooled := judge(t, ThresholdOptions{Threshold: 0.8}, good, Tally{Scenario: "good 2", Passes: 200}, below)
	if pooled.Verdict != Pass || pooled.Suite.Trials != 400 {
		t.Errorf("pooled: %v of %d", pooled.Verdict, pooled.Suite.Trials)
	}
	if len(pooled.Warnings) == 0 || pooled.Warnings[0].Code != warnScenariosBelow ||
		!strings.Contains(pooled.Warnings[0].Text, `"below"`) {
		t.Errorf("the failing scenario is not named: %v", pooled.Warnings)
	}
}

// Beside eleven scenarios that always pass, one has collapsed with 7 of 20 passes: by the binomial distribution so few
// have at 70 % a chance of 0.0012788, twelve times which is 0.0153; of 8 that is 0.0617. Where the
// threshold is 50 %, it is 0.0155 of 3 passes, and 0.0709 of 4.
func TestNoPassBesideACollapsedScenario(t *testing.T) {
	for _, c := range []struct {
		threshold float64
		passes    int
		anytime   bool
		want      Verdict
	}{
		{.8, 7, false, Inconclusive}, {.8, 8, false, Pass}, {.5, 3, false, Inconclusive}, {.5, 4, false, Pass},
		{.8, 0, true, Inconclusive},
	} {
		tallies := []Tally{{Scenario: "s0", Passes: c.passes, Fails: 20 - c.passes}}
		for i := range 11 {
			tallies = append(tallies, Tally{Scenario: fmt.Sprint("s", i+1), Passes: 20})
		}
		result := judge(t, ThresholdOptions{Threshold: c.threshold, Anytime: c.anytime}, tallies...)
		named := result.Reasons[0].Code == CodeScenariosFail && strings.HasSuffix(result.Reasons[0].Text, `: "s0"`)
		if result.Verdict != c.want || named == (c.want == Pass) || result.Suite.Verdict != Pass {
			t.Errorf("%+v: %v, %v", c, result.Verdict, result.Reasons)
		}
		// A result of the version before is judged as that did.
		result.Edition, result.Verdict = 3, Pass
		if again, err := result.Rejudge(t.Context()); err != nil || again.Again.(*ThresholdResult).Verdict != Pass {
			t.Errorf("%+v: judged again %v, %v", c, again, err)
		}
	}
}

func TestThresholdOptionsThatCannotBe(t *testing.T) {
	for _, o := range []ThresholdOptions{{}, {Threshold: 1}, {Threshold: 1.2}, {Threshold: math.NaN()},
		{Threshold: 0.5, Alpha: 5}, {Threshold: 0.5, Alpha: -1}} {
		var option *OptionError
		if _, err := JudgeThreshold(t.Context(), []Tally{{Passes: 1}}, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, tally := range []Tally{{Passes: -1}, {Fails: -1}, {Errors: -1}, {Passes: math.MaxInt32}} {
		var option *OptionError
		if _, err := JudgeThreshold(t.Context(), []Tally{tally}, ThresholdOptions{Threshold: 0.5}); !errors.As(err, &option) {
			t.Errorf("%+v: %v", tally, err)
		}
	}
}

func TestCostPerSuccess(t *testing.T) {
	tallies := []Tally{
		{Scenario: "a", Passes: 3, Fails: 1, Cost: Cost{Trials: 4, Known: 4, Passes: 3, TotalUSD: 0.8}},
		{Scenario: "b", Passes: 1, Fails: 1, Cost: Cost{Trials: 2, Known: 1, Passes: 1, TotalUSD: 0.2}},
	}
	r := judge(t, ThresholdOptions{Threshold: 0.5}, tallies...).Reliability
	refdata.Close(t, "cost per success", *r.CostPerSuccess, 1.0/4, 1e-12)
	none := judge(t, ThresholdOptions{Threshold: 0.5},
		Tally{Fails: 2, Cost: Cost{Trials: 2, Known: 2, TotalUSD: 1}}).Reliability
	if none.CostPerSuccess != nil || none.Cost.TotalUSD != 1 {
		t.Errorf("no passes: %+v", none)
	}
	unknown := judge(t, ThresholdOptions{Threshold: 0.5}, Tally{Passes: 2, Cost: Cost{Trials: 2}}).Reliability
	if unknown.CostPerSuccess != nil || unknown.Cost != nil {
		t.Errorf("unknown cost: %+v", unknown)
	}
}

func FuzzJudgeThreshold(f *testing.F) {
	f.Add(45, 5, 2, 0.85, 0.05, uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, passes, fails, errors int, threshold, alpha float64, policy, by uint8) {
		tallies := []Tally{{Scenario: "a", Passes: passes % 3000, Fails: fails % 3000, Errors: errors % 100},
			{Scenario: "b", Passes: fails % 50, Fails: passes % 50}}
		result, err := JudgeThreshold(t.Context(), tallies, ThresholdOptions{
			Threshold: threshold, Alpha: alpha, Errors: ErrorPolicy(policy % 3), By: Grouping(by % 2),
		})
		if err != nil {
			return
		}
		if result.ExitCode != result.Verdict.ExitCode() || len(result.Reasons) == 0 {
			t.Fatalf("%+v: exit %d, reasons %v", tallies, result.ExitCode, result.Reasons)
		}
	})
}
