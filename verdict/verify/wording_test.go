package verify

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
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
		if w.Code == compare.WarnApproximateLevel {
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
