// Package wire stands between an agent and its models, and sees what passes: every turn, token and call of a tool, of
// any agent in any language, without a changed line. It can also stop an agent before a request that would go beyond
// its limits is made.
//
// A [Wire] listens on a loopback address. Each attempt of an agent has a [Route] of its own, whose addresses have a
// secret in their paths; [Route.Environment] has them under the variables that clients of models read. What is asked
// there goes to the provider, or to another server, and the answer comes back as it is, part by part where it comes so.
// What is read is a copy: a form that is not known passes all the same, and is counted.
//
//	w, err := wire.Open(wire.Options{})
//	route := w.Route(wire.Limits{MaxTurns: trial.Some(15)})
//	// run the agent with route.Environment()
//	seen := route.Close()
//	seen.Fill(record) // steps, tokens and turns of the trial
package wire
