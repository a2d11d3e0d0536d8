package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
)

// A brief record keeps what a guard found, and that there was one; it keeps nothing of a guard where none was.
func TestBriefKeepsWhatGuardsDenied(t *testing.T) {
	denied := &guardrails.Trial{}
	denied.Add("shop", "git", "runs x", false)
	for _, found := range []*guardrails.Trial{denied, {}, nil} {
		record := &trial.Trial{Scenario: "s"}
		found.Record(record)
		if err := (oracle.Judgement{Outcome: trial.Pass}).Record(record); err != nil {
			t.Fatal(err)
		}
		brief, _, _ := Brief(record)
		if diff := cmp.Diff(found, guardrails.Of(brief)); diff != "" {
			t.Error(diff)
		}
		if _, judged := oracle.Recorded(brief); !judged {
			t.Error("the judgement is gone")
		}
	}
}
