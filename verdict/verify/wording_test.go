package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// What errors count as was said in other words.
func TestEarlierWordsOfErrorsAreVerified(t *testing.T) {
	for text, accepted := range map[string]bool{
		"2 trials ended in an error and count as neither pass nor failure: the verdict must hold either way": true,
		"2 trials ended well": false,
	} {
		r, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "s", Passes: 90, Errors: 2}},
			verdict.ThresholdOptions{Threshold: 0.8})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Warnings) != 1 || r.Warnings[0].Code != verdict.WarnErrors {
			t.Fatalf("%v", r.Warnings)
		}
		r.Warnings[0].Text = text
		if _, err := Verify(t.Context(), r); (err == nil) != accepted {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// One trial was all of 1.
func TestEarlierWordsOfOneTrialAreVerified(t *testing.T) {
	r, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "s", Errors: 1}},
		verdict.ThresholdOptions{Threshold: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	const today = "the only trial ended in an error, so nothing is known of the pass rate"
	const before = "all 1 trial ended in an error, so nothing is known of the pass rate"
	if r.Reasons[0].Text != today {
		t.Errorf("%q", r.Reasons[0].Text)
	}
	r.Reasons[0].Text, r.Scenarios[0].Reasons[0].Text = before, before
	if _, err := Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// Warnings of earlier results name flags of a command. They are verified as they are, and
// another text is not.
func TestEarlierWordsOfWarningsAreVerified(t *testing.T) {
	recorded := func(passes int) *recording.Recording {
		r := &recording.Recording{}
		for i := range 100 {
			t := &trial.Trial{Scenario: "s", Outcome: trial.Fail, CostUSD: trial.Some(float64(i))}
			if i < passes {
				t.Outcome = trial.Pass
			}
			r.Add(t)
		}
		return r
	}
	baseline, candidate := recorded(93), recorded(71)
	test := stats.ZTest
	r, err := compare.Judge(context.Background(), baseline, candidate, compare.Options{Test: &test})
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, w := range r.Warnings {
		if w.Code == "approximate-level" {
			at = i
		}
		if strings.Contains(w.Text, "--") {
			t.Errorf("a warning names a flag: %q", w.Text)
		}
	}
	if at < 0 {
		t.Fatalf("no warning of the z test: %v", r.Warnings)
	}
	for text, accepted := range map[string]bool{
		"the z test keeps alpha only in large samples; --test boschloo always does": true,
		"the z test keeps alpha only in large samples; --test fisher always does":   false,
	} {
		r.Warnings[at].Text = text
		_, err := Verify(context.Background(), r)
		if accepted && err != nil {
			t.Errorf("%q: %v", text, err)
		}
		var different *verdict.DifferenceError
		if !accepted && !errors.As(err, &different) {
			t.Errorf("%q is accepted: %v", text, err)
		}
	}
}

// Rules of a gate quote the reasons of others; in the words of earlier versions they are verified, and their other
// figures are compared all the same.
func TestEarlierWordsOfGatesAreVerified(t *testing.T) {
	minimum := 0.9
	judged := func() *gate.Result {
		g, err := gate.Judge(t.Context(), gated(t, strings.Repeat("P", 20), "PPF"), gate.Options{
			Minimum: &minimum, MaxResultAge: gate.Age(2 * time.Hour), Now: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC),
		})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	// The first two texts of each are of two earlier versions, and the last is of none.
	for rule, texts := range map[string][3]string{
		"age": {"the result: it is 3h0m0s old, and may be 2h0m0s", "the result: it is 3h0m0s old, and may be 2h0m0s",
			"it is young"},
		"suite-verdict, a": {"pass: after 3 trials with 0 failures the Pass boundary is reached: 0 or fewer pass here",
			"pass: 3 of 3 passed: enough to rule out a rate of 40% or less", "pass: 3 of 3 passed"},
		"suite-verdict, b": {"inconclusive: the run was stopped (the trials budget) after 3 trials with 1 failure, before " +
			"the test ended",
			"undecided: 2 of 3 passed (66.7%) when the run was stopped, before this could be decided: the trials budget",
			"fine"},
		"coverage": {"coverage is not measured, and at least 0.9 is needed",
			"coverage is not measured, and at least 0.9 is needed", "covered"},
	} {
		for i, text := range texts {
			g := judged()
			name, scenario, _ := strings.Cut(rule, ", ")
			at := slices.IndexFunc(g.Rules, func(r gate.Rule) bool { return r.Name == name && r.Scenario == scenario })
			if at < 0 {
				t.Fatalf("%s: %+v", rule, g.Rules)
			}
			g.Rules[at].Evidence = text
			v, err := Verify(t.Context(), g)
			if accepted := i < 2; (err == nil) != accepted || accepted && !slices.Contains(v.Skipped, "rules.evidence") {
				t.Errorf("%s, %q: %v", rule, text, err)
			}
			g.Rules[at].Outcome = gate.RuleNoted
			if _, err := Verify(t.Context(), g); err == nil {
				t.Errorf("%s, %q: another outcome is accepted", rule, text)
			}
		}
	}
}
