// Package relation says what must hold between two executions of an agent: the metamorphic relations of AgentAssay,
// Section 6.1. Where nobody can say which answer is right, it can often be said what the answer must not depend on.
//
// A [Relation] makes a follow-up input φ(x) of a source input x, and says of both executions whether it holds:
//
//	r := relation.Relation{Kind: relation.DocumentOrder, Transform: relation.Shuffle(documents), Holds: relation.Equal()}
//	followUp, err := r.FollowUp(ctx, input, nil, seed)
//	source, changed := relation.Execution{Input: input, Trial: a}, relation.Execution{Input: followUp, Trial: b}
//	finding, err := r.Holds.Check(ctx, source, changed)
//
// Transformations are functions of the input and a seed, and change nothing of an input but what they are about: the
// bytes of the rest stay. [Paraphrase] alone starts a program.
//
// An agent that varies disagrees with itself. Whether it violates a relation more often than that is for package
// verdict/relations to say, which compares with pairs of the same input.
//
// Where to look: kind.go has the table of relations under their names in the paper, relation.go what they are made of;
// place.go, shuffle.go, noise.go, set.go and paraphrase.go make follow-up inputs; holds.go, facts.go, amount.go,
// conform.go and distance.go are what may hold.
package relation
