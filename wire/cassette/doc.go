// Package cassette records what passes on a wire, and replays it in place of the servers.
//
// A cassette is a file of zstd frames, one after the other. Each frame is one line of JSON and is written at once: what
// was written before a program was killed is read, whatever came after it. See docs/wire.md for the lines.
//
//	c, err := cassette.Open("shop.cassette", cassette.Options{Replay: cassette.Strict})
//	route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "order"}))
package cassette
