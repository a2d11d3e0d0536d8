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
// Where the guarded rates are not given, [Against] plans the same for what the baseline came to, with
// ranges that are fixed beforehand: see [Chain]. [Needed] says how many trials of a baseline to record.
//
// [SideBySide] plans a test that runs both sides in rounds, and [Matched] one of matched
// pairs, where a round tries both on the same recorded environment or seed.
//
// # The search in short
//
// An error at one rate is one constraint: P(Fail | p, p) <= alpha at each guarded p, and P(Pass | p,
// p-delta) <= beta. With a multiplier for each of them (a price, in trials: what a unit of that error
// costs), the sum
//
//	expected trials + Σ price · (error - target)
//
// is the Lagrangian. For fixed prices it falls apart into one problem for every outcome of the baseline (a
// column), or one for both sides together where they run in rounds (a plane), and each of these is solved
// exactly by backward induction over the lattice of trials and failures (Arrow, Blackwell and Girshick
// 1949). Its least value is never above the expected trials of any test that keeps the targets: that is the
// bound that a plan reports. Prices rise where an error is above its target and fall elsewhere, until the
// bound hardly rises.
//
// The tests that this yields miss the targets by a little, for a test has whole numbers as boundaries. A
// column keeps what each round of prices gave it, and one of these is chosen for each column so that all
// errors are within the targets and few trials are expected. All this happens on a grid of rates. At the
// end the largest errors over the whole guarded range, between the rates of the grid too, are bounded with
// proof; a plan whose proved errors are above the targets is searched again with a larger margin.
//
// # Which file to open
//
//   - What is tested: hypotheses.go, sample.go (how a baseline was sampled), stored.go, sidebyside.go, matched.go.
//   - The search against a stored baseline: search.go (grid and columns), column.go (induction), prices.go
//     (multipliers), choose.go (one of its boundaries for each column), size.go (fixed samples), reference.go.
//   - The search for a test in rounds: rounds.go (what it yields, and how it is planned), plane.go (induction, prices),
//     densities.go (likelihoods).
//   - Proof: maximum.go (the largest value of a polynomial), event.go (an event as such a polynomial), paths.go.
//   - One question for every outcome: question.go, chain.go (guarded ranges that are fixed beforehand), needed.go.
//   - On trials, some of which have no outcome: in_rounds.go. Saved: record.go, rounds_record.go, codec.go.
//   - After a test: pvalue.go and evidence.go, difference.go, rounds_difference.go.
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
