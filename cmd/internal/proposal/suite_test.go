package proposal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// calls are steps that call tools.
func calls(tools ...string) []trial.Step {
	steps := []trial.Step{{Action: trial.Reason}}
	for _, tool := range tools {
		steps = append(steps, trial.Step{Action: trial.CallTool, Tool: tool})
	}
	return steps
}

// A rule is proposed of 59 trials that kept it, which is 95 % with 95 % confidence, and of 58 it is a note: .95^59 is
// below .05, and .95^58 is not. What failed counts for no rule.
func TestSuite(t *testing.T) {
	const head = "version: 1\nname: recorded\nclauses:\n  - name: known tools only\n    kind: guardrail\n"
	for n, want := range map[int]struct{ scenarios, contract, note string }{
		59: {
			`{"name":"a","input":{"q":"<1>"},"evaluate":[{"must-call":["get","pay"]}]}` + "\n" + `{"name":"b"}` + "\n",
			"# What 60 trials that did not fail kept to. At least 95 % of trials like them do, with 95 % confidence.\n" +
				head + "    severity: hard\n" +
				"    forbid: {tools: [\"*\"]}\n    allow: {tools: [\"get\", \"odd[*]\\x1b\", \"pay\"]}\n",
			`"b": the recordings do not have what it was given`,
		},
		57: {
			`{"name":"a","input":{"q":"<1>"}}` + "\n" + `{"name":"b"}` + "\n",
			"# What 58 trials that did not fail kept to. It is soft, and fails nothing: 59 would show that 95 % of " +
				"trials do,\n# with 95 % confidence.\n" +
				head + "    severity: soft\n" +
				"    forbid: {tools: [\"*\"]}\n    allow: {tools: [\"get\", \"odd[*]\\x1b\", \"pay\"]}\n",
			`"a": each of 57 trials that did not fail called get, pay; of 59 that would be a rule`,
		},
	} {
		var s Suite
		for i := range n {
			x := trial.Trial{Scenario: "a", Index: trial.Some(i), Outcome: trial.Pass, Input: trial.Raw(`{"q":"<1>"}`)}
			x.Steps = calls("get", "pay")
			if i == 0 {
				x.Steps = calls("pay", "get", "odd*\x1b")
			}
			s.Add(&x)
		}
		s.Add(&trial.Trial{Scenario: "a", Outcome: trial.Fail, Input: trial.Raw(`{"q":"<1>"}`), Steps: calls("rm")})
		s.Add(&trial.Trial{Scenario: "b", Outcome: trial.Pass, Steps: calls()})
		p, err := s.Propose(Options{Share: .95, Confidence: .95})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.scenarios, string(p.Scenarios)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want.contract, p.Contract); diff != "" {
			t.Error(diff)
		}
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, want.note) || p.Count != 2 {
			t.Errorf("%d scenarios, notes %s", p.Count, notes)
		}
	}
}

// Without steps there is no contract, and different inputs of a scenario are told.
func TestSuiteOfLittle(t *testing.T) {
	var s Suite
	s.Add(&trial.Trial{Scenario: "a", Outcome: trial.Pass, Input: trial.Raw(`1`)})
	s.Add(&trial.Trial{Scenario: "a", Outcome: trial.Pass, Input: trial.Raw(`2`)})
	p, err := s.Propose(Options{Share: .95, Confidence: .95})
	if err != nil || p.Contract != "" || p.Limits != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, want := range []string{"different inputs", "no limits are proposed", "what makes an answer a good one"} {
		if !strings.Contains(strings.Join(p.Notes, "\n"), want) {
			t.Errorf("nothing says %q: %q", want, p.Notes)
		}
	}
	if _, err := s.Propose(Options{Share: 2, Confidence: .95}); err == nil {
		t.Error("a share of 2")
	}
}
