package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

func TestProposedLimits(t *testing.T) {
	for _, c := range []struct {
		limits, scenario string
		proposed         map[string]float64
		refused          []string
	}{
		{"", "", map[string]float64{"max_turns": 50, "max_cost_usd": 1}, []string{
			`5:13: limits are needed for a deployment, and max_turns is not declared for "one" and 1 more scenario; declare`,
			`5:13: limits are needed for a deployment, and max_cost_usd is not declared for "one" and 1 more scenario; declare`}},
		{"limits: {max_turns: 15}\n", "", map[string]float64{"max_cost_usd": 1}, []string{
			`6:13: limits are needed for a deployment, and max_cost_usd is not declared for "one" and 1 more scenario; declare`}},
		{"", ", limits: none", map[string]float64{"max_turns": 50, "max_cost_usd": 1}, []string{
			`5:40: limits are needed for a deployment, and max_turns is not declared for "two"; declare`,
			`5:40: limits are needed for a deployment, and max_cost_usd is not declared for "two"; declare`}},
		{"limits: {max_turns: 15, max_cost_usd: none}\n", "", nil, nil},
		{"defaults: {limits: none}\n", "", nil, nil},
	} {
		text := begin + c.limits + "scenarios: [{name: one" + c.scenario + "}, {name: two}]\n"
		s, err := Parse("tribunal.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.proposed, Proposed(s.Scenarios)); diff != "" {
			t.Errorf("%s(-want +got):\n%s", text, diff)
		}
		problems, _ := LimitsDeclared(s.Scenarios).(Errors)
		if len(problems) != len(c.refused) {
			t.Fatalf("%s%v", text, problems)
		}
		for i, want := range c.refused {
			if !strings.HasPrefix(problems[i].Error(), "tribunal.yaml:"+want) {
				t.Errorf("%s, want %s", problems[i], want)
			}
		}
	}
}

// A trial that does not tell what a proposed limit bounds is not held to it, and one that tells is. A limit that was
// asked for is another suite, though its number is the same.
func TestProposedLimitsHoldForTrialsThatTell(t *testing.T) {
	s, err := Parse("tribunal.yaml", []byte(begin+"scenarios: [{name: one}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	limits := s.Scenarios[0].Limits
	for _, c := range []struct {
		trial trial.Trial
		want  trial.Outcome
	}{
		{trial.Trial{Outcome: trial.Pass}, trial.Pass},
		{trial.Trial{Outcome: trial.Pass, CostUSD: trial.Some(1.0)}, trial.Pass},
		{trial.Trial{Outcome: trial.Pass, CostUSD: trial.Some(1.01)}, trial.Fail},
		{trial.Trial{Outcome: trial.Pass, Steps: turnsOf(50)}, trial.Pass},
		{trial.Trial{Outcome: trial.Pass, Steps: turnsOf(51)}, trial.Fail},
	} {
		if j := oracle.Judge(t.Context(), oracle.Evidence{Trial: &c.trial}, nil, limits); j.Outcome != c.want {
			t.Errorf("%+v is %v, want %v: %s", c.trial, j.Outcome, c.want, j.Text)
		}
	}
	cut := oracle.Evidence{Trial: &trial.Trial{Outcome: trial.Fail, CostUSD: trial.Some(0.5)}, Truncated: true}
	if j := oracle.Judge(t.Context(), cut, nil, limits); len(j.Limits) != 1 || j.Limits[0].Outcome != trial.Pass {
		t.Errorf("%+v", j.Limits)
	}
	asked, err := Parse("tribunal.yaml",
		[]byte(begin+"limits: {max_turns: 50, max_cost_usd: 1.00}\nscenarios: [{name: one}]\n"))
	if err != nil || asked.Digest() == s.Digest() {
		t.Errorf("the digests are the same: %v", err)
	}
}

// turnsOf are so many steps that are turns.
func turnsOf(n int) []trial.Step {
	steps := make([]trial.Step, n)
	for i := range steps {
		steps[i].Action = trial.Respond
	}
	return steps
}
