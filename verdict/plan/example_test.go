package plan_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// What does it take to tell a pass rate of 0.9 from one of 0.8?
func ExampleTest() {
	p, err := plan.Test(context.Background(), plan.Options{
		Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1},
		Kind:       sprt.OptimalKind,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the classical test takes %d trials, and %d failures pass\n", p.Fixed.Trials, p.Fixed.MaxFailures)
	fmt.Printf("no valid test passes before %d straight passes\n", p.Floors.Pass)
	fmt.Println("the design may gate:", p.Design.Gates)
	// Output:
	// the classical test takes 109 trials, and 16 failures pass
	// no valid test passes before 11 straight passes
	// the design may gate: true
}
