package verdict_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
)

// 45 of 50 trials passed. Is the pass rate at least 0.85? Nobody knows yet.
func ExampleJudgeThreshold() {
	tallies := []verdict.Tally{{Scenario: "refund", Passes: 45, Fails: 5}}
	result, err := verdict.JudgeThreshold(context.Background(), tallies, verdict.ThresholdOptions{Threshold: 0.85})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict, "exit code", result.ExitCode)
	fmt.Println(result.Reasons[0].Text)
	// Output:
	// inconclusive exit code 2
	// 45 of 50 passed (90%): too few to tell whether the rate is below or above the 85% you require (95% interval 78.6% to 95.7%)
}
