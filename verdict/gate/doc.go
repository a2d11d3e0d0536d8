// Package gate decides over a run whether to deploy it. [Judge] asks of a run what
// [Options] say - the verdicts, floors, a baseline, coverage, behaviour - and its [Result]
// holds every rule with what came of it: Block if one is broken, Deploy if all hold, and
// Manual otherwise. What is missing never deploys.
//
//	minimum := 0.5
//	result, err := gate.Judge(ctx, run, gate.Options{Minimum: &minimum})
//	fmt.Println(result.Decision) // manual, where coverage was not measured
//
// Where to look:
//
//   - gate.go: the decision, the options, the result, and the order of the rules;
//   - rules.go: every rule but the comparison with a baseline;
//   - regression.go: that comparison, test by test; baseline.go: what is kept of the
//     baseline's run for it;
//   - rejudge.go: a saved gate decided again.
//
// Each rule appends to Result.Rules what it found: it holds, is broken, is open, or is
// merely noted. At the end decide weighs them. P-values of several scenarios are corrected
// on the side that blocks, and never on the side that lets pass.
package gate
