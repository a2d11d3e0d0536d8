// Command tribunal gives statistical verdicts on systems that do not answer the
// same way twice. Run it with --help.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/internal/cli"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/process"
)

// main does nothing else: os.Exit runs no deferred function, so what has to be cleaned up
// is in run.
//
// Before that it may become the program of an agent: see package confine.
func main() {
	confine.Main()
	os.Exit(run())
}

// run returns the exit code. A panic of this goroutine is recovered to 70 within
// App.Run; one of another goroutine, which would exit with 2, the code of a
// verdict, ends the process with SIGABRT instead.
func run() int {
	// The exit codes are an interface: a pipeline reads 2 as "inconclusive".
	debug.SetTraceback("crash")
	// What agents start is ended with them, and none of them reads what others are given.
	process.Adopt()
	process.Seal()
	defer process.Release()
	ctx, stop := cli.WithSignals(context.Background())
	defer stop()
	app := cli.App{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Env:     os.LookupEnv,
		Environ: os.Environ,
		Version: cli.BuildVersion(),

		OwnProcess: true,
	}
	code := app.Run(ctx, os.Args[1:])
	// Some file systems report a full disk only now. A result that was not written
	// must not look like a verdict, so this takes the place of the codes 0, 1 and 2, and of
	// no error.
	if err := os.Stdout.Close(); err != nil && code < cli.ExitUsage {
		fmt.Fprintf(os.Stderr, "tribunal: cannot write standard output: %v\n", err)
		return cli.ExitOutput
	}
	return code
}
