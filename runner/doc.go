// Package runner runs an agent trial by trial until the evidence suffices.
//
// The main function is [Run]: it launches trials of an [Agent] in parallel, judges
// them in the order in which they were launched, never in the order in which they
// end, and stops each test as soon as its sequential design decides. What it did is
// in a journal, so that a run that was killed goes on where it was.
//
//	result, err := runner.Run(ctx, runner.Options{
//		Agent:     &runner.CommandAgent{Command: process.Command{Argv: []string{"./agent"}}},
//		Tests:     []runner.Test{{Name: "routing", Design: plan.Design, Scenarios: []string{"routing"}}},
//		Scenarios: []runner.Scenario{{Name: "routing"}},
//		Journal:   "routing.journal",
//	})
//
// [CommandAgent] is an agent that is a program. Package journal reads and writes the file.
package runner
