// Package gate decides over a run, or over what else was judged, whether to deploy. [Judge]
// asks of it what [Options] say - the verdicts, floors, a baseline, coverage, behaviour - and
// its [Result] holds every rule with what came of it: Block if one is broken, Review if one is
// open, and Deploy otherwise. What is missing never deploys.
//
//	minimum := 0.5
//	result, err := gate.Judge(ctx, run, gate.Options{Minimum: &minimum})
//	fmt.Println(result.Decision) // review, where coverage was not measured
//
// Where to look:
//
//   - gate.go: the decision, the options, the result, and the order of the rules;
//   - subject.go: what the rules look at, of results of every kind; levels.go: the levels that
//     such a result was judged by;
//   - rules.go: every rule but that of the baseline;
//   - regression.go: that rule, by the test of the run against its baseline, or by where two
//     tests ended; baseline.go: what is kept of the baseline's run for it;
//   - rejudge.go: a saved gate decided again.
//
// Each rule appends to Result.Rules what it found: it holds, is broken, is open, or is
// merely noted. At the end decide weighs them. P-values of several scenarios are corrected
// on the side that blocks, and never on the side that lets pass. Where the rules have changed,
// a saved gate is decided again by those of its day: see [Edition].
package gate
