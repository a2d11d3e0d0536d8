// Package guard keeps an agent on the wire from what the guardrails of contracts forbid, before it is done: a model's
// call of a tool before the agent gets it, and a call before it reaches a server of tools.
//
// What is denied is taken out of a model's answer, and a text in its place says why, in the provider's own form. A
// stream is held back from its first call of a tool on; what comes before passes as it comes.
//
//	guard.go    the act
//	whole.go    answers that come whole
//	stream.go   answers that come in parts
package guard
