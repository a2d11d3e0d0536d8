package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
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
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

var gatedPlan = sync.OnceValues(func() (sprt.Plan, error) {
	return sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 20})
})

// gated is a run whose tests have the outcomes, such as "PPPFE".
func gated(t *testing.T, outcomes ...string) *runs.Result {
	t.Helper()
	plan, err := gatedPlan()
	if err != nil {
		t.Fatal(err)
	}
	return gatedBy(t, plan.Design, outcomes...)
}

func gatedBy(t *testing.T, design sprt.Design, outcomes ...string) *runs.Result {
	t.Helper()
	e := runs.Evidence{Suite: "s", Digest: "sha256:1", StoppedBy: runs.StoppedByDecision, Finished: "2026-11-20T00:00:00Z"}
	for i, text := range outcomes {
		test := runs.TestEvidence{Name: string(rune('a' + i)), Scenarios: []string{string(rune('a' + i))}, Design: design}
		for k, mark := range text {
			outcome := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: test.Name, Number: k,
				Trial: &trial.Trial{Scenario: test.Name, Outcome: outcome}})
		}
		e.Tests = append(e.Tests, test)
		e.Spent.Trials += len(text)
		e.Spent.Attempts += len(text)
	}
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// taskOf is a task of one scenario.
func taskOf(scenario, digest string) *runs.Task {
	sum := sha256.Sum256(fmt.Appendf(nil, `{%q:%q}`, scenario, digest))
	return &runs.Task{Digest: fmt.Sprintf("sha256:%x", sum),
		Scenarios: map[string]runs.TaskScenario{scenario: {Digest: digest, Input: digest}}}
}

func tasked(b *BaselineTests, scenario, digest string) *BaselineTests {
	b.Task = taskOf(scenario, digest)
	return b
}

func measured(overall float64) *coverage.Result {
	return &coverage.Result{Overall: &overall, Low: &overall, Weakest: "tool"}
}

// partly is coverage of one dimension; another, of some weight, was not measured.
func partly(overall, weight float64) *coverage.Result {
	c := measured(overall)
	c.Dimensions = []coverage.Measurement{
		{Dimension: coverage.PathDimension, Value: &overall, Weight: 1},
		{Dimension: coverage.ModelDimension, Weight: weight, Reason: "no models are declared"},
	}
	return c
}

