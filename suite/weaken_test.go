package suite

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

func TestChanges(t *testing.T) {
	s, err := Parse("tribunal.yaml", []byte(`version: 1
name: shop
agent: {command: [agent]}
test: {threshold: 0.9}
limits: none
scenarios:
  - name: refund
    input: {}
    evaluate:
      - contains: refunded
      - equals: {path: order.number, value: 7}
      - max_steps: 5
      - any: [{contains: a}, {range: {path: score, min: 0.5}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Changes(s.Scenarios[0]) {
		got = append(got, fmt.Sprintf("%d %s", c.Evaluator, c.What))
	}
	want := []string{
		"0 deleted",
		"1 deleted", `1 path "order.number" -> "order.number_"`, "1 value 7 -> 3.5", "1 value 7 -> 14",
		"2 deleted", "2 5 -> 10", // no half of a number of steps
		"3 deleted", "3 min 0.5 -> 0.25", "3 min 0.5 -> 1", `3 path "score" -> "score_"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A changed evaluator is the changed one: six steps pass where ten may be.
	steps := &trial.Trial{Output: trial.RawString("refunded"), Steps: make([]trial.Step, 6)}
	for _, c := range s.Changes(s.Scenarios[0]) {
		if c.What == "5 -> 10" {
			before := s.Scenarios[0].Evaluate[2].Evaluator.Evaluate(t.Context(), oracle.Evidence{Trial: steps}).Outcome
			after := c.With.Evaluate(t.Context(), oracle.Evidence{Trial: steps}).Outcome
			if before != trial.Fail || after != trial.Pass {
				t.Errorf("%v, and %v when changed", before, after)
			}
		}
	}
}
