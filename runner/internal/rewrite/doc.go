// Package rewrite changes what an agent is made of in the requests that it makes: system and developer messages, the
// tools that it offers, the model, and documents. So any agent can be mutated, without a file and without an adapter:
//
//	act := rewrite.New(mutant, models)
//	route := w.Route(wire.Limits{}, act)
//	...
//	if act.Applied() == 0 { // the mutant is inert: what it changes never reached the model
//
// [Learn] finds out what there is to change, in the first request of an attempt of the agent as it is. What tools
// answer is changed by package fault.
package rewrite
