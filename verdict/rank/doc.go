// Package rank compares results of the same suite on each of its axes: which is better, which rank each may have, and
// whether one is an improvement.
//
//	r, err := rank.Judge(ctx, []rank.Source{{"a.json", a}, {"b.json", b}}, rank.Options{})
//
// Begin with [Judge]. result.go has what is found, ranks.go the intervals of ranks, pareto.go which results no other
// beats in everything, improve.go the verdict on an improvement, and rejudge.go judges a saved result again.
package rank
