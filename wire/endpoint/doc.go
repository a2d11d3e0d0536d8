// Package endpoint asks an agent that listens at an address: one HTTP request a trial, whose answer is JSON, a text or
// a stream of events.
//
// The main type is [Caller]:
//
//	caller := endpoint.New(endpoint.Call{URL: "https://agent.test/run", Method: "POST"})
//	answer, err := caller.Do(ctx, endpoint.Values{Input: input, Seed: 1})
//
// What comes of an address may be anything: bodies are bounded, also when they are unpacked, redirects to another host
// are refused, and messages hold neither headers nor the query of the address.
//
// call.go asks; template.go puts the values of a trial into addresses, headers and bodies; async.go asks again until a
// job is done; error.go says whose doing it is that there is no answer. Streams are read by internal/sse.
package endpoint
