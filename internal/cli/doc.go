// Package cli is the command line of tribunal: its commands, flags, environment
// variables, streams and exit codes.
//
// The main type is [App]. It holds the streams, the environment, the clock and
// the version, so that a test runs a command within its own process:
//
//	app := cli.App{Stdout: &stdout, Stderr: &stderr}
//	code := app.Run(ctx, []string{"verdict", "--passes", "45", "--trials", "50", "--threshold", "0.85"})
//
// Standard output carries the result and nothing else. The exit codes 0, 1 and 2
// are verdicts; see [ExitPass] and its neighbours for the others.
package cli
