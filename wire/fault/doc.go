// Package fault breaks what passes between an agent and its models, each time in the provider's own shape: requests
// that are turned away, answers that are late, cut, empty or wrong, and results of tools that are not what they were.
// What the agent's client makes of it is noted too: that it asked again sooner than it was told to, or used a call of
// an answer that was cut off.
//
//	faults := fault.New([]fault.Fault{{Kind: fault.RateLimit, Times: 1}}, seed)
//	route := w.Route(wire.Limits{}, faults)
//	// run the agent
//	seen := route.Close()
//	seen.Events   // what was broken, and what the client did after it
//	faults.Unfired() // what had no occasion
package fault
