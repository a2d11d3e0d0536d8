// Package plan says what a test will take before a trial is paid for. [Test] designs one
// sequential test and describes it beside the classical one and Wald's; a [Suite], begun by
// [NewSuite], adds up the tests of a suite; [NewForecast] projects what successes will cost
// a month. [Design] returns the design alone. [TestAgainst] and [TestInRounds] plan tests against
// a baseline, [SidesFor] and [RecordedFor] say how many trials of it to run.
//
//	p, err := plan.Test(ctx, plan.Options{
//		Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1},
//		Kind:       sprt.OptimalKind,
//	})
//	fmt.Println(p.Fixed.Trials) // 109: what the classical test takes
//
// Where to look:
//
//   - plan.go: the plan of a test, its options, and the order in which it is made;
//   - design.go: options completed and the design found; describe.go: what is said of it;
//   - curves.go: its characteristics over pass rates, for a chart;
//   - against.go: a test against a recorded baseline, and between limits of its rate;
//     rounds.go: one that runs both sides; sizes.go: how many trials to record or to compare;
//   - suite.go: the tests of a suite added up; suite_against.go: those against a baseline; joint.go: a
//     threshold and a baseline over the same trials; forecast.go: the cost of a month;
//   - rejudge.go: all three described again from what was saved.
//
// Nothing here has a verdict: a plan holds warnings where the test may disappoint.
package plan
