// Package runs judges what a run of a suite gathered. [Judge] takes [Evidence] - the tests
// with their designs, and the trials in launch order - and returns a [Result]: the verdict
// of every test and of all together, the estimates after the stop, what was spent, and the
// trials as far as there is room. A trial without an outcome is judged both ways.
//
//	test := runs.TestEvidence{Name: "refund", Scenarios: []string{"refund"}, Design: design}
//	for i, t := range trials {
//		test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: "refund", Number: i, Trial: t})
//	}
//	result, err := runs.Judge(ctx, runs.Evidence{Suite: "shop", Tests: []runs.TestEvidence{test}})
//
// Where to look:
//
//   - run.go: the types of the result and of the evidence, and the codes;
//   - against.go, decider.go: what a test is against, and how its trials decide it; task.go: what was asked;
//   - recorded.go: what a saved run gives as a baseline; stopped.go: how its trials were stopped;
//   - judge.go: one test judged; regression.go: its part against a baseline; decide.go: the verdict of all;
//   - families.go: the saved form of what tests are against;
//   - trials.go: which trials a result lists, and what of them;
//   - measures.go: the numbers of all trials, where the list has no room for them;
//   - spread.go: distributions of cost, tokens and time, and the curves of the designs;
//   - calibration.go: how many trials were to be recorded, and were;
//   - rejudge.go: the evidence rebuilt from a saved result;
//   - replay.go: one saved test run again, for a gate.
//
// The string of outcomes of each test is what everything else hangs on: a verdict follows
// from it, the design and the family alone.
package runs
