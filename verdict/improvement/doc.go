// Package improvement says what came of a loop that improves something attempt by attempt: which attempt is the
// current version, what was reverted, and what it cost.
//
//	evidence := improvement.Evidence{Name: "invoice", Asked: asked, Attempts: attempts, Stop: stop}
//	result, err := improvement.Judge(ctx, evidence)
//
// An attempt is tried in one of two ways. By count, where tests are deterministic: it takes the champion's place where
// more tests pass, or as many and fewer end in an error, or as many and fewer fail. A test that comes to another end on
// the same files is flaky, and no longer counted from then on, for the champion neither. By pairs, where what is tried
// varies: by the sequential test of package keep, at the level that the session has for it.
//
// Everything is computed from what each attempt recorded: a letter for each test, or for each pair.
//
// Where to look: result.go has the types and the codes, count.go attempts by count, judge.go the champion and the
// verdict, spent.go the money, rejudge.go a saved result judged again.
package improvement
