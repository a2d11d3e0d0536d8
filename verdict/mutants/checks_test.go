package mutants_test

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

func TestChecks(t *testing.T) {
	checks := []mutants.Check{
		{Scenario: "refund", Evaluator: "contains", Change: "deleted", Before: "PPFP", After: "PPPP"},
		{Scenario: "refund", Evaluator: "max_steps", Change: "deleted", Before: "PPFP", After: "PPFP"},
		{Scenario: "cancel", Evaluator: "contains", Change: "deleted", Before: "FF", After: "PP"},
	}
	for least, want := range map[float64]verdict.Verdict{0: verdict.Pass, 0.66: verdict.Pass, 0.67: verdict.Fail} {
		var demand *float64
		if least > 0 {
			demand = &least
		}
		r := mutants.JudgeChecks("shop", "sha256:1", checks, []string{"greeting"}, 7, demand)
		if r.Verdict != want || r.Noticed != 2 || *r.Score != 2./3 || r.Checks[0].Changed != 1 || r.Checks[2].Changed != 2 {
			t.Errorf("at least %v: %+v", least, r)
		}
		if _, err := verify.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
		for name, forge := range map[string]func(r *mutants.Checks){
			"noticed": func(r *mutants.Checks) { r.Noticed = 3 },
			"after":   func(r *mutants.Checks) { r.Checks[1].After = "PPPP" },
			"length":  func(r *mutants.Checks) { r.Checks[1].After = "P" },
			"trials":  func(r *mutants.Checks) { r.Trials = 3 },
		} {
			forged := mutants.JudgeChecks("shop", "sha256:1", checks, []string{"greeting"}, 7, demand)
			forge(forged)
			if _, err := verify.Verify(t.Context(), forged); err == nil {
				t.Errorf("%s: forged, and taken", name)
			}
		}
	}
	if r := mutants.JudgeChecks("shop", "sha256:1", nil, []string{"refund"}, 0, nil); r.Score != nil ||
		r.Verdict != verdict.Pass {
		t.Errorf("%+v", r)
	}
}
