package fingerprint_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

func ExampleCompare() {
	var baseline, candidate fingerprint.Sample
	for i := range 20 {
		t := &trial.Trial{Scenario: "refund", Outcome: trial.Pass, Steps: []trial.Step{
			{Action: trial.CallTool, Tool: "search"},
			{Action: trial.CallTool, Tool: "refund"},
			{Action: trial.Respond},
		}}
		t.OutputTokens = trial.Some(int64(400 + 10*(i%5)))
		baseline.Add(t)
		t.OutputTokens = trial.Some(int64(560 + 10*(i%5)))
		candidate.Add(t)
	}
	c, err := fingerprint.Compare(context.Background(), &baseline, &candidate, fingerprint.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("changed: %t, p = %.4f\n", c.Changed, c.P)
	for _, change := range c.ChangedColumns() {
		fmt.Println(change)
	}
	// Output:
	// changed: true, p = 0.0001
	// output tokens 420 -> 580 (+38 %)
}
