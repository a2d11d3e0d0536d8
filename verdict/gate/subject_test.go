package gate

import (
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// recorded is a recording of one scenario with the outcomes, such as "PPPFE".
func recorded(outcomes string) *recording.Recording {
	r := &recording.Recording{Name: "r"}
	for _, mark := range outcomes {
		r.Add(&trial.Trial{Scenario: "a", Outcome: map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail,
			'E': trial.Error}[mark]})
	}
	return r
}

// ratesOf is a verdict on scenarios a, b and so on, with so many passes, fails and errors.
func ratesOf(t *testing.T, o verdict.ThresholdOptions, counts ...[3]int) *verdict.ThresholdResult {
	t.Helper()
	var tallies []verdict.Tally
	for i, c := range counts {
		tallies = append(tallies, verdict.Tally{Scenario: string(rune('a' + i)), Passes: c[0], Fails: c[1], Errors: c[2]})
	}
	r, err := verdict.JudgeThreshold(t.Context(), tallies, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of recorded trials the floor is tested by the binomial tails. With errors they are those of
// the errors as passes, for missing it, and as failures, for reaching it.
func TestFloorsOfRecordedTrials(t *testing.T) {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(a - b - c)
	}
	tail := func(from, to, n int, p float64) (sum float64) {
		for k := from; k <= to; k++ {
			sum += choose(n, k) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
		}
		return sum
	}
	for _, c := range []struct {
		policy    verdict.ErrorPolicy
		low, high float64 // of 25 passes, 5 failures and 4 errors, at a floor of 0.8
	}{
		{verdict.RobustErrors, tail(0, 29, 34, .8), tail(25, 34, 34, .8)},
		{verdict.ExcludeErrors, tail(0, 25, 30, .8), tail(25, 30, 30, .8)},
		{verdict.FailErrors, tail(0, 25, 34, .8), tail(25, 34, 34, .8)},
	} {
		s := subjectOfRates(ratesOf(t, verdict.ThresholdOptions{Threshold: .5, Errors: c.policy}, [3]int{25, 5, 4}))
		low, high, err := s.tests[0].tails(.8)
		if err != nil || math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%v: %v, %v, %v; want %v, %v", c.policy, low, high, err, c.low, c.high)
		}
		if x := s.tests[0]; x.trials != 34 || x.passes != 25 {
			t.Errorf("%v: %+v", c.policy, x)
		}
	}
}

