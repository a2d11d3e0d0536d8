// Package script answers requests of an agent to its model from a file, in the form in which they are asked: whole or
// in parts, with calls of tools and counts of tokens. No server is asked, and no key is needed. See docs/scripts.md.
//
//	s, err := script.Load("order.script.yaml")
//	w, err := wire.Open(script.Wire(options))
//	route := w.Route(wire.Limits{}, s.Attempt(seed))
package script
