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
// # Where to look
//
// A package whose name ends in cmd has commands; root.go says which command is in which. The others are what commands
// share:
//
//   - base: how a command line becomes a command, and the flags that all of them have
//   - option: the table of options, and how they fill a request
//   - bind: options that several commands have: how trials are read, how a verdict is reached, where the result goes
//
// Here are the commands about the program itself (man, version, completion), mcp, which runs
// all of the others, the experiments of other programs, and the tests that go over all
// commands: every flag has a row in flag_effects_test.go, every command one in
// matrix_test.go. The folders of transcripts have transcripts of commands, *.txtar.
//
// A command has a file of its own name. It fills a request, which is plain data, from its options, refuses what does
// not go together of them, and calls a function below cmd/internal/app that answers the request and knows no flags.
// limits.go of package plancmd is a short one.
//
// A command line goes this way:
//
//   - [App.Run] builds the tree of commands (root.go), and [base.Run] lets cobra find the one
//   - [base.With] fills in what was not typed, from variables and from the suite file; package value says what a value
//     may be
//   - the command's own file: check, ask, and write (deliver)
//   - the error that comes back, a verdict being one, becomes the exit code ([problem.ExitCode])
//   - what is wrong and the hint go to stderr, in the words of the options ([problem.Complain])
package cli
