package coverage_test

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/coverage"
)

// Fifty trials took twelve different paths, six of them once and three of them twice.
// There are six more to be expected at least, and the next trial takes a path that was
// seen before nearly nine times in ten.
func ExampleChao1() {
	fmt.Printf("at least %.0f paths\n", coverage.Chao1(12, 6, 3))
	fmt.Printf("%.2f of the trials to come take one of the 12\n", coverage.Completeness(50, 6, 3))
	// Output:
	// at least 18 paths
	// 0.88 of the trials to come take one of the 12
}
