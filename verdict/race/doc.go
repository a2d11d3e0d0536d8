// Package race says which of several variants of an agent is best, and whether it may take the place of the incumbent.
// [Judge] takes the run in which they raced (package sprt/race) and the run that confirms the winner.
//
//	result, err := race.Judge(ctx, race.Evidence{Arms: arms, Run: run, Confirmation: confirmation, Options: o})
//
// # What a verdict says
//
// Pass: a variant won the race, and on new trials it is not worse than the current version by delta. Fail: the current
// version stays, for it won the race, or the winner is worse than it on new trials. Inconclusive: several are left, or
// the confirmation is open.
//
//	P(the chosen one is worse than the best by delta or more)          <= alpha
//	P(Pass, although the winner is worse than the current version by delta)  <= beta
//
// The first holds under the conditions of package sprt/race, with delta as an odds ratio at the rate that was
// given. The second is that of a test side by side (package sprt/baseline), and needs none of them.
//
// The rate at which a winner passed in the race is too high: it was chosen for it. What is published is that of the
// new trials, with limits that hold whenever they ended.
//
// Where to look: result.go has the types and the codes, judge.go the verdict, arms.go what became of each arm,
// rejudge.go a saved result judged again.
package race
