package compare_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// The baseline passed 48 of 50 trials, the candidate 30 of 50.
func ExampleJudge() {
	var sides [2]*recording.Recording
	for i, passes := range []int{48, 30} {
		var err error
		name := []string{"baseline", "candidate"}[i]
		if sides[i], err = recording.OfCounts(name, stats.Counts{Passes: passes, Trials: 50}); err != nil {
			fmt.Println(err)
			return
		}
	}
	result, err := compare.Judge(context.Background(), sides[0], sides[1], compare.Options{Delta: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict, result.Reasons[0].Code)
	fmt.Printf("the pass rate changed by %.2f, decided by %s\n", *result.Difference.Value, result.DecidedBy)
	// Output:
	// fail worse
	// the pass rate changed by -0.36, decided by boschloo
}
