package stratified_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

func Example() {
	design, err := stratified.New(context.Background(), stratified.Question{Scenarios: 20})
	if err != nil {
		log.Fatal(err)
	}
	// Scenario 4 always fails, all others pass.
	evidence := stratified.Evidence{Candidate: make([]string, 20)}
	for trials := 0; ; trials++ {
		decision, err := design.Judge(evidence)
		if err != nil {
			log.Fatal(err)
		}
		if decision.Outcome != sprt.Undecided {
			fmt.Println(decision.Outcome, "after", trials, "trials; the mean:", decision.Mean)
			fmt.Println("collapsed:", decision.Collapsed())
			break
		}
		next := decision.Next[0]
		if next == 4 {
			evidence.Candidate[next] += "F"
		} else {
			evidence.Candidate[next] += "P"
		}
	}
	// Output:
	// fail after 44 trials; the mean: pass
	// collapsed: [4]
}
