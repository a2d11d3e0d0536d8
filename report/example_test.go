package report_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Forty-five of fifty trials passed, and 0.85 is asked for: too few to say.
func ExampleWrite() {
	result, err := verdict.JudgeThreshold(context.Background(),
		[]verdict.Tally{{Scenario: "refund", Passes: 45, Fails: 5}},
		verdict.ThresholdOptions{Threshold: 0.85})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.Write(os.Stdout, result, report.TextFormat, report.Options{Width: 76, ASCII: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// INCONCLUSIVE  45 of 50 trials passed: the threshold 0.85 may or may not be
	//               met
	//
	//   verdict       scenario  passes    rate  0.75   0.85          1  reason
	//   inconclusive  refund     45/50  0.9000     -----+----O-----     spans 0.85
	//
	//   interval      [0.7864, 0.9565], 95% wilson
	//   risk          false Pass at most 1.42%, false Fail at most 3.01% (exact)
	//   k             1       2       3       4       5       6       10
	//   pass^k        0.9000  0.8082  0.7240  0.6470  0.5766  0.5126  0.3106
	//   pass@k        0.9000  0.9918  0.9995  1.0000  1.0000  1.0000  1.0000
	//
	// Inconclusive: 45 of 50 trials passed, and the 95% interval [0.7864, 0.9565]
	// holds the threshold 0.85; 297 more trials would decide with a chance of
	// 82.5%, if the observed rate is the true one.
}

// The same result as commands for the log of a workflow of GitHub Actions.
func ExampleWrite_annotations() {
	result, err := verdict.JudgeThreshold(context.Background(),
		[]verdict.Tally{{Scenario: "refund", Passes: 20, Fails: 30}},
		verdict.ThresholdOptions{Threshold: 0.85})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.Write(os.Stdout, result, report.AnnotationsFormat, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ::error title=refund%3A pass rate::the 95%25 interval [0.2761, 0.5382] lies below the threshold 0.85
}

func ExampleFormats() {
	for _, f := range report.Formats()[:3] {
		fmt.Print(f, " ")
	}
	// Output: text json markdown
}
