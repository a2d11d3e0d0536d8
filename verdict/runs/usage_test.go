package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// A brief record keeps the first steps without their models, and what all of them took is kept beside it.
func TestBriefKeepsWhatModelsTook(t *testing.T) {
	record := &trial.Trial{Scenario: "s", Outcome: trial.Pass}
	for i := range 3 * mostSteps {
		model := []string{"large", "small", "small"}[i%3]
		record.Steps = append(record.Steps, trial.Step{
			Action: trial.Respond, Model: model, CostUSD: trial.Some(0.25), InputTokens: trial.Some(int64(10)),
			OutputTokens: trial.Some(int64(1)),
		})
	}
	brief, more, took := Brief(record)
	if more != 2*mostSteps {
		t.Errorf("%d further steps", more)
	}
	var sum usage.Sum
	TrialEvidence{Trial: brief, CostUSD: trial.Some(0.25 * 3 * mostSteps), Usage: &took}.took(&sum)
	have := map[string][2]float64{}
	for _, m := range sum.Usage().Models {
		have[m.Model] = [2]float64{*m.CostUSD, float64(*m.Turns)}
	}
	want := map[string][2]float64{"large": {0.25 * mostSteps, mostSteps}, "small": {0.5 * mostSteps, 2 * mostSteps}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}
