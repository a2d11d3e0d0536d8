// Package baseline holds sequential designs that decide whether a candidate passes
// less often than a baseline. Their error rates are exact, over the sampling of both
// sides: a baseline is a sample, not a known rate.
//
// The question is whether the rate dropped. H0 says that the candidate's rate p_c is
// the baseline's p_b or more, H1 that it is lower by delta or more. For every rate p of
// the guarded range
//
//	P(Fail | p_b = p, p_c = p) <= alpha  and  P(Pass | p_b = p, p_c = p - delta) <= beta.
//
// [Stored] plans a test against trials of the baseline that were recorded before: a
// [Family] of boundaries, one pair for each outcome that the baseline might have had.
// The family is the one with the fewest expected trials, up to a gap that is measured
// against a proved bound; the largest error over the guarded range is proved as well.
//
//	sample, err := baseline.Fixed(300)
//	plan, err := baseline.Stored(ctx, h, sample, baseline.Options{})
//	boundaries, ok := plan.Family.Boundaries(baseline.Outcome{Trials: 300, Failures: 15})
//	characteristics, err := boundaries.Characteristics(0.95)
//
// [SideBySide] plans a test that runs both sides in rounds, and [Matched] one of matched
// pairs, where a round tries both on the same recorded environment or seed.
//
// # Why a family
//
// A test against a threshold below the baseline stops before a drop can be seen, and
// one between two limits of the baseline's rate pays for the same uncertainty twice.
// Here the errors are averaged over what the baseline may have come to. Boundaries of
// outcomes that did not happen are never used to stop a test; they are there because
// the promise is about what might have happened. The least favourable rates are found
// by Lagrangian duality (compare Kiefer and Weiss 1957, and Berger and Boos 1994 for
// maximising over a confidence set of the nuisance parameter).
package baseline
