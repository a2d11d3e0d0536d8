package verdict

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// working returns a sample of trials that call search so many times each, more or
// less, and write answers of some length.
func working(trials, calls int, seed uint64) *fingerprint.Sample {
	random := rand.New(rand.NewPCG(seed, 99))
	var s fingerprint.Sample
	for range trials {
		t := &trial.Trial{Scenario: "a", Steps: []trial.Step{}}
		for range calls + random.IntN(3) {
			t.Steps = append(t.Steps, trial.Step{Action: trial.Reason}, trial.Step{Action: trial.CallTool, Tool: "search"})
		}
		t.Steps = append(t.Steps, trial.Step{Action: trial.Respond})
		t.OutputTokens = trial.Some(int64(100 + random.IntN(50)))
		s.Add(t)
	}
	return &s
}

func TestCompareBehaviour(t *testing.T) {
	same, err := CompareBehaviour(t.Context(), working(40, 3, 1), working(40, 3, 2), BehaviourOptions{Seed: 1})
	if err != nil || same.Changed || !same.Tested || same.Alpha != DefaultAlpha || same.Baseline != 40 {
		t.Errorf("%+v, %v", same, err)
	}
	more, err := CompareBehaviour(t.Context(), working(40, 3, 1), working(40, 6, 2), BehaviourOptions{Seed: 1})
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
	again, err := CompareBehaviour(t.Context(), working(40, 3, 1), working(40, 6, 2), BehaviourOptions{Seed: 1})
	if err != nil || again.P != more.P {
		t.Errorf("the same seed: %v, %v", again, err)
	}
	if _, err := json.Marshal(more); err != nil {
		t.Error(err)
	}
}

func TestBehaviourThatCannotBeTested(t *testing.T) {
	for name, pair := range map[string][2]*fingerprint.Sample{
		"empty":         {{}, working(5, 3, 1)},
		"nothing known": {constant("a"), constant("a")},
		"not shared":    {constant("a"), constant("b")},
	} {
		b, err := CompareBehaviour(t.Context(), pair[0], pair[1], BehaviourOptions{})
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

// The behaviour counts only where it is asked to.
func TestBehaviourInAVerdict(t *testing.T) {
	changed, same, untested := &Behaviour{Changed: true, Tested: true, P: .01, Alpha: .05}, &Behaviour{Tested: true, P: .4, Alpha: .05}, &Behaviour{P: 1, Alpha: .05}
	for _, c := range []struct {
		rate   Verdict
		b      *Behaviour
		counts bool
		want   Verdict
	}{
		{Pass, changed, false, Pass}, {Pass, changed, true, Fail}, {Inconclusive, changed, true, Fail}, {Pass, same, true, Pass}, {Fail, same, true, Fail},
		{Pass, untested, true, Inconclusive}, {Fail, untested, true, Fail}, {Pass, untested, false, Pass},
	} {
		comparison := &Comparison{Verdict: c.rate, ExitCode: c.rate.ExitCode(), Reasons: []Reason{{"rate", "as it is"}}}
		comparison.AddBehaviour(c.b, c.counts)
		if comparison.Verdict != c.want || comparison.ExitCode != c.want.ExitCode() || comparison.Behaviour != c.b {
			t.Errorf("%v with %+v, counts %v: %v", c.rate, c.b, c.counts, comparison.Verdict)
		}
		if first := comparison.Reasons[0].Code; (first != "rate") != (c.want != c.rate) && c.rate != Fail {
			t.Errorf("%v with %+v: the first reason is %s", c.rate, c.b, first)
		}
	}
	for b, want := range map[*Behaviour]Verdict{changed: Fail, same: Pass, untested: Inconclusive} {
		if got := JudgeBehaviour("a", "b", b); got.Verdict != want || got.ExitCode != want.ExitCode() || len(got.Reasons) != 1 {
			t.Errorf("%+v: %+v", b, got)
		}
	}
}
