// Command tribunal-calibrate measures the methods of tribunal on simulated agents whose
// rates are known: how often its decisions err, and how many trials they save. Run it
// with --help.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/internal/cli"
)

const program = "tribunal-calibrate"

func main() { os.Exit(run()) }

// run returns the exit code; see the same of tribunal.
func run() int {
	debug.SetTraceback("crash")
	ctx, stop := cli.WithSignals(context.Background())
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
	code := app.RunExperiments(ctx, program, text, []cli.Experiment{savingsExperiment(), calibrationExperiment()},
		os.Args[1:])
	// Some file systems report a full disk only now.
	if err := os.Stdout.Close(); err != nil && code < cli.ExitUsage {
		fmt.Fprintf(os.Stderr, "tribunal: cannot write standard output: %v\n", err)
		return cli.ExitInternal
	}
	return code
}
