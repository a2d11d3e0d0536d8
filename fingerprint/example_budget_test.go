package fingerprint_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// How many trials a side it takes to see that output tokens rose by half a standard
// deviation, from trials that were recorded already.
func ExamplePlanBudget() {
	file, err := os.Open("../examples/support-agent/baseline.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	calibration, err := fingerprint.Collect(trial.Read(file, trial.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	o := fingerprint.BudgetOptions{
		Options:     fingerprint.Options{Permutations: 199, Seed: 1},
		Shift:       map[string]float64{"output_tokens": 0.5},
		Simulations: 200,
	}
	b, err := fingerprint.PlanBudget(context.Background(), calibration, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d trials a side find it with %.2f ± %.2f\n", b.Trials, b.Power, b.PowerErr)
	o.MaxTrials = b.Equation39
	few, err := fingerprint.PlanBudget(context.Background(), calibration, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Equation 39 says %d, which find it with %.2f ± %.2f\n", b.Equation39, few.Power, few.PowerErr)
	// Output:
	// 50 trials a side find it with 0.92 ± 0.02
	// Equation 39 says 9, which find it with 0.15 ± 0.03
}
