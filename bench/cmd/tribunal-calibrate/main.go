// Command tribunal-calibrate measures the methods of tribunal on simulated agents whose
// rates are known: how often its decisions err, and how many trials they save. Run it
// with --help.
//
// Its commands are in files of their own, savings.go and calibration.go; each describes
// itself as a [cli.Experiment] and turns what packages bench/savings and bench/calibration
// found into a [cli.Finding], which the command line prints as text, JSON, CSV or a
// drawing. It is a program of its own so that its tables and simulations are not part of
// what users install.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/internal/cli"
	"github.com/tribunal-dev/tribunal/internal/cli/session"
)

// program is the name in the help and in the hints.
const program = "tribunal-calibrate"

// main leaves the cleaning up to run, as os.Exit runs no deferred function.
func main() { os.Exit(run()) }

// run returns the exit code; see the same of tribunal.
func run() int {
	// A panic of a goroutine must not exit with 2, the code of a verdict.
	debug.SetTraceback("crash")
	ctx, stop := session.WithSignals(context.Background())
	defer stop()
	app := cli.App{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Env:     os.LookupEnv,
		Version: cli.BuildVersion(),
	}
	const text = `Measure the methods of tribunal on simulated agents whose rates are known. Every command
prints the same tables for the same seed, on any machine.`
	// The order is that of the list in the help.
	code := app.RunExperiments(ctx, program, text, []cli.Experiment{
		savingsExperiment(), calibrationExperiment(), faultsExperiment(), paperExperiment(), growthExperiment(),
	},
		os.Args[1:])
	// Some file systems report a full disk only now.
	if err := os.Stdout.Close(); err != nil && code < cli.ExitUsage {
		fmt.Fprintf(os.Stderr, "tribunal: cannot write standard output: %v\n", err)
		return cli.ExitInternal
	}
	return code
}
