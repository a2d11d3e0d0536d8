// Package sprt holds sequential designs for pass/fail trials: tests that stop as
// soon as the evidence suffices, with error rates that are computed exactly.
//
// The question is whether a system passes often enough: H0 says that its rate is
// at least a threshold, H1 that it is lower by delta or more. A [Design] says for
// every number of trials at how many failures the test ends with Pass or with Fail;
// [Wald] and [Optimal] make designs, [Boundaries.Characteristics] computes for any
// of them the exact probabilities of all outcomes and the expected trials at any
// rate, and a [Test] takes outcomes in and gives the decision.
//
//	h := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
//	plan, err := sprt.Optimal(ctx, h, sprt.OptimalOptions{MaxTrials: 152})
//	test, err := sprt.NewTest(plan.Design)
//	for n := 0; !test.Decided(); n++ {
//		err = test.Observe(n, run(n))
//	}
//
// What is exact. The characteristics of a design, and with them its two error
// rates, are computed by counting paths; [Design.Certify] repeats it in integers. The
// estimates after stopping are exact for the same reason. What is optimal is so up
// to [Plan.Gap], which is measured against a proved bound.
//
// # Which file to open
//
//   - What is tested and what ends a test: hypotheses.go, boundaries.go, design.go, test.go, and
//     robust.go for trials that may be errors.
//   - Exact numbers: lattice.go (all characteristics), certificate.go (in integers), estimate.go (after
//     stopping), confidence.go.
//   - Simple designs: wald.go, fixed.go, extend.go; package spending for looks that are not known
//     beforehand.
//   - The search for an optimal one: optimal.go drives it; band.go holds the lattice and the backward
//     induction for given multipliers; refine.go moves single points, with their effects from
//     cost_to_go.go; weighting.go and worst.go say for which rates trials are saved.
//   - Two sides: compare.go and baseline.go, and package baseline.
package sprt
