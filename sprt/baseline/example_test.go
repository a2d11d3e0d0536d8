package baseline_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
)

// A baseline of 40 trials, of which 38 passed: how many trials does a candidate need?
func ExampleStored() {
	sample, err := baseline.Fixed(40)
	if err != nil {
		fmt.Println(err)
		return
	}
	h := baseline.Hypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.8, High: 1}}
	plan, err := baseline.Stored(context.Background(), h, sample, baseline.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	unchanged, dropped := plan.Family.At(0.95, 0.95), plan.Family.At(0.95, 0.65)
	fmt.Println("kept:", plan.Errors.Within(h))
	fmt.Printf("trials if nothing changed: about %.0f\n", unchanged.ExpectedTrials)
	fmt.Printf("after a drop of .3: about %.0f\n", dropped.ExpectedTrials)
	// Output:
	// kept: true
	// trials if nothing changed: about 9
	// after a drop of .3: about 8
}
