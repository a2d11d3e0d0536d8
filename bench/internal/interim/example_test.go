package interim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tribunal-dev/tribunal/bench/internal/interim"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// A candidate is looked at after ten trials a side and after twenty. The first look may
// use little of the 5 %, and a change that is as plain as this one is found by it.
func ExamplePlan() {
	parts, err := interim.OBrienFleming(0.05, []float64{0.5, 1})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := interim.New(parts, fingerprint.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	var baseline, candidate fingerprint.Sample
	add := func(sample *fingerprint.Sample, calls int) {
		steps := make([]trial.Step, calls)
		for i := range steps {
			steps[i] = trial.Step{Action: trial.CallTool, Tool: "search"}
		}
		sample.Add(&trial.Trial{Scenario: "refund", Outcome: trial.Pass, Steps: steps})
	}
	for look := range parts {
		for n := range 10 {
			add(&baseline, 2+n%3)
			add(&candidate, 6+n%3)
		}
		c, err := plan.Look(context.Background(), &baseline, &candidate)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("look %d at level %.4f: p %.4f, changed %t\n", look+1, c.Alpha, c.P, c.Changed)
		if c.Changed {
			break
		}
	}
	// Output:
	// look 1 at level 0.0056: p 0.0001, changed true
}
