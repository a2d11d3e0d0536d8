package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/process"
)

// Main is the command line as a process, and returns its exit code. A fleet is what runs trials elsewhere; nil is none.
//
// A panic of this goroutine is recovered to 70 within App.Run; one of another goroutine, which would exit with 2, the
// code of a verdict, ends the process with SIGABRT instead.
func Main(fleet world.Fleet) int {
	// The exit codes are an interface: a pipeline reads 2 as "inconclusive".
	debug.SetTraceback("crash")
	// What agents start is ended with them, and none of them reads what others are given.
	process.Adopt()
	process.Seal()
	defer process.Release()
	ctx, stop := session.WithSignals(context.Background())
	defer stop()
	app := App{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Env:     os.LookupEnv,
		Environ: os.Environ,
		Version: BuildVersion(),
		Fleet:   fleet,

		OwnProcess: true,
	}
	code := app.Run(ctx, os.Args[1:])
	// Some file systems report a full disk only now. A result that was not written
	// must not look like a verdict, so this takes the place of the codes 0, 1 and 2, and of
	// no error.
	if err := os.Stdout.Close(); err != nil && code < ExitUsage {
		fmt.Fprintf(os.Stderr, "tribunal: cannot write standard output: %v\n", err)
		return ExitOutput
	}
	return code
}
