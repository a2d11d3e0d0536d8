package report

import (
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Where errors would decide the next thing to see is one of them, and where the trials ran out one that failed, or a
// larger delta.
func TestNextAfterInconclusive(t *testing.T) {
	for _, c := range []struct {
		code verdict.Code
		want string
	}{
		{verdict.CodeErrorsMatter, "Trial refund#7"},
		{"mean-open", "see why trials fail, or accept a larger delta: Trial refund#3"},
	} {
		d := &document.Document{
			Detail:   document.Detail{Rest: func(option string) string { return option }},
			Findings: []document.Finding{{Causes: []document.Cause{{Trials: []string{"refund#3", "refund#7"}}}}},
		}
		why := []verdict.Reason{{Code: c.code}}
		runNext(d, &runs.Result{
			Source: &runs.Source{}, Verdict: verdict.Inconclusive, StoppedBy: runs.StoppedByMaxTrials, Reasons: why,
			SuiteTests: []runs.SuiteTest{{Verdict: verdict.Inconclusive, Reasons: why}},
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
