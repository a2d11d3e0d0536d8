package verify

import (
	"context"
	"errors"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// A judge whose context has ended returns the cause, and no result.
func TestJudgesEndWithTheirContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	side, err := recording.OfCounts("all", stats.Counts{Passes: 8, Trials: 10})
	if err != nil {
		t.Fatal(err)
	}
	test := runs.TestEvidence{Name: "a", Scenarios: []string{"a"}, Design: sample.Design(), Trials: []runs.TrialEvidence{
		{Scenario: "a", Trial: &trial.Trial{Scenario: "a", Outcome: trial.Pass}},
	}}
	for name, judge := range map[string]func() (verdict.Result, error){
		"threshold": func() (verdict.Result, error) {
			return verdict.JudgeThreshold(ctx, []verdict.Tally{{Passes: 8, Fails: 2}}, verdict.ThresholdOptions{Threshold: 0.5})
		},
		"compare": func() (verdict.Result, error) { return compare.Judge(ctx, side, side, compare.Options{}) },
		"sequential": func() (verdict.Result, error) {
			return sequential.Judge(ctx, side, sequential.Options{Design: sample.Design(), Order: sequential.ShuffleOrder})
		},
		"runs": func() (verdict.Result, error) {
			return runs.Judge(ctx, runs.Evidence{Tests: []runs.TestEvidence{test}})
		},
		"gate": func() (verdict.Result, error) { return gate.Judge(ctx, gated(t, "PPPP"), gate.Options{}) },
	} {
		if _, err := judge(); !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, result := range []verdict.Result{wholeGate(t, sampled), crowdedRun(t)} {
		if _, err := Verify(ctx, result); !errors.Is(err, cause) {
			t.Errorf("verify: %T: %v", result, err)
		}
	}
}
