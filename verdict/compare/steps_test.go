package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// sideWithSteps has so many scenarios of one trial each, that pass or fail, with so many steps in each trial.
func sideWithSteps(scenarios, steps int, outcome trial.Outcome, text string) *recording.Recording {
	r := &recording.Recording{}
	for i := range scenarios {
		x := &trial.Trial{Scenario: fmt.Sprintf("s%05d", i), Outcome: outcome, Output: trial.RawString("said " + text)}
		for k := range steps {
			x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: fmt.Sprintf("tool %d", k),
				Arguments: trial.Raw(`{"n":1}`), Output: trial.RawString(text)})
		}
		r.Add(x)
	}
	return r
}

// The pairs that flipped hold what both trials did, cut to a bounded size, without what looks like a key, and what
// there was no room for is counted.
func TestFlipsHoldSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	key := "sk-" + strings.Repeat("a1B2", 10)
	// The key begins within what is shown of the text and ends behind it.
	text := strings.Repeat("some words, ", 15) + key + strings.Repeat(" and more", 100)
	r, err := Judge(t.Context(), sideWithSteps(300, 40, trial.Pass, text), sideWithSteps(300, 2, trial.Fail, key),
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), key[:12]) {
		t.Error("the key is in the result")
	}
	if len(content) > 3_000_000 {
		t.Errorf("the result has %d bytes", len(content))
	}
	first, last := r.Pairs.Flips[0], r.Pairs.Flips[299]
	if b := first.BaselineSteps; len(b.List) != 30 || b.Omitted != 10 || b.List[29].Tool != "tool 29" ||
		len(b.List[0].Output) > 200 {
		t.Errorf("the baseline's trial has %d steps, %d omitted", len(b.List), b.Omitted)
	}
	if c := first.CandidateSteps; len(c.List) != 2 || c.Omitted != 0 || c.List[0].Output != "[redacted key]" ||
		c.List[0].Arguments != `{"n":1}` {
		t.Errorf("the candidate's trial: %+v", c)
	}
	// 6000 steps are those of 187 pairs and some.
	if len(last.BaselineSteps.List) != 0 || last.BaselineSteps.Omitted != 40 {
		t.Errorf("the last pair: %d steps, %d omitted", len(last.BaselineSteps.List), last.BaselineSteps.Omitted)
	}
}

// Without steps in the recordings a flip has none, and says nothing of any.
func TestFlipsWithoutSteps(t *testing.T) {
	r, err := Judge(t.Context(), sideWithSteps(20, 0, trial.Pass, "x"), sideWithSteps(20, 0, trial.Fail, "y"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Pairs.Flips[0]; f.BaselineSteps != nil || f.CandidateSteps != nil {
		t.Errorf("%+v", f)
	}
}
