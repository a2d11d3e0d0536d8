package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Every evaluator says what it is like, and one that is new is found here.
func TestEveryEvaluatorHasAKind(t *testing.T) {
	kinds := Kinds()
	if len(kinds) != len(evaluators()) {
		t.Fatalf("%d kinds of %d evaluators", len(kinds), len(evaluators()))
	}
	for i, k := range kinds {
		if k.Name != evaluators()[i].name || k.About == "" || k.From == "" || !k.Live {
			t.Errorf("%+v", k)
		}
		for _, answer := range []Answer{k.Deterministic, k.Portable, k.ReferenceFree} {
			if answer == "" {
				t.Errorf("%s does not say what it is like: see kindOf", k.Name)
			}
		}
		if k.Cost == "" || k.Score == "" || k.Recorded != (k.Name != "exit-code") {
			t.Errorf("%+v", k)
		}
	}
}

// What is said of scores is what real evaluators give to a trial that fails each of them in part: 0 where the score is
// 0 or 1, and something between where it is graded. Judged twice, those that are deterministic answer alike.
func TestScoresAreOfTheirKind(t *testing.T) {
	partly := map[string]string{
		"equals":          `{path: name, value: Adam}`,
		"contains":        `zebra`,
		"not-contains":    `Eve`,
		"regex":           `^x`,
		"exists":          `{path: nowhere}`,
		"range":           `{path: age, min: 50}`,
		"json-schema":     `{schema: {type: array}}`,
		"must-call":       `[look, book]`,
		"must-not-call":   `[look]`,
		"tool-order":      `[look, book]`,
		"max_steps":       `4`,
		"contract":        `{clauses: [{name: a, kind: guardrail, forbid: {tools: look}}]}`,
		"all":             `[must-call: [look, book], contains: Eve]`,
		"any":             `[must-call: [look, book], contains: zebra]`,
		"not":             `{weighted: {threshold: 0.4, of: [contains: Eve, contains: zebra]}}`,
		"weighted":        `{threshold: 0.9, of: [contains: Eve, contains: zebra]}`,
		"token-budget":    `60`,
		"tool-call-count": `2`,
		"turn-count":      `2`,
		"error-count":     `2`,
		"wall-time":       `2s`,
	}
	judged := &trial.Trial{
		Output:      trial.Raw(`{"name": "Eve", "age": 30}`),
		InputTokens: trial.Some(int64(70)), OutputTokens: trial.Some(int64(30)), DurationSeconds: trial.Some(3.0),
		Steps: []trial.Step{
			{Action: trial.Reason}, {Action: trial.CallTool, Tool: "look", Error: "broken"},
			{Action: trial.CallTool, Tool: "look", Error: "broken"},
			{Action: trial.CallTool, Tool: "look", Error: "broken"},
			{Action: trial.Reason}, {Action: trial.Respond},
		},
	}
	var texts []string
	for _, k := range Kinds() {
		if spec, given := partly[k.Name]; given {
			texts = append(texts, fmt.Sprintf("{%s: %s}", k.Name, spec))
		} else if k.Name != "exit-code" && k.Cost != ProcessCost && k.Cost != ModelCost {
			t.Errorf("%s is not tried", k.Name)
		}
	}
	s, err := Parse("suite", []byte("version: 1\nname: s\nlimits: none\nagent: {command: [cat]}\n"+
		"test: {threshold: 0.9}\nscenarios: [{name: a, input: 1, evaluate: ["+strings.Join(texts, ", ")+"]}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]Kind{}
	for _, k := range Kinds() {
		kinds[k.Name] = k
	}
	for _, e := range s.Scenarios[0].Evaluate {
		r := e.Evaluator.Evaluate(t.Context(), oracle.Evidence{Trial: judged})
		k := kinds[e.Name]
		between := r.Score.Value > 0 && r.Score.Value < 1
		if !r.Score.Known || (k.Score == Graded) != between || r.Outcome != trial.Fail {
			t.Errorf("%s: %v with score %v (%s), and its scores are %s", e.Name, r.Outcome, r.Score, r.Text, k.Score)
		}
		again := e.Evaluator.Evaluate(t.Context(), oracle.Evidence{Trial: judged})
		if k.Deterministic != Depends && (again.Outcome != r.Outcome || again.Score != r.Score) {
			t.Errorf("%s is judged otherwise the second time", e.Name)
		}
	}
}
