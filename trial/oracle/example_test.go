package oracle_test

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// must returns a value that cannot be missing: options written in code are right.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A trial passes if all evaluators pass and no limit is broken. Here the agent answered
// right, and took more turns than it may.
func ExampleJudge() {
	t := &trial.Trial{
		Scenario: "refund",
		Steps: []trial.Step{
			{Action: trial.Reason},
			{Action: trial.CallTool, Tool: "lookup_order"},
			{Action: trial.Respond},
		},
		Output:  trial.Raw(`{"department":"billing","confidence":0.93}`),
		CostUSD: trial.Some(0.012),
	}
	evaluators := []oracle.Evaluator{
		must(oracle.Equals(must(oracle.ParsePath("department")), trial.RawString("billing"))),
		must(oracle.Range(must(oracle.ParsePath("confidence")), trial.Some(0.9), trial.Optional[float64]{})),
		must(oracle.MustCall([]string{"lookup_order"}, 1, oracle.ToolOptions{})),
	}
	limits := oracle.Limits{MaxTurns: trial.Some(1), MaxCostUSD: trial.Some(0.05)}

	j := oracle.Judge(context.Background(), oracle.Evidence{Trial: t}, evaluators, limits)
	for _, r := range j.Results {
		fmt.Printf("%s %s: %s\n", r.Outcome, r.Evaluator, r.Text)
	}
	fmt.Println(j.Outcome, "because", j.Text)
	// Output:
	// pass equals: department equals "billing"
	// pass range: confidence is 0.93, within the range
	// pass must-call: called: lookup_order
	// fail because max_turns: 2, above the limit of 1
}

// What is not recorded cannot be judged: it is no pass, and no 0.
func ExampleBudget() {
	tokens := must(oracle.Budget(oracle.TokenBudget, 5000))
	for _, t := range []*trial.Trial{
		{InputTokens: trial.Some[int64](3000), OutputTokens: trial.Some[int64](400)},
		{InputTokens: trial.Some[int64](7000), OutputTokens: trial.Some[int64](500)},
		{},
	} {
		r := tokens.Evaluate(context.Background(), oracle.Evidence{Trial: t})
		fmt.Println(r.Outcome, r.Score.Value, r.Text)
	}
	// Output:
	// pass 1 3400 tokens (within budget of 5000)
	// fail 0.5 7500 tokens exceeds max of 5000
	// error 0 the number of tokens is unknown: the trial has no token counts
}

// Evaluators combine by Kleene's logic: an error decides nothing that the others leave
// open, and does not undo what they decide.
func ExampleAny() {
	cheap := must(oracle.Budget(oracle.TokenBudget, 5000)) // no tokens are recorded below
	right := must(oracle.Contains(oracle.Path{}, "billing", oracle.TextOptions{}))
	either := must(oracle.Any(cheap, right))
	for _, answer := range []string{"billing", "sales"} {
		t := &trial.Trial{Output: trial.RawString(answer)}
		fmt.Println(answer, either.Evaluate(context.Background(), oracle.Evidence{Trial: t}).Outcome)
	}
	// Output:
	// billing pass
	// sales error
}
