package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
)

var gatedPlan = sync.OnceValues(func() (sprt.Plan, error) {
	return sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1}, sprt.OptimalOptions{MaxTrials: 20})
})

// gated is a run whose tests have the outcomes, such as "PPPFE".
func gated(t *testing.T, outcomes ...string) *RunResult {
	t.Helper()
	plan, err := gatedPlan()
	if err != nil {
		t.Fatal(err)
	}
	return gatedBy(t, plan.Design, outcomes...)
}

func gatedBy(t *testing.T, design sprt.Design, outcomes ...string) *RunResult {
	t.Helper()
	e := RunEvidence{Suite: "s", Digest: "sha256:1", StoppedBy: StoppedByDecision, Finished: "2026-11-20T00:00:00Z"}
	for i, text := range outcomes {
		test := TestEvidence{Name: string(rune('a' + i)), Scenarios: []string{string(rune('a' + i))}, Design: design}
		for k, mark := range text {
			outcome := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
			test.Trials = append(test.Trials, TrialEvidence{Scenario: test.Name, Number: k, Trial: &trial.Trial{Scenario: test.Name, Outcome: outcome}})
		}
		e.Tests = append(e.Tests, test)
		e.Spent.Trials += len(text)
		e.Spent.Attempts += len(text)
	}
	r, err := JudgeRun(e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func measured(overall float64) *coverage.Result {
	return &coverage.Result{Overall: &overall, Weakest: "tool"}
}

// TestGateDecisions is the decision table: verdict, coverage, regression, floors and
// errors.
func TestGateDecisions(t *testing.T) {
	passes, fails := strings.Repeat("P", 20), strings.Repeat("F", 20)
	open := "PPF" // ends before the test does
	minimum := 0.5
	covered := GateOptions{Minimum: &minimum, Coverage: measured(.8)}
	with := func(change func(*GateOptions)) GateOptions {
		o := covered
		change(&o)
		return o
	}
	against := func(outcomes string, strict bool) GateOptions {
		return with(func(o *GateOptions) {
			o.Baseline = &BaselineRun{File: "main.json", Result: gated(t, outcomes), Strict: strict}
			o.Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		})
	}
	for _, c := range []struct {
		name  string
		run   []string
		o     GateOptions
		want  Decision
		first Code
	}{
		{"pass", []string{passes}, GateOptions{}, Deploy, CodeGateDeploy},
		{"pass, covered", []string{passes}, covered, Deploy, CodeGateDeploy},
		{"fail", []string{fails}, covered, Block, CodeGateVerdict},
		{"inconclusive", []string{open}, covered, Manual, CodeGateVerdict},
		{"one of two open", []string{passes, open}, covered, Manual, CodeGateVerdict},
		{"one of two fails", []string{passes, fails}, covered, Block, CodeGateVerdict},
		{"fail and open: the worse comes first", []string{open, fails}, covered, Block, CodeGateVerdict},

		{"coverage below", []string{passes}, with(func(o *GateOptions) { o.Coverage = measured(.4) }), Manual, CodeGateCoverage},
		{"coverage below, and fail", []string{fails}, with(func(o *GateOptions) { o.Coverage = measured(.4) }), Block, CodeGateVerdict},
		{"coverage not measured", []string{passes}, with(func(o *GateOptions) { o.Coverage = nil }), Manual, CodeGateCoverage},
		{"coverage without a value", []string{passes}, with(func(o *GateOptions) { o.Coverage = &coverage.Result{} }), Manual, CodeGateCoverage},
		{"no minimum", []string{passes}, GateOptions{Coverage: measured(.1)}, Deploy, CodeGateDeploy},

		{"no tests", nil, GateOptions{}, Manual, CodeGateEvidence},
		{"no trials", []string{""}, GateOptions{}, Manual, CodeGateEvidence},
		{"all errors", []string{strings.Repeat("E", 20)}, GateOptions{}, Manual, CodeGateEvidence},
		{"errors that matter", []string{"PPEEEEEEEEEEEEEEEEEE"}, GateOptions{}, Manual, CodeGateVerdict},
		{"an error that does not matter", []string{"E" + passes}, GateOptions{}, Deploy, CodeGateDeploy},

		{"floor reached", []string{passes}, with(func(o *GateOptions) { o.Floor.Rate = .4 }), Deploy, CodeGateDeploy},
		{"floor missed", []string{fails}, with(func(o *GateOptions) { o.Floor.Rate = .5 }), Block, CodeGateVerdict},
		{"floor open", []string{passes}, with(func(o *GateOptions) { o.Floor.Rate = .99 }), Manual, CodeGateFloor},
		{"floor by point", []string{passes}, with(func(o *GateOptions) { o.Floor = Floor{Rate: .99, Point: true} }), Deploy, CodeGateDeploy},
		{"floor by point, missed", []string{"F" + passes}, with(func(o *GateOptions) { o.Floors = map[string]Floor{"a": {Rate: 1, Point: true}} }), Block, CodeGateFloor},
		{"the higher bar holds", []string{passes}, with(func(o *GateOptions) { o.Floor.Rate = .5; o.Floors = map[string]Floor{"a": {Rate: .99}} }), Manual, CodeGateFloor},
		{"a floor of a test that has not ended", []string{open}, with(func(o *GateOptions) { o.Floor.Rate = .5 }), Manual, CodeGateVerdict},
		{"all trials", []string{passes}, with(func(o *GateOptions) { o.Floor.AllTrials = true }), Deploy, CodeGateDeploy},
		{"all trials, one fails", []string{"F" + passes}, with(func(o *GateOptions) { o.Floor.AllTrials = true }), Block, CodeGateAllTrials},
		{"all trials, one error", []string{"E" + passes}, with(func(o *GateOptions) { o.Floor.AllTrials = true }), Manual, CodeGateAllTrials},

		{"as the baseline", []string{passes}, against(passes, false), Deploy, CodeGateDeploy},
		{"as the baseline, strict: too few to exclude a drop", []string{passes}, against(passes, true), Manual, CodeGateRegression},
		{"worse than the baseline", []string{fails}, against(passes, false), Block, CodeGateVerdict},
		{"better than the baseline", []string{passes}, with(func(o *GateOptions) {
			o.Baseline, o.Delta = &BaselineRun{File: "main.json", Result: gated(t, fails), Strict: true}, .5
		}), Deploy, CodeGateDeploy},
		{"the baseline has not ended", []string{passes}, against(open, false), Manual, CodeGateRegression},
		{"another suite", []string{passes}, with(func(o *GateOptions) {
			o.Baseline = &BaselineRun{File: "x", Result: gated(t, passes)}
			o.Baseline.Result.Suite = "other"
		}), Manual, CodeGateBaseline},
		{"other judges", []string{fails}, with(func(o *GateOptions) {
			o.Baseline = &BaselineRun{File: "x", Result: gated(t, passes)}
			o.Baseline.Result.Digest = "sha256:2"
		}), Block, CodeGateVerdict},
		{"other scenarios", []string{passes}, with(func(o *GateOptions) { o.Baseline = &BaselineRun{File: "x", Result: gated(t, passes, passes)} }), Manual, CodeGateBaseline},
		{"no baseline to read", []string{passes}, with(func(o *GateOptions) { o.Baseline = &BaselineRun{File: "x", Err: errors.New("it is gone")} }), Manual, CodeGateBaseline},
		{"too old", []string{passes}, with(func(o *GateOptions) {
			o.Baseline = &BaselineRun{File: "x", Result: gated(t, passes), MaxAge: time.Hour}
			o.Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		}), Manual, CodeGateBaseline},

		{"behaviour as before", []string{passes}, with(func(o *GateOptions) { o.Behaviour = &Behaviour{Tested: true, P: .5, Alpha: .05} }), Deploy, CodeGateDeploy},
		{"behaviour changed", []string{passes}, with(func(o *GateOptions) { o.Behaviour = &Behaviour{Tested: true, Changed: true, P: .01, Alpha: .05} }), Block, CodeGateBehaviour},
		{"behaviour not tested", []string{passes}, with(func(o *GateOptions) { o.Behaviour = &Behaviour{P: 1, Alpha: .05} }), Manual, CodeGateBehaviour},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := JudgeGate(gated(t, c.run...), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if g.Decision != c.want || g.ExitCode != c.want.ExitCode() || g.Reasons[0].Code != c.first {
				t.Errorf("%v, %v; want %v by %s\n%+v", g.Decision, g.Reasons, c.want, c.first, g.Rules)
			}
			if _, err := Verify(g); err != nil {
				t.Errorf("verify: %v", err)
			}
			text, err := json.Marshal(g)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			second, err := json.Marshal(again)
			if diff := cmp.Diff(string(text), string(second)); diff != "" || err != nil {
				t.Errorf("%v, not the same when it is written again: %s", err, diff)
			}
		})
	}
}

// Beside many scenarios a Fail counts only if it holds among them all (Holm).
func TestGateCorrectsFails(t *testing.T) {
	weak := gated(t, "FFPFFPFFPFFPFFPFFPFF") // fails, and not by far
	if weak.Tests[0].Verdict != Fail {
		t.Fatalf("%+v", weak.Tests[0])
	}
	outcomes := []string{"FFPFFPFFPFFPFFPFFPFF"}
	p, _, err := weak.Tests[0].tails(weak.Tests[0].Threshold)
	if err != nil || !(p > 0 && p <= .05) {
		t.Fatalf("p = %v, %v", p, err)
	}
	for n := 1; n <= 20; n++ {
		g, err := JudgeGate(gated(t, outcomes...), GateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := Block
		if p*float64(n) > .05 {
			want = Manual
		}
		if g.Decision != want {
			t.Errorf("%d scenarios, p = %v: %v", n, p, g.Decision)
		}
		if g, err = JudgeGate(gated(t, outcomes...), GateOptions{Correction: multiplicity.NoCorrection}); err != nil || g.Decision != Block {
			t.Errorf("%d scenarios without a correction: %v, %v", n, g.Decision, err)
		}
		outcomes = append(outcomes, strings.Repeat("P", 20))
	}
}

// The same holds of floors and of regressions: 20 scenarios are blocked by one of them
// only if it holds beside the others.
func TestGateCorrectsFloorsAndRegressions(t *testing.T) {
	fixed, err := sprt.Fixed(sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1}, 20)
	if err != nil {
		t.Fatal(err)
	}
	passes := strings.Repeat("P", 20)
	for _, c := range []struct {
		name string
		weak string // the outcomes of the first scenario; the others pass
		o    GateOptions
	}{
		{"floor", strings.Repeat("PPF", 6) + "FF", GateOptions{Floor: Floor{Rate: .8}}},
		{"regression", strings.Repeat("PPPF", 5), GateOptions{Baseline: &BaselineRun{File: "main.json"}}},
	} {
		outcomes, baseline := []string{c.weak}, []string{passes}
		alone := 0.0
		seen := map[RuleWord]bool{}
		for n := 1; n <= 20; n++ {
			if c.o.Baseline != nil {
				c.o.Baseline.Result = gatedBy(t, fixed, baseline...)
			}
			g, err := JudgeGate(gatedBy(t, fixed, outcomes...), c.o)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(g.Rules, func(r GateRule) bool { return r.Name == c.name && r.Scenario == "a" })
			rule := g.Rules[at]
			if rule.P == nil {
				t.Fatalf("%s, %d scenarios: %+v", c.name, n, rule)
			}
			if n == 1 {
				alone = *rule.P
			}
			want := RuleBroken
			if alone*float64(n) > .05 {
				want = RuleOpen
			}
			seen[want] = true
			if rule.Outcome != want || math.Abs(*rule.P-math.Min(alone*float64(n), 1)) > 1e-12 {
				t.Errorf("%s, %d scenarios: %v, p %v; want %v, %d times %v", c.name, n, rule.Outcome, *rule.P, want, n, alone)
			}
			outcomes, baseline = append(outcomes, passes), append(baseline, passes)
		}
		if !seen[RuleBroken] || !seen[RuleOpen] {
			t.Errorf("%s: p %v alone does not show both", c.name, alone)
		}
	}
}

// 0.95^45 is below a tenth, 0.95^44 is not.
func TestOpenFloorSaysWhatItTakes(t *testing.T) {
	for floor, want := range map[float64]string{.95: "it takes 45 trials at the least", .99: "it takes 230 trials", 1: "no number of trials shows it"} {
		g, err := JudgeGate(gated(t, strings.Repeat("P", 20)), GateOptions{Floor: Floor{Rate: floor}})
		if err != nil {
			t.Fatal(err)
		}
		if text := g.Reasons[0].Text; !strings.Contains(text, want) {
			t.Errorf("floor %v: %s; want %s", floor, text, want)
		}
	}
}

func TestDecisions(t *testing.T) {
	var zero Decision
	if zero != Manual || zero.ExitCode() != 2 {
		t.Error("what nobody decided may deploy")
	}
	for _, d := range []Decision{Manual, Deploy, Block} {
		text, err := d.MarshalText()
		var again Decision
		if err != nil || again.UnmarshalText(text) != nil || again != d {
			t.Errorf("%v: %s", d, text)
		}
	}
	if fmt.Sprint(Deploy.ExitCode(), Block.ExitCode()) != "0 1" {
		t.Error("exit codes")
	}
}
