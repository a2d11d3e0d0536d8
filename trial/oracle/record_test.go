package oracle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// A judgement comes back from the record of its trial, as it is written to a file.
func TestJudgementIsRecorded(t *testing.T) {
	record := traced()
	evaluators := []Evaluator{made(t)(Contains(path(t, ""), "x", TextOptions{})), made(t)(Budget(TokenBudget, 10))}
	limits := Limits{MaxTurns: trial.Some(1), MaxCostUSD: trial.Some(2.0)}
	want := Judge(t.Context(), Evidence{Trial: record}, evaluators, limits)
	if err := want.Record(record); err != nil {
		t.Fatal(err)
	}
	if err := want.Record(record); err != nil { // twice is once
		t.Fatal(err)
	}
	line, err := trial.Append(nil, record)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trial.Decode(line, trial.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Recorded(again)
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
	if _, ok := Recorded(traced()); ok {
		t.Error("a trial that nobody judged has a judgement")
	}
}