// TestGateDecisions is the decision table: verdict, coverage, regression, floors and
// errors.
func TestGateDecisions(t *testing.T) {
	passes, fails := strings.Repeat("P", 20), strings.Repeat("F", 20)
	open := "PPF" // ends before the test does
	minimum := 0.5
	covered := Options{Minimum: &minimum, Coverage: measured(.8)}
	with := func(change func(*Options)) Options {
		o := covered
		change(&o)
		return o
	}
	against := func(outcomes string, allowed bool) Options {
		return with(func(o *Options) {
			o.Baseline = &BaselineRun{File: "main.json", Run: TestsOf(gated(t, outcomes))}
			o.AllowUndecided = allowed
			o.Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		})
	}
	for _, c := range []struct {
		name  string
		run   []string
		o     Options
		want  Decision
		first verdict.Code
	}{
		{"pass", []string{passes}, Options{}, Deploy, codeDeploy},
		{"pass, covered", []string{passes}, covered, Deploy, codeDeploy},
		{"fail", []string{fails}, covered, Block, codeVerdict},
		{"inconclusive", []string{open}, covered, Review, codeVerdict},
		{"one of two open", []string{passes, open}, covered, Review, codeVerdict},
		{"one of two fails", []string{passes, fails}, covered, Block, codeVerdict},
		{"fail and open: the worse comes first", []string{open, fails}, covered, Block, codeVerdict},

		{"coverage below", []string{passes}, with(func(o *Options) { o.Coverage = measured(.4) }), Review, codeCoverage},
		{"coverage below, and fail", []string{fails}, with(func(o *Options) { o.Coverage = measured(.4) }), Block,
			codeVerdict},
		{"coverage not measured", []string{passes}, with(func(o *Options) { o.Coverage = nil }), Review, codeCoverage},
		{"coverage without a value", []string{passes}, with(func(o *Options) { o.Coverage = &coverage.Result{} }), Review,
			codeCoverage},
		{"one dimension is not measured", []string{passes}, with(func(o *Options) { o.Coverage = partly(.8, 1) }), Review,
			codeCoverage},
		{"one dimension is not measured, and does not weigh", []string{passes},
			with(func(o *Options) { o.Coverage = partly(.8, 0) }), Deploy, codeDeploy},
		{"no minimum", []string{passes}, Options{Coverage: measured(.1)}, Deploy, CodeNoted},

		{"no tests", nil, Options{}, Review, codeEvidence},
		{"no trials", []string{""}, Options{}, Review, codeEvidence},
		{"all errors", []string{strings.Repeat("E", 20)}, Options{}, Review, codeEvidence},
		{"errors that matter", []string{"PPEEEEEEEEEEEEEEEEEE"}, Options{}, Review, codeVerdict},
		{"an error that does not matter", []string{"E" + passes}, Options{}, Deploy, codeDeploy},

		{"floor reached", []string{passes}, with(func(o *Options) { o.Floor.Rate = .4 }), Deploy, codeDeploy},
		{"floor missed", []string{fails}, with(func(o *Options) { o.Floor.Rate = .5 }), Block, codeVerdict},
		{"floor open", []string{passes}, with(func(o *Options) { o.Floor.Rate = .99 }), Review, codeFloor},
		{"floor by point", []string{passes}, with(func(o *Options) { o.Floor = Floor{Rate: .99, Point: true} }), Deploy,
			codeDeploy},
		{"floor by point, missed", []string{"F" + passes},
			with(func(o *Options) { o.Floors = map[string]Floor{"a": {Rate: 1, Point: true}} }), Block, codeFloor},
		{"the higher bar holds", []string{passes},
			with(func(o *Options) { o.Floor.Rate = .5; o.Floors = map[string]Floor{"a": {Rate: .99}} }), Review, codeFloor},
		{"a floor of a test that has not ended", []string{open}, with(func(o *Options) { o.Floor.Rate = .5 }), Review,
			codeVerdict},
		{"all trials", []string{passes}, with(func(o *Options) { o.Floor.AllTrials = true }), Deploy, codeDeploy},
		{"all trials, one fails", []string{"F" + passes}, with(func(o *Options) { o.Floor.AllTrials = true }), Block,
			codeAllTrials},
		{"all trials, one error", []string{"E" + passes}, with(func(o *Options) { o.Floor.AllTrials = true }), Review,
			codeAllTrials},

		{"as the baseline: too few to exclude a drop", []string{passes}, against(passes, false), Review, codeRegression},
		{"as the baseline, and that a drop is not excluded is allowed", []string{passes}, against(passes, true), Deploy,
			CodeNoted},
		{"worse than the baseline", []string{fails}, against(passes, false), Block, codeVerdict},
		{"better than the baseline", []string{passes}, with(func(o *Options) {
			o.Baseline, o.Delta = &BaselineRun{File: "main.json", Run: TestsOf(gated(t, fails))}, .5
		}), Deploy, codeDeploy},
		{"the baseline has not ended", []string{passes}, against(open, false), Review, codeRegression},
		{"another suite", []string{passes}, with(func(o *Options) {
			o.Baseline = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes))}
			o.Baseline.Run.Digest = "sha256:2"
		}), Review, codeBaseline},
		{"other judges", []string{fails}, with(func(o *Options) {
			o.Baseline = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes))}
			o.Baseline.Run.Digest = "sha256:2"
		}), Block, codeVerdict},
		{"other scenarios", []string{passes},
			with(func(o *Options) { o.Baseline = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes, passes))} }), Review,
			codeRegression},
		{"other scenarios, and that a drop is not excluded is allowed", []string{passes}, with(func(o *Options) {
			o.Baseline, o.AllowUndecided = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes, passes))}, true
		}), Review, codeBaseline},
		{"a new scenario", []string{passes, passes}, with(func(o *Options) {
			o.Baseline, o.AllowUndecided = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes))}, true
		}), Review, codeBaseline},
		{"another agent", []string{passes}, with(func(o *Options) {
			o.Baseline, o.AllowUndecided = &BaselineRun{File: "x", Run: tasked(TestsOf(gated(t, passes)), "a", "1")}, true
			o.Baseline.Run.Digest = "sha256:2"
		}), Deploy, CodeNoted},
		{"another task", []string{passes}, with(func(o *Options) {
			o.Baseline, o.AllowUndecided = &BaselineRun{File: "x", Run: tasked(TestsOf(gated(t, passes)), "a", "2")}, true
		}), Review, codeBaseline},
		{"no baseline to read", []string{passes},
			with(func(o *Options) { o.Baseline = &BaselineRun{File: "x", Problem: "it is gone"} }), Review, codeBaseline},
		{"too old", []string{passes}, with(func(o *Options) {
			o.Baseline = &BaselineRun{File: "x", Run: TestsOf(gated(t, passes)), MaxAge: Age(time.Hour)}
			o.Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		}), Review, codeBaseline},

		{"behaviour as before", []string{passes},
			with(func(o *Options) { o.Behaviour = &behaviour.Comparison{Tested: true, P: .5, Alpha: .05} }), Deploy, codeDeploy},
		{"behaviour changed", []string{passes},
			with(func(o *Options) { o.Behaviour = &behaviour.Comparison{Tested: true, Changed: true, P: .01, Alpha: .05} }),
			Block, codeBehaviour},
		{"behaviour not tested", []string{passes},
			with(func(o *Options) { o.Behaviour = &behaviour.Comparison{P: 1, Alpha: .05} }), Review, codeBehaviour},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := gated(t, c.run...)
			if c.o.Baseline != nil && c.o.Baseline.Run != nil && c.o.Baseline.Run.Task != nil {
				run.Task = taskOf("a", "1")
			}
			g, err := Judge(t.Context(), run, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if g.Decision != c.want || g.ExitCode != c.want.ExitCode() || g.Reasons[0].Code != c.first {
				t.Errorf("%v, %v; want %v by %s\n%+v", g.Decision, g.Reasons, c.want, c.first, g.Rules)
			}
			if _, err := recheck.Verify(t.Context(), g); err != nil {
				t.Errorf("verify: %v", err)
			}
			text, err := json.Marshal(g)
			if err != nil {
				t.Fatal(err)
			}
			again := &Result{}
			d := json.NewDecoder(bytes.NewReader(text))
			d.DisallowUnknownFields()
			if err := d.Decode(again); err != nil {
				t.Fatal(err)
			}
			second, err := json.Marshal(again)
			if diff := cmp.Diff(string(text), string(second)); diff != "" || err != nil {
				t.Errorf("%v, not the same when it is written again: %s", err, diff)
			}
		})
	}
}

