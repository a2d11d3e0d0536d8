package fingerprint_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// Vectors need not come from traces: here are two measures of one's own, of which the
// second is one unit higher on the candidate's side.
func ExampleCompareVectors() {
	columns := []fingerprint.Column{
		{Name: "words"},
		{Name: "seconds_to_first_token", Transform: fingerprint.Log1p},
	}
	draw := func(shift float64) (vectors []fingerprint.Vector) {
		for i := range 12 {
			words := float64(80 + 7*i%31)
			seconds := 0.45 + 0.1*float64(5*i%12) + shift
			vectors = append(vectors, fingerprint.Vector{
				Scenario: "greeting",
				Values:   []trial.Optional[float64]{trial.Some(words), trial.Some(seconds)},
			})
		}
		return vectors
	}
	c, err := fingerprint.CompareVectors(context.Background(), columns, draw(0), draw(1), fingerprint.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("changed %t, p %.4f, %d permutations\n", c.Changed, c.P, c.Permutations)
	for _, change := range c.ChangedColumns() {
		fmt.Println(change)
	}
	// Output:
	// changed true, p 0.0001, 10000 permutations
	// seconds to first token 1 -> 2
}