// A gate decides over what other judges found, and every figure of it is verified.
func TestGateOverOtherResults(t *testing.T) {
	byThreshold, err := plan.Design(t.Context(),
		plan.Options{Hypotheses: sprt.Hypotheses{Threshold: .9, Delta: .2, Alpha: .05, Beta: .1}, Kind: sprt.OptimalKind})
	if err != nil {
		t.Fatal(err)
	}
	sequence := func(outcomes string, policy verdict.ErrorPolicy) *sequential.Result {
		r, err := sequential.Judge(t.Context(), recorded(outcomes), sequential.Options{Design: byThreshold, Errors: policy})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	family, err := baseline.Fixed(60)
	if err != nil {
		t.Fatal(err)
	}
	asked, outcome := baseline.Question{Delta: .3, Alpha: .05, Beta: .1, Guard: .7}, baseline.Outcome{Trials: 60, Failures: 6}
	stored, err := baseline.Against(t.Context(), asked, family, outcome, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	against := func(outcomes string) *sequential.Result {
		r, err := sequential.Judge(t.Context(), recorded(outcomes), sequential.Options{
			Against: &sequential.AgainstOptions{Family: stored.Family, Recorded: design.RecordedOf(outcome, outcome, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	compared := func(before, after string) *compare.Result {
		r, err := compare.Judge(t.Context(), recorded(before), recorded(after), compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// All trials together are not worse by 10 points, and one scenario has lost all of its passes.
	sides := [2]*recording.Recording{{}, {}}
	for i, side := range sides {
		side.AddCount("a", trial.Pass, 1000)
		side.AddCount("b", []trial.Outcome{trial.Pass, trial.Fail}[i], 20)
	}
	besides, err := compare.Judge(t.Context(), sides[0], sides[1], compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, f := func(n int) string { return strings.Repeat("P", n) }, func(n int) string { return strings.Repeat("F", n) }
	byScenario := verdict.ThresholdOptions{Threshold: .8, By: verdict.ByScenario}
	allowed := Options{AllowUndecided: true}
	for _, c := range []struct {
		name  string
		over  verdict.Result
		o     Options
		want  Decision
		first verdict.Code
	}{
		{"rate", ratesOf(t, byScenario, [3]int{60, 0, 0}), Options{}, Deploy, codeDeploy},
		{"rate too low", ratesOf(t, byScenario, [3]int{10, 50, 0}), Options{}, Block, codeVerdict},
		{"rate open", ratesOf(t, byScenario, [3]int{5, 1, 0}), Options{}, Review, codeVerdict},
		{"no trials", ratesOf(t, byScenario), Options{}, Review, codeEvidence},
		{"one of two too low", ratesOf(t, byScenario, [3]int{60, 0, 0}, [3]int{10, 50, 0}), Options{}, Block, codeVerdict},
		{"the pooled rate counts", ratesOf(t, verdict.ThresholdOptions{Threshold: .8}, [3]int{600, 0, 0}, [3]int{10, 10, 0}),
			Options{}, Deploy, codeDeploy},
		{"and no scenario collapsed", ratesOf(t, verdict.ThresholdOptions{Threshold: .8}, [3]int{600, 0, 0}, [3]int{4, 16, 0}),
			Options{}, Review, codeVerdict},
		{"floor of a scenario", ratesOf(t, byScenario, [3]int{60, 0, 0}, [3]int{60, 0, 0}),
			Options{Floors: map[string]Floor{"b": {Rate: .99}}}, Review, codeFloor},
		{"a scenario is missing", ratesOf(t, byScenario, [3]int{60, 0, 0}), Options{Scenarios: []string{"a", "z"}}, Review,
			codeEvidence},
		{"no baseline for it", ratesOf(t, byScenario, [3]int{60, 0, 0}), Options{Baseline: &BaselineRun{File: "x"}}, Review,
			codeBaseline},

		{"sequence", sequence(p(60), 0), Options{Floor: Floor{AllTrials: true}, Scenarios: []string{"a"}}, Deploy,
			codeDeploy},
		{"sequence too low", sequence(f(60), 0), Options{}, Block, codeVerdict},
		{"sequence open", sequence(p(3), 0), Options{}, Review, codeVerdict},
		{"sequence with errors", sequence("PEP"+p(60), 0), Options{Floor: Floor{Rate: .5}}, Deploy, codeDeploy},
		{"sequence with errors that fail", sequence("PEP"+p(60), verdict.FailErrors), Options{Floor: Floor{Rate: .5}}, Deploy,
			codeDeploy},
		{"floor of a sequence", sequence(p(60), 0), Options{Floor: Floor{Rate: .99}}, Review, codeFloor},

		{"sequence against a baseline", against(p(60)), Options{}, Deploy, codeDeploy},
		{"sequence worse than its baseline", against(f(60)), Options{}, Block, codeRegression},
		{"sequence against a baseline, open", against(p(3)), Options{}, Review, codeRegression},
		{"floor of a sequence against a baseline", against(p(60)), Options{Floor: Floor{Rate: .5}}, Review, codeFloor},

		{"as before", compared(p(100), p(100)), Options{}, Deploy, codeDeploy},
		{"worse", compared(p(100), p(50)+f(50)), Options{}, Block, codeRegression},
		{"neither", compared(p(5), p(5)), Options{}, Review, codeRegression},
		{"neither, which is allowed", compared(p(5), p(5)), allowed, Deploy, CodeNoted},
		{"worse, whatever is allowed", compared(p(100), p(50)+f(50)), allowed, Block, codeRegression},
		{"one scenario worse, whatever is allowed", besides, allowed, Review, codeRegression},
		{"floor of the candidate", compared(p(100), p(100)), Options{Floor: Floor{Rate: .9}}, Deploy, codeDeploy},
	} {
		g, err := Judge(t.Context(), c.over, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if g.Decision != c.want || g.Reasons[0].Code != c.first {
			t.Errorf("%s: %v, %v; want %v by %s", c.name, g.Decision, g.Reasons, c.want, c.first)
		}
		if _, err := recheck.Verify(t.Context(), g); err != nil {
			t.Errorf("%s: verify: %v", c.name, err)
		}
		if over, _ := g.Over(); over != c.over {
			t.Errorf("%s: over %T", c.name, over)
		}
	}
	if _, err := Judge(t.Context(), (*verdict.Coverage)(measured(.5)), Options{}); err == nil {
		t.Error("a gate decides over coverage")
	}
}

// Beside others a Fail of recorded trials is corrected by the exact tails.
func TestFailsOfRecordedTrialsAreCorrected(t *testing.T) {
	weak := [3]int{50, 22, 0} // P(X <= 50) of 72 at 0.8 is 0.0221 (scipy.stats.binom)
	for n, want := range map[int]Decision{1: Block, 2: Block, 3: Review} {
		counts := [][3]int{weak}
		for len(counts) < n {
			counts = append(counts, [3]int{60, 0, 0})
		}
		g, err := Judge(t.Context(), ratesOf(t, verdict.ThresholdOptions{Threshold: .8, By: verdict.ByScenario}, counts...),
			Options{Correction: multiplicity.Holm})
		if err != nil || g.Decision != want {
			t.Errorf("%d scenarios: %v, %v; want %v", n, g.Decision, err, want)
		}
	}
}

// The levels are those of the result; of tests that differ the strictest.
func TestLevelsOf(t *testing.T) {
	run := gated(t, "PPP", "PPP")
	run.Tests[1].Alpha, run.Tests[1].Delta = .01, .3
	for _, c := range []struct {
		over               verdict.Result
		alpha, beta, delta float64
	}{
		{run, .01, .1, .3},
		{&runs.Result{Tests: []runs.Test{{Regression: &runs.Regression{Alpha: .03, Beta: .04, Delta: .05}},
			{Threshold: .9, Alpha: .1, Beta: .02, Delta: .2}}}, .03, .02, .05},
		{&runs.Result{Tests: []runs.Test{{}}}, 7, 7, 7}, // a recording
		{ratesOf(t, verdict.ThresholdOptions{Threshold: .8, Alpha: .02}, [3]int{1, 0, 0}), .02, 7, 7},
		{&sequential.Result{Alpha: .1, Beta: .2, Delta: .3}, .1, .2, .3},
		{&compare.Result{Alpha: .1, Beta: .2, Delta: .3}, .1, .2, .3},
	} {
		o := LevelsOf(c.over, Options{Alpha: 7, Beta: 7, Delta: 7})
		if o.Alpha != c.alpha || o.Beta != c.beta || o.Delta != c.delta {
			t.Errorf("%T: %+v", c.over, o)
		}
	}
}

// A verdict by labels is gated by them, and not by what the judge says: the judge here passes nearly all, and people
// few.
func TestLabelsAreGated(t *testing.T) {
	sample := twophase.Sample{
		Judged: 200, Passed: 190, OfPassed: stats.Counts{Passes: 8, Trials: 40}, OfFailed: stats.Counts{Trials: 10},
	}
	for threshold, want := range map[float64]Decision{.8: Block, .05: Deploy, .2: Review} {
		r := ratesOf(t, verdict.ThresholdOptions{Threshold: threshold, Labels: &verdict.LabelSample{Sample: sample}},
			[3]int{190, 10})
		g, err := Judge(t.Context(), r, Options{})
		if err != nil || g.Decision != want {
			t.Errorf("threshold %v: %v, %v", threshold, g.Decision, err)
		}
		// A floor that the judge's rate reaches is missed.
		g, err = Judge(t.Context(), r, Options{Floor: Floor{Rate: .8}})
		if err != nil || g.Decision != Block {
			t.Errorf("threshold %v with a floor: %v, %v", threshold, g.Decision, err)
		}
	}
}
