package runner_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A suite is run as the command tribunal run does it: Prepare designs its tests and
// finds its agent, Run launches trials until each test decides, and what was found is
// judged.
func Example() {
	s, err := suite.Parse("tribunal.yaml", []byte(`
version: 1
name: triage
limits: none
agent: {command: [sh, -c, 'echo route it to billing']}
test: {threshold: 0.9, delta: 0.3}
scenarios:
  - name: invoice
    trials: 5
    input: {text: "I was charged twice"}
    evaluate: [contains: billing]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	options, err := runner.Prepare(ctx, s, s.Scenarios, runner.PrepareOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := runner.Run(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := runs.Judge(context.Background(), found.Evidence(s.Name, s.Digest(), "v1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict)
	for _, test := range result.Tests {
		fmt.Printf("%s: %d of %d passed\n", test.Name, test.Passes, test.Trials)
	}
	// Output:
	// pass
	// invoice: 5 of 5 passed
}
