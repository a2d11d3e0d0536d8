package sprt_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

func ExampleOptimal() {
	h := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
	plan, err := sprt.Optimal(context.Background(), h, sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []float64{1, 0.9, 0.8} {
		c, err := plan.Design.Boundaries.Characteristics(p)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("at %.1f: %.0f trials expected\n", p, c.ExpectedTrials)
	}
	fmt.Println("both errors hold:", plan.Errors.Within(h))
	// Output:
	// at 1.0: 15 trials expected
	// at 0.9: 58 trials expected
	// at 0.8: 56 trials expected
	// both errors hold: true
}

func ExampleTest() {
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}, 200)
	if err != nil {
		log.Fatal(err)
	}
	test, err := sprt.NewTest(design)
	if err != nil {
		log.Fatal(err)
	}
	for n := 0; !test.Decided(); n++ {
		if err := test.Observe(n, true); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(test.Outcome(), "after", test.Trials(), "trials")
	// Output: pass after 20 trials
}

func ExampleFromBaseline() {
	_, err := sprt.FromBaseline(stats.Counts{Passes: 45, Trials: 50}, 0.1, 0.05, 0.1, sprt.DefaultGamma)
	fmt.Println(err)
	// Output: the baseline's rate is only known to lie in [0.7819, 0.9667], which is wider than delta 0.1; it takes 159 baseline trials at the observed rate, comfortably 592
}
