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
// A package whose name ends in cmd has commands; root.go says which command is in which. The
// others are what commands share, from the ground up:
//
//   - problem: what is wrong and what to do about it, exit codes, guesses of what was meant
//   - flagtype: the values of flags, and why one cannot be read
//   - session, outfile: interrupts, and files that are written whole or not at all
//   - base: [base.App], which every command gets, and the flags that all of them have
//   - suitefile, evidence, keeping: which suite, which trials, and the store they go into
//   - judging, deliver: how a verdict is reached, and where the result goes
//   - listen: for commands that serve
//
// Here are the commands about the program itself (man, version, completion), mcp, which runs
// all of the others, the experiments of other programs, and the tests that go over all
// commands: every flag has a row in flag_effects_test.go, every command one in
// matrix_test.go. The folders of transcripts have transcripts of commands, *.txtar.
//
// A command has a file of its own name. In it stand its flags, a struct with the methods
// register (what there is), check (what does not go together) and execute (what is done,
// mostly one call of a package below). Flags that several commands share are structs too,
// which the commands' own hold, such as evidence.Flags, judging.Flags and deliver.Flags.
//
// A command line goes this way:
//
//   - [App.Run] builds the tree of commands (root.go), and [base.App.Run] lets cobra find the one
//   - [base.App.With] fills in what was not typed, from variables and from the suite file;
//     flagtype says what a value may be
//   - the command's own file: check, read (evidence), judge, and write (deliver)
//   - the error that comes back, a verdict being one, becomes the exit code ([problem.ExitCode])
//   - what is wrong and the hint go to stderr, in the words of the flags ([problem.Complain])
//
// What needs no flag and no stream is not here but in package cmd/internal/app.
package cli
