package hotelling_test

import (
	"fmt"
	"log"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
)

// Four trials of each of two agents: steps and seconds. The candidate takes about two
// steps more.
func ExampleTest() {
	baseline := [][]float64{{4, 1.2}, {5, 1.1}, {4, 0.9}, {6, 1.3}}
	candidate := [][]float64{{7, 1.0}, {6, 1.2}, {7, 1.1}, {8, 1.4}}
	r, err := hotelling.Test(baseline, candidate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("T² %.2f, F(%d, %d) %.2f, p %.3f\n", r.TSquared, r.D1, r.D2, r.F, r.P)
	// Output:
	// T² 16.84, F(2, 5) 7.02, p 0.035
}

// How many trials a side find a shift of one standard deviation of five columns nine
// times in ten.
func ExampleTrials() {
	n, err := hotelling.Trials(5, 1, 0.05, 0.1, 1000)
	if err != nil {
		log.Fatal(err)
	}
	power, err := hotelling.Power(5, n, n, 1, 0.05)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trials a side: power %.3f\n", n, power)
	// Output:
	// 36 trials a side: power 0.902
}
