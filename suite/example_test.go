package suite_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// A suite says what to run and how to judge it.
func ExampleParse() {
	s, err := suite.Parse("tribunal.yaml", []byte(`
version: 1
name: routing
agent:
  command: [./agent]
test: {threshold: 0.9}
limits: none
scenarios:
  - name: double charge
    input: {text: "I was charged twice"}
    evaluate:
      - equals: {path: department, value: billing}
      - turn-count: 10
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: threshold %g, alpha %g, at most %d at a time\n", s.Name, s.Test.Threshold, s.Test.Alpha,
		s.Concurrency)

	scenario := s.Scenarios[0]
	answered := &trial.Trial{
		Scenario: scenario.Name,
		Steps:    []trial.Step{{Action: trial.Respond}},
		Output:   trial.Raw(`{"department":"sales"}`),
	}
	j := oracle.Judge(
		context.Background(), oracle.Evidence{Trial: answered}, scenario.Evaluators(), scenario.Limits,
	)
	fmt.Println(j.Outcome, "because", j.Text)
	// Output:
	// routing: threshold 0.9, alpha 0.05, at most 4 at a time
	// fail because equals: department is "sales", not "billing"
}

// Every problem of a file is told, with its place and what to do.
func ExampleErrors() {
	_, err := suite.Parse("tribunal.yaml", []byte(`
version: 1
name: routing
agent: {command: "./agent --fast"}
test: {treshold: 0.9}
limits: none
scenarios:
  - name: double charge
    evaluate:
      - contain: billing
`))
	problems, _ := errors.AsType[suite.Errors](err)
	for _, p := range problems {
		fmt.Printf("%s\n    hint: %s\n", p.Message(), p.Hint())
	}
	// Output:
	// tribunal.yaml:4:18: agent.command must be a list, not the text "./agent --fast"
	//     hint: no shell splits it: write ["./agent", "--fast"]
	// tribunal.yaml:5:8: test has no key "treshold"
	//     hint: did you mean "threshold"?
	// tribunal.yaml:10:9: scenarios[0].evaluate[0] has no evaluator "contain"
	//     hint: did you mean "contains"?
}
