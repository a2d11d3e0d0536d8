package gate

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Where rounds refute what their test rests on, a person decides, also where undecided tests are allowed: of sides that
// hardly pass where .8 is guarded, and of pairs that all differ where .35 of them may.
func TestRefutedRoundsAskAPerson(t *testing.T) {
	const delta, alpha, beta = 0.3, 0.1, 0.1
	sides, err := baseline.SideBySide(t.Context(), baseline.Hypotheses{Delta: delta, Alpha: alpha, Beta: beta,
		Guarded: stats.Interval{Low: 0.8, High: 1}}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := baseline.Matched(t.Context(), baseline.MatchedHypotheses{Delta: delta, Alpha: alpha, Beta: beta,
		MostDiscordant: 0.35}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*baseline.Rounds{sides.Test, pairs.Test} {
		test := runs.TestEvidence{Name: "a", Scenarios: []string{"a"}, Against: &runs.Against{Rounds: r}}
		counts := baseline.NewRoundsTest(r)
		for i := 0; !counts.Decided(); i++ {
			for side := range 2 {
				outcome := trial.Fail
				if r.Matched() && (i+side)%2 == 0 || !r.Matched() && i%8 == 4 {
					outcome = trial.Pass
				}
				if err := counts.Observe(2*i+side, outcome); err != nil {
					t.Fatal(err)
				}
				test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: "a", Number: i,
					Baseline: side == baseline.BaselineSide, Trial: &trial.Trial{Scenario: "a", Outcome: outcome}})
			}
		}
		e := runs.Evidence{Suite: "s", Digest: "sha256:1", Tests: []runs.TestEvidence{test}}
		e.Spent.Trials, e.Spent.Attempts = len(test.Trials), len(test.Trials)
		e.StoppedBy = stopOf(t, e)
		run, err := runs.Judge(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if !run.Tests[0].Regression.Refuted() {
			t.Fatalf("matched %v: %v after %d rounds", r.Matched(), run.Tests[0].Reasons, counts.Rounds())
		}
		for _, allowed := range []bool{false, true} {
			g, err := Judge(t.Context(), run, Options{AllowUndecided: allowed})
			if err != nil {
				t.Fatal(err)
			}
			if g.Decision != Review {
				t.Errorf("matched %v, undecided allowed %v: %v, %+v", r.Matched(), allowed, g.Decision, g.Reasons)
			}
			if _, err := recheck.Verify(t.Context(), g); err != nil {
				t.Errorf("matched %v: verify: %v", r.Matched(), err)
			}
		}
	}
}
