package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// What recorded trials miss: a check that fails one of them, and none that another check repeats. The command is asked
// once about each trial, however many changes there are.
func TestChangedChecks(t *testing.T) {
	s, err := suite.Parse("tribunal.yaml", []byte(`version: 1
name: shop
agent: {command: [agent]}
test: {threshold: 0.9}
limits: none
scenarios:
  - name: refund
    input: {}
    evaluate:
      - contains: refunded
      - contains: order 7
      - max_steps: 2
  - name: cancel
    input: {}
    evaluate: [contains: cancelled]
`))
	if err != nil {
		t.Fatal(err)
	}
	trials := []*trial.Trial{
		{Scenario: "refund", Output: trial.RawString("refunded order 7"), Steps: make([]trial.Step, 1)},
		{Scenario: "refund", Output: trial.RawString("refunded"), Steps: make([]trial.Step, 2)},
		{Scenario: "refund", Output: trial.RawString("no"), Steps: make([]trial.Step, 2)},
		{Scenario: "refund", Outcome: trial.Error},
	}
	checks, untried, err := app.ChangedChecks(t.Context(), s, s.Scenarios, trials)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range checks {
		got = append(got, fmt.Sprintf("%s %s: %s %s", c.Evaluator, c.Change, c.Before, c.After))
	}
	// By hand. The second check alone fails the second trial; the first repeats it; one step is the half of two.
	want := []string{
		"contains deleted: PFFE PFFE", "contains deleted: PFFE PPFE", "max_steps deleted: PFFE PFFE",
		"max_steps 2 -> 1: PFFE PFFE",
		"max_steps 2 -> 4: PFFE PFFE",
	}
	if !slices.Equal(got, want) || !slices.Equal(untried, []string{"cancel"}) {
		t.Errorf("%s\nuntried %q", strings.Join(got, "\n"), untried)
	}
}
