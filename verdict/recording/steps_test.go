package recording

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// However many trials with however long steps there are, what is kept of them is bounded, and counted beyond.
func TestKeptStepsAreBounded(t *testing.T) {
	r := &Recording{}
	long := strings.Repeat("word ", 2000)
	x := &trial.Trial{Scenario: "a", Outcome: trial.Pass}
	for range 50 {
		x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: long, Arguments: trial.RawString(long),
			Output: trial.RawString(long), Error: long})
	}
	r.AddCount("b", trial.Pass, 3) // an observation without steps
	for range 2000 {
		r.Add(x)
	}
	if most := mostStepsBytes + 10_000; r.stepBytes > most {
		t.Errorf("%d bytes are kept, more than %d", r.stepBytes, most)
	}
	if r.Steps(0) != nil {
		t.Error("counts have steps")
	}
	if s := r.Steps(1); len(s.List) != 30 || s.Omitted != 20 || len(s.List[0].Tool) > 200 {
		t.Errorf("the first trial has %d steps, %d omitted", len(s.List), s.Omitted)
	}
	if s := r.Steps(2000); len(s.List) != 0 || s.Omitted != 50 {
		t.Errorf("the last trial has %d steps, %d omitted", len(s.List), s.Omitted)
	}
}
