// Package mutants says how good a suite is: whether it notices when the agent that it tests is changed.
// [Judge] takes what the unchanged agent and its mutants came to, and returns the mutation score with what
// follows from it: which mutants are killed and by which test, which survive, and which tests kill nothing.
//
//	result, err := mutants.Judge(ctx, mutants.Campaign{Original: original, Run: run, Mutants: list, Options: o})
//
// # When a mutant is killed
//
// A mutant runs beside trials of the original that were recorded before. Each of its tests asks whether it
// passes less often than the original, sequentially and with exact errors over the sampling of both sides
// (package sprt/baseline). It is killed where one of them fails:
//
//	P(a mutant that changes nothing is killed) <= alpha
//
// at whatever rate the original passes in the guarded range, however many tests there are and however long
// they run. "By verdict" says that the suite's own test fails as well, or is on its way to, "by rate" that only the
// comparison shows it. The suite's own test alone kills nothing: where the original passes near its threshold, that
// test fails agents that are the original.
//
// The alpha of a mutant is spent over the tests in their order: one half of it on the first, an eighth each on the
// next two, a thirty-second each on the next four, and so on: see [Share]. So a test that is added to a suite
// changes no part of those before, and never un-kills: with Bonferroni's equal parts, or Holm's, it would.
//
// # The score
//
// Equation 22 of AgentAssay: killed over not equivalent. A mutant whose tests all pass - so that a drop by delta is
// excluded, at beta for each test - and of which a rise by delta is excluded too, is equivalent, presumed, unless its
// behaviour is shown to differ: then it survived, and is what the suite lacks. A mutant that is not decided counts
// either way in the limits of the score.
//
// Where to look: result.go has the types and the codes, judge.go what becomes of each mutant, score.go the scores
// and the formulas of the paper, share.go the spending, rejudge.go a saved result judged again.
package mutants
