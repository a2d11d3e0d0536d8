// Package behaviour says whether a candidate works differently from a baseline, whatever
// its answers are worth. [Compare] tests two samples of fingerprints at a false-alarm rate
// of at most alpha; its [Comparison] stands beside that of pass rates, is a rule of a gate,
// or becomes a verdict of its own by [Judge].
//
//	var before, after fingerprint.Sample // before.Add(trial), after.Add(trial), ...
//	changes, err := behaviour.Compare(ctx, &before, &after, behaviour.Options{Seed: 1})
//	result := behaviour.Judge("baseline", "candidate", changes)
//
// Package fingerprint has the test itself. This package chooses how many permutations it
// may take, and puts what it found into the form that results hold (behaviour.go); it also
// judges a saved result again (rejudge.go).
package behaviour
