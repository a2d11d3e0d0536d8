// Package relations says whether an agent violates the metamorphic relations that its suite claims. [Judge] takes a run
// whose trials are pairs of executions, [JudgeRecorded] pairs that were recorded before, and both return what became of
// every relation in every scenario.
//
//	result, err := relations.Judge(ctx, relations.Evidence{Claims: claims, Pairs: pairs, Run: run, Options: o})
//
// # The noise floor
//
// An agent that varies violates any relation now and then. Beside each pair of source and follow-up runs a control, a
// pair of equal inputs, and a relation is violated where follow-ups violate it more often than controls do: by an
// excess, with an exact test of both rates.
//
//	P(an agent that the transformation changes nothing for is called a violator) <= alpha
//
// at whatever rate it agrees with itself. A round is a pair of each kind, and each has seeds of its own, so that both
// rates are independent; if they are equal, as many rounds break as are fixed, and at most half are discordant. So the
// test is that of matched pairs over discordant shares up to (1+delta²)/2, whose errors are proved (package
// sprt/baseline). Without controls, as of a pipeline, the share of violations itself is tested.
//
// # Against a baseline
//
// Proposition 6.1 of AgentAssay: a relation that held for one version and is violated more often by the next is a sign
// of a regression. Then the earlier version's follow-ups take the place of the controls.
//
// Where to look: result.go has the types and the codes, judge.go the verdicts, rates.go the rates and their limits,
// recorded.go pairs without a run, rejudge.go a saved result judged again.
package relations
