package behaviour

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

func TestCompareBehaviour(t *testing.T) {
	same, err := Compare(t.Context(), sample.Working(40, 3, 1), sample.Working(40, 3, 2), Options{Seed: 1})
	if err != nil || same.Changed || !same.Tested || same.Alpha != verdict.DefaultAlpha || same.Baseline != 40 {
		t.Errorf("%+v, %v", same, err)
	}
	more, err := Compare(t.Context(), sample.Working(40, 3, 1), sample.Working(40, 6, 2), Options{Seed: 1})
	if err != nil || !more.Changed || more.P > 0.001 || !more.Columns[0].Changed {
		t.Errorf("%+v, %v", more, err)
	}
	steps := ""
	for _, c := range more.Columns {
		if c.Kind == fingerprint.StepCount.String() {
			steps = c.Text
			if !c.Changed || c.Baseline == nil || *c.Candidate <= *c.Baseline {
				t.Errorf("%+v", c)
			}
		}
	}
	if !strings.HasPrefix(steps, "steps ") {
		t.Errorf("the number of steps reads %q", steps)
	}
	again, err := Compare(t.Context(), sample.Working(40, 3, 1), sample.Working(40, 6, 2), Options{Seed: 1})
	if err != nil || again.P != more.P {
		t.Errorf("the same seed: %v, %v", again, err)
	}
	if _, err := json.Marshal(more); err != nil {
		t.Error(err)
	}
}

func TestBehaviourThatCannotBeTested(t *testing.T) {
	for name, pair := range map[string][2]*fingerprint.Sample{
		"empty":         {{}, sample.Working(5, 3, 1)},
		"nothing known": {constant("a"), constant("a")},
		"not shared":    {constant("a"), constant("b")},
	} {
		b, err := Compare(t.Context(), pair[0], pair[1], Options{})
		if err != nil || b.Tested || b.Changed || len(b.Warnings) == 0 {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
}

func constant(scenario string) *fingerprint.Sample {
	var s fingerprint.Sample
	for range 5 {
		s.Add(&trial.Trial{Scenario: scenario})
	}
	return &s
}
