// Package running runs suites and judges what came of it: each command that makes trials fills a [Request], which is
// plain data, and calls a function here, which knows no flags.
//
//	err := running.Run(ctx, w, running.Request{Suite: "tests/agent", MaxCost: trial.Some(2.5)})
package running
