// Package compare judges a candidate against a baseline. [Judge] takes a recording of each
// side and [Options], and returns a [Result]: the verdict by the margin rule, AgentAssay's
// or the Bayesian one, every test that applies, the sizes of the difference, what more
// trials would do, and what became of cost, tokens and time. Trials are paired by scenario
// and input where both sides have them.
//
//	baseline, err := recording.OfCounts("baseline", stats.Counts{Passes: 48, Trials: 50})
//	candidate, err := recording.OfCounts("candidate", stats.Counts{Passes: 30, Trials: 50})
//	result, err := compare.Judge(ctx, baseline, candidate, compare.Options{Delta: 0.1})
//	fmt.Println(result.Verdict, result.Reasons[0].Code) // fail worse
//
// # How a comparison is made
//
// A comparer (compare.go) holds both recordings, pairs their trials (pairing.go) and fills
// in the result step by step. Where to look:
//
//   - compare.go: the order of the steps, the deciding test, the effect, the warnings;
//   - kinds.go: which trials of both sides are alike, in a few bytes for each; many.go: what is computed in
//     another way of many trials;
//   - rules.go: the three rules, and the exact power;
//   - scenarios.go: scenario by scenario, with corrected p-values;
//   - groups.go: what of it sums in place of values tell ([recording.OfGroups]);
//   - metrics.go: cost, tokens, turns, tool calls and time;
//   - more.go: how many trials would decide;
//   - tests.go: the tests and their form in JSON; result.go: all other parts of it;
//   - behaviour.go: how a change of behaviour takes part in the verdict;
//   - ends.go: runs that a sequential test ended ([JudgeEnds]), compared by where it might
//     have; ends_rejudge.go judges them again;
//   - aggregates.go: what a result holds of trials that are too many for it;
//   - rejudge.go and rejudge_counts.go: a saved result judged again, from its trials, from
//     its aggregates, or from the counts of its scenarios; follow.go: compared with the
//     trials that it was made of, read again.
//
// Errors are scored in up to three ways (scorings in pairing.go), and a verdict must hold
// under each of them.
package compare
