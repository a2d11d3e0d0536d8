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
	// INCONCLUSIVE  45 of 50 trials passed (90%): too few to tell whether that is
	//               below the 85% you require
	//
	//   verdict       scenario  passes    rate  0.75   0.85          1  reason
	//   inconclusive  refund     45/50  0.9000     -----+----O-----     spans 0.85
	//
	// Inconclusive: 45 of 50 passed (90%): too few to tell whether the rate is
	// below or above the 85% you require (95% interval 78.6% to 95.7%); 297 more
	// trials would decide with a chance of 82.5%, if the observed rate is the true
	// one.
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
	// ::error title=refund%3A pass rate::20 of 50 passed (40%25): below the 85%25 you require (95%25 interval 27.6%25 to 53.8%25)
}

func ExampleFormats() {
	for _, f := range report.Formats()[:3] {
		fmt.Print(f, " ")
	}
	// Output: text json markdown
}
