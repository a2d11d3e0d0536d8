package gate_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A run whose trials all pass is deployed, unless something is asked for that is missing.
func ExampleJudge() {
	ctx := context.Background()
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.4, Alpha: 0.05, Beta: 0.1}, 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	test := runs.TestEvidence{Name: "refund", Scenarios: []string{"refund"}, Design: design}
	for i := range 20 {
		test.Trials = append(test.Trials, runs.TrialEvidence{
			Scenario: "refund", Number: i, Trial: &trial.Trial{Scenario: "refund", Outcome: trial.Pass},
		})
	}
	run, err := runs.Judge(ctx, runs.Evidence{Suite: "shop", Tests: []runs.TestEvidence{test}})
	if err != nil {
		fmt.Println(err)
		return
	}
	minimum := 0.5
	for _, options := range []gate.Options{{}, {Minimum: &minimum}} {
		result, err := gate.Judge(ctx, run, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Decision, "because", result.Reasons[0].Text)
	}
	// Output:
	// deploy because every check passed
	// review because coverage is not measured, and at least 50% is needed
}
