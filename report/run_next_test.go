package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Where errors would decide the next thing to see is one of them, and where the trials ran out one that failed, of a
// scenario that is as open as all are, or a larger delta, or baseline.
func TestNextAfterInconclusive(t *testing.T) {
	for _, c := range []struct {
		code verdict.Code
		test runs.SuiteTest
		want string
	}{
		{verdict.CodeErrorsMatter, runs.SuiteTest{}, "Trial refund#7"},
		{"mean-open", runs.SuiteTest{}, "accept a larger delta, or see why trials fail: Trial refund#3"},
		{"mean-open", runs.SuiteTest{Question: stratified.Question{Sides: stratified.Stored}, Mean: "inconclusive"},
			"record a larger baseline, accept a larger delta, or see why trials fail: Trial refund#3"},
	} {
		d := &document.Document{
			Detail: document.Detail{Rest: func(option string) string { return option }},
			Findings: []document.Finding{
				{Verdict: verdict.Pass, Causes: []document.Cause{{Trials: []string{"cancel#1"}}}},
				{Causes: []document.Cause{{Trials: []string{"refund#7"}}, {Trials: []string{"refund#7", "refund#3"}}}},
			},
		}
		why := []verdict.Reason{{Code: c.code}}
		c.test.Verdict, c.test.Reasons = verdict.Inconclusive, why
		runNext(d, &runs.Result{
			Source: &runs.Source{}, Verdict: verdict.Inconclusive, StoppedBy: runs.StoppedByMaxTrials, Reasons: why,
			SuiteTests: []runs.SuiteTest{c.test},
			Tests:      []runs.Test{{Name: "refund", Standing: "open"}},
			Trials: []runs.Trial{
				{Test: "refund", Scenario: "refund", Trial: 3, Outcome: "fail", Judged: true},
				{Test: "refund", Scenario: "refund", Trial: 5, Outcome: "error"}, // it ended after the decision
				{Test: "refund", Scenario: "refund", Trial: 7, Outcome: "error", Judged: true},
			},
		})
		if got := d.DoBefore + d.Do; got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}

// Where no number of trials that is looked at does for an agent that fails now and then, it is that for one that passed
// all trials: with so many a recording of passes alone decides.
func TestBaselineOfPassesIsEnlarged(t *testing.T) {
	q := stratified.Question{Sides: stratified.Stored, Scenarios: 20, Delta: 0.04, Alpha: 0.05, Beta: 0.1, MaxRounds: 2}
	before, option := enlarge(&runs.Result{SuiteTests: []runs.SuiteTest{{
		Question: q, Mean: sprt.Inconclusive.String(), Baseline: &runs.Side{Trials: 40, Passes: 40, Rate: new(1.0)},
		Source: &runs.BaselineSource{File: "tiny.json"},
	}}})
	var trials int
	_, err := fmt.Sscanf(option, "Record %d tiny.json", &trials)
	if err != nil || !strings.Contains(before, fmt.Sprintf(" %d trials ", trials)) {
		t.Fatalf("%q, %q", before, option)
	}
	q.MaxRounds = trials
	design, err := stratified.New(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Repeat([]string{strings.Repeat("P", trials)}, q.Scenarios)
	if d, err := design.Judge(stratified.Evidence{Candidate: all, Baseline: all}); err != nil || d.Mean != sprt.Pass {
		t.Errorf("%d trials: %v, %v", trials, d.Mean, err)
	}
}

// A mean that failed is named where no scenario is worse; beside it those that have not collapsed are not undecided.
func TestFailedMeanIsNamed(t *testing.T) {
	r := &runs.Result{
		Tests: []runs.Test{{Name: "refund", Standing: "cleared", Verdict: verdict.Pass, Trials: 3, Passes: 2, Fails: 1}},
		SuiteTests: []runs.SuiteTest{
			{Mean: "pass"},
			{Mean: "fail", Baseline: &runs.Side{}, Reasons: []verdict.Reason{{Text: "2 of 3 passed: lower"}}},
			{Mean: "fail", Variant: "quick", Reasons: []verdict.Reason{{Text: "2 of 3 passed: too low"}}},
			{Mean: "fail", Collapsed: []string{"refund"}},
		},
		Verdict: verdict.Fail,
	}
	d := &document.Document{Headline: "shop: 2 of 3 passed: lower"}
	runFindings(d, r)
	var got []string
	for _, f := range d.Findings {
		got = append(got, fmt.Sprintf("%s %s: %s", document.Mark(f.Verdict), f.Name, f.Sentence))
	}
	want := []string{"✗ mean against the baseline: failed", "✗ mean of quick: 2 of 3 passed: too low",
		"✓ refund: 2 of 3 passed (66.7%); it has not collapsed"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The mean of a suite has a tile beside those of its scenarios, and those are counted as scenarios.
func TestSuiteCountsScenarios(t *testing.T) {
	d := &document.Document{}
	r := &runs.Result{StoppedBy: runs.StoppedByDecision, Tests: make([]runs.Test, 3),
		SuiteTests: []runs.SuiteTest{{Mean: "fail"}}}
	runTiles(d, r)
	runTotals(d, r)
	told := fmt.Sprint(d.Facts())
	if d.Tiles[0].Name != "mean" || d.Tiles[0].Value != "failed" || !strings.Contains(told, "{scenarios 3}") ||
		!strings.Contains(told, "the suite was decided") {
		t.Errorf("%v, %s", d.Tiles, told)
	}
}
