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
//
// Every command has a file of its own name: verdict.go, compare.go, plan.go, run.go,
// gate.go and so on. In it stand its flags, a struct with the methods register (what there
// is), check (what does not go together) and execute (what is done, mostly one call of a
// package below). Flags that several commands share are structs too, which the commands' own
// hold: evidence.go (how files are read), judging.go (how a verdict is reached), design.go
// (a sequential test), result.go (where the result goes).
//
// A command line goes this way:
//
//   - app.go: [App.Run] builds the tree of commands (root.go) and lets cobra find the one
//   - root.go: with fills in what was not typed, from variables (environment.go) and from the
//     suite file (suite_defaults.go); values.go says what a value may be
//   - the command's own file: check, read (reading.go), judge, and write (output.go)
//   - exit.go: the error that comes back, a verdict being one, becomes the exit code
//   - message.go: what is wrong and the hint, on stderr, in the words of the flags
//     (option_names.go)
//
// The rest is what a person sees: help.go, suggest.go ("did you mean"), terminal.go, and
// progress on stderr (progress.go, designing.go, run_progress.go). What needs no flag and
// no stream is not here but in package internal/app.
package cli
