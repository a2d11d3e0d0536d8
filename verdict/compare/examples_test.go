package compare_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// recorded is a side of scenarios with outcomes, of which every trial has the number of its place, its own input where
// those are given, and a step.
func recorded(side string, outcomes map[string]string, inputs string) *recording.Recording {
	r := &recording.Recording{Name: side}
	for _, scenario := range []string{"fell", "fell-most", "same", "rose", "always-failed"} {
		for i, o := range outcomes[scenario] {
			t := &trial.Trial{Scenario: scenario, Index: trial.Some(i), Outcome: trial.Pass,
				Output: trial.RawString(fmt.Sprintf("%s %s %d", side, scenario, i)),
				Steps:  []trial.Step{{Action: trial.CallTool, Tool: "look_up"}}}
			if o == 'F' {
				t.Outcome = trial.Fail
			}
			if i < len(inputs) {
				t.Input = trial.RawString(inputs[i : i+1])
			}
			r.Add(t)
		}
	}
	return r
}

// Of each scenario that fell there is the first trial of the candidate that failed, and the first of the baseline that
// passed, of the same input where there is one.
func TestExamples(t *testing.T) {
	baseline := map[string]string{"fell": "FPPPP", "fell-most": "PPPPP", "same": "PFPPP", "rose": "FFPPP",
		"always-failed": "FFFFF"}
	candidate := map[string]string{"fell": "PFPPF", "fell-most": "PFFFF", "same": "FPPPP", "rose": "PPPPP",
		"always-failed": "FFFFF"}
	for _, c := range []struct {
		inputs string
		want   []string
	}{
		{"", []string{"baseline fell-most 0, candidate fell-most 1", "baseline fell 1, candidate fell 1"}},
		// The trials of both sides have the inputs a, b, a, b, b.
		{"ababb", []string{"baseline fell-most 1, candidate fell-most 1", "baseline fell 1, candidate fell 1"}},
	} {
		r, err := compare.Judge(t.Context(), recorded("baseline", baseline, c.inputs),
			recorded("candidate", candidate, c.inputs), compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range r.Examples {
			got = append(got, e.BaselineOutput+", "+e.CandidateOutput)
			if e.BaselineSteps == nil || e.CandidateSteps == nil || e.Trial == nil || e.CandidateTrial == nil {
				t.Errorf("%+v lacks steps or numbers", e)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
		// Judged again from what it holds, it is the same.
		again, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again.Again.(*compare.Result).Verdict != r.Verdict {
			t.Error("judged again it is another")
		}
	}
}
