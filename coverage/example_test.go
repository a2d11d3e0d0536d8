package coverage_test

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/trial"
)

// Two trials of an agent with two tools, one of which was called, with an amount just
// outside of its domain.
func ExampleCollector() {
	list, err := coverage.ReadTools("tools.json", strings.NewReader(`[
		{"name": "refund", "inputSchema": {"properties": {"amount": {"type": "integer", "minimum": 1, "maximum": 500}}}},
		{"name": "escalate"}
	]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var declared coverage.Declaration
	declared.Use(list)
	c, err := coverage.NewCollector(declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := trial.Step{Action: trial.CallTool, Tool: "refund", Arguments: trial.Raw(`{"amount": 501}`)}
	c.Add(&trial.Trial{Scenario: "chair", Outcome: trial.Pass, Steps: []trial.Step{call}})
	c.Add(&trial.Trial{Scenario: "lamp", Outcome: trial.Pass, Steps: []trial.Step{}})

	r := c.Measure()
	for _, m := range r.Dimensions {
		if m.Value != nil {
			fmt.Printf("%s %.2f\n", m.Dimension, *m.Value)
		}
	}
	fmt.Println(r.Tools.Uncalled, r.Boundaries.Untouched)
	// Output:
	// tool 0.50
	// boundary 0.50
	// [escalate] [refund amount minimum 1]
}