// A rate that is compared as it is leaves errors out, and the counts beside it name them: 20 of 21 are 95%, and 20 of
// the 20 without the error 100%.
func TestMinimumByPointNamesErrors(t *testing.T) {
	g, err := Judge(t.Context(), gated(t, "E"+strings.Repeat("P", 20)), Options{Floor: Floor{Rate: .99, Point: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^\d+ of \d+ passed, 0 failed and 1 ended in an error: 100% without the errors: at or ` +
		`above the minimum of 99% \(`)
	if !slices.ContainsFunc(g.Rules, func(r Rule) bool { return r.Name == ruleFloor && want.MatchString(r.Evidence) }) {
		t.Errorf("%+v", g.Rules)
	}
}

// What is only noted is named: a Deploy does not say that every rule holds.
func TestDeployNamesWhatIsNoted(t *testing.T) {
	passes := strings.Repeat("P", 20)
	o := Options{Baseline: &BaselineRun{Run: TestsOf(gated(t, passes, passes))}, AllowUndecided: true,
		Coverage: partly(.9, 1)}
	g, err := Judge(t.Context(), gated(t, passes, passes), o)
	if err != nil || g.Decision != Deploy {
		t.Fatal(g, err)
	}
	want := "no check failed or is undecided; only noted: regression of a, b (a drop of 10 points is not ruled out, " +
		"which is " +
		"allowed), coverage"
	if got := g.Reasons[0]; got.Text != want || got.Code != CodeNoted {
		t.Errorf("%+v; want %s", got, want)
	}
	if got, delta := g.Undecided(); !slices.Equal(got, []string{"a", "b"}) || delta != .1 {
		t.Errorf("undecided: %v, %v", got, delta)
	}
}

// A coverage of one dimension is not that of all five.
func TestCoverageNamesWhatIsNotMeasured(t *testing.T) {
	minimum := .5
	g, err := Judge(t.Context(), gated(t, strings.Repeat("P", 20)), Options{Minimum: &minimum, Coverage: partly(.9, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if text := g.Reasons[0].Text; !strings.Contains(text, "is of 1 of 2 dimensions") ||
		!strings.Contains(text, "model (no models are declared)") {
		t.Error(text)
	}
}

// What decides is the limit: an estimate that reaches the minimum shows nothing by itself. A gate of an
// earlier edition is decided by the estimate.
func TestCoverageIsDecidedByTheLimit(t *testing.T) {
	minimum, low := .5, .3
	c := measured(.9)
	c.Low, c.Level = &low, .95
	for edition, want := range map[Edition]Decision{secondEdition: Deploy, thirdEdition: Review} {
		g, err := judge(t.Context(), gated(t, strings.Repeat("P", 20)),
			Options{Minimum: &minimum, Coverage: c, Edition: edition})
		if err != nil || g.Decision != want {
			t.Errorf("%d: %+v %v", edition, g, err)
		}
		if edition == thirdEdition &&
			!strings.Contains(g.Reasons[0].Text, "does not show the minimum of 50%: 90%, at least 30% at 95% confidence") {
			t.Error(g.Reasons)
		}
	}
}

// What is not comparable is told by name, and what changed of the agent line by line.
func TestBaselineSaysWhatDiffers(t *testing.T) {
	passes := strings.Repeat("P", 20)
	run, before := gated(t, passes, passes, passes), gated(t, passes, passes)
	run.Task = &runs.Task{Scenarios: map[string]runs.TaskScenario{"a": {Digest: "1"},
		"b": {Digest: "2", Input: "x", Limits: "y"}, "c": {Digest: "3"}}}
	before.Task = &runs.Task{Scenarios: map[string]runs.TaskScenario{"a": {Digest: "1"},
		"b": {Digest: "3", Input: "z", Limits: "y"}, "d": {Digest: "4"}}}
	before.Tests = append(before.Tests, before.Tests[0])
	before.Tests[2].Name = "d"
	run.Settings, before.Settings = []string{"agent.env.MODEL: large", "seed: 1"},
		[]string{"agent.env.MODEL: small", "seed: 1"}
	o := Options{Baseline: &BaselineRun{File: "main.json", Run: TestsOf(before)}, AllowUndecided: true}
	told := func(run *runs.Result) (list []string) {
		g, err := Judge(t.Context(), run, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range g.Rules {
			if r.Name == ruleBaseline {
				list = append(list, strings.TrimPrefix(r.Scenario+": "+r.Evidence, ": "))
			}
		}
		if g.Baseline.Comparable {
			list = append(list, g.Baseline.Changed...)
		}
		return list
	}
	want := []string{
		"b: not comparable: asked or judged otherwise: b (input)", "c: not comparable: the baseline does not have it",
		"d: not comparable: only the baseline has it", "agent.env.MODEL: small -> large",
	}
	if diff := cmp.Diff(want, told(run)); diff != "" {
		t.Error(diff)
	}
	// A test of several scenarios is comparable as a whole.
	pooled := gated(t, passes)
	pooled.Task, pooled.Tests[0].Members = run.Task, []runs.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	want = []string{
		"a: not comparable: asked or judged otherwise: b (input), the baseline does not have c, only the baseline has d",
		"b: not comparable: only the baseline has it", "d: not comparable: only the baseline has it",
	}
	if diff := cmp.Diff(want, told(pooled)); diff != "" {
		t.Error(diff)
	}
	// Without what was asked on both sides the whole suite must be the same.
	for _, c := range []struct {
		run, before *runs.Task
		digest      string
		want        []string
	}{
		{nil, nil, "sha256:1", nil},
		{run.Task, nil, "sha256:1", nil},
		{run.Task, nil, "sha256:2",
			[]string{"the baseline main.json is not comparable: its suite was another, and it does not say what it asked, as " +
				"results of earlier versions do not: record it again"}},
		{nil, run.Task, "sha256:2",
			[]string{"the baseline main.json is not comparable: its suite was another, and the run does not say what it asked"}},
	} {
		candidate := gated(t, passes)
		o.Baseline.Run = TestsOf(gated(t, passes))
		candidate.Task, o.Baseline.Run.Task, o.Baseline.Run.Digest = c.run, c.before, c.digest
		if diff := cmp.Diff(c.want, told(candidate)); diff != "" {
			t.Error(diff)
		}
	}
}

// The test of a variant is of its scenario: floors and tasks know that, and a run of the agent alone is
// a baseline for it.
func TestVariantsAreOfTheirScenarios(t *testing.T) {
	passes := strings.Repeat("P", 20)
	run := gated(t, passes, passes)
	for i, variant := range []string{"small", "large"} {
		run.Tests[i].Name, run.Tests[i].Variant = "a ["+variant+"]", variant
	}
	run.Task = taskOf("a", "1")
	o := Options{AllowUndecided: true, Floors: map[string]Floor{"a": {Rate: .99}},
		Baseline: &BaselineRun{File: "main.json", Run: tasked(TestsOf(gated(t, passes)), "a", "1")}}
	g, err := Judge(t.Context(), run, o)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range g.Rules {
		count[r.Name]++
	}
	if count[ruleFloor] != 2 || count[ruleRegression] != 2 || count[ruleBaseline] != 0 {
		t.Errorf("%+v", g.Rules)
	}
	o.Baseline.Run.Task = taskOf("a", "2")
	if g, err = Judge(t.Context(), run, o); err != nil || len(g.Baseline.Tests) != 0 || g.Decision != Review {
		t.Errorf("%+v, %v", g, err)
	}
}

// What earlier versions saved is judged again by the rules of their day.
func TestFirstEdition(t *testing.T) {
	passes, minimum := strings.Repeat("P", 20), .5
	for _, strict := range []bool{false, true} {
		o := Options{Baseline: &BaselineRun{File: "main.json", Run: TestsOf(gated(t, passes)), Strict: &strict},
			Minimum: &minimum, Coverage: partly(.9, 1)}
		o.complete()
		g, err := judge(t.Context(), gated(t, passes), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(g)
		if err != nil || strings.Contains(string(text), `"rules":0`) || strings.Contains(string(text), "allow_undecided") {
			t.Errorf("%v, not as an earlier version wrote it: %s", err, text)
		}
		again := &Result{}
		if err := json.Unmarshal(text, again); err != nil {
			t.Fatal(err)
		}
		again.Coverage.Counts = nil
		if _, err := recheck.Verify(t.Context(), again); err != nil {
			t.Error(err)
		}
		if want := map[bool]Decision{false: Deploy, true: Review}[strict]; g.Decision != want {
			t.Errorf("strict %v: %v", strict, g.Decision)
		}
		if !strict && g.Reasons[0] != codeDeploy.Reason("every check passed") {
			t.Error(g.Reasons)
		}
		again.Asked.Edition = today + 1
		var different *verdict.DifferenceError
		if _, err := recheck.Verify(t.Context(), again); !errors.As(err, &different) {
			t.Errorf("rules that are not known: %v", err)
		}
	}
}

// Beside many scenarios a Fail counts only if it holds among them all (Holm).
func TestGateCorrectsFails(t *testing.T) {
	weak := gated(t, "FFPFFPFFPFFPFFPFFPFF") // fails, and not by far
	if weak.Tests[0].Verdict != verdict.Fail {
		t.Fatalf("%+v", weak.Tests[0])
	}
	outcomes := []string{"FFPFFPFFPFFPFFPFFPFF"}
	p, _, err := weak.Tests[0].Tails(weak.Tests[0].Threshold)
	if err != nil || !(p > 0 && p <= .05) {
		t.Fatalf("p = %v, %v", p, err)
	}
	for n := 1; n <= 20; n++ {
		g, err := Judge(t.Context(), gated(t, outcomes...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := Block
		if p*float64(n) > .05 {
			want = Review
		}
		if g.Decision != want {
			t.Errorf("%d scenarios, p = %v: %v", n, p, g.Decision)
		}
		if g, err = Judge(t.Context(), gated(t, outcomes...), Options{Correction: multiplicity.NoCorrection}); err != nil ||
			g.Decision != Block {
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
		o    Options
	}{
		{"floor", strings.Repeat("PPF", 6) + "FF", Options{Floor: Floor{Rate: .8}}},
		{"regression", strings.Repeat("PPPF", 5), Options{Baseline: &BaselineRun{File: "main.json"}}},
	} {
		outcomes, baseline := []string{c.weak}, []string{passes}
		alone := 0.0
		seen := map[RuleWord]bool{}
		for n := 1; n <= 20; n++ {
			if c.o.Baseline != nil {
				c.o.Baseline.Run = TestsOf(gatedBy(t, fixed, baseline...))
			}
			g, err := Judge(t.Context(), gatedBy(t, fixed, outcomes...), c.o)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(g.Rules, func(r Rule) bool { return r.Name == c.name && r.Scenario == "a" })
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
	for floor, want := range map[float64]string{.95: "that needs (45 or more)", .99: "that needs (230 or more)",
		1: "no number of trials shows that"} {
		g, err := Judge(t.Context(), gated(t, strings.Repeat("P", 20)), Options{Floor: Floor{Rate: floor}})
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
	if zero != Review || zero.ExitCode() != 2 {
		t.Error("what nobody decided may deploy")
	}
	for _, d := range []Decision{Review, Deploy, Block} {
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

// stopOf is why a run ends that nothing but its tests stops, or the interrupt that keeps one from its end.
func stopOf(t *testing.T, e runs.Evidence) runs.StopCause {
	t.Helper()
	cause, err := runs.StopOf(e.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if cause == runs.StoppedByRecording {
		return runs.StoppedByInterrupt
	}
	return cause
}
