// Command tribunal-calibrate measures the methods of tribunal on simulated agents whose
// rates are known: how often its decisions err, and how many trials they save. Run it
// with --help.
//
// Its commands are in files of their own, such as savings.go and calibration.go; each describes
// itself as an [experiment.Experiment] and turns what packages bench/internal/savings and bench/internal/calibration
// found into an [experiment.Finding], which the command line prints as text, JSON, CSV or a
// drawing. It is a program of its own so that its tables and simulations are not part of
// what users install.
package main

import (
	"os"

	"github.com/tribunal-dev/tribunal/cmd/experiment"
)

// main leaves the cleaning up to run, as os.Exit runs no deferred function.
func main() { os.Exit(run()) }

// run returns the exit code.
func run() int {
	const text = `Measure the methods of tribunal on simulated agents whose rates are known. Every command
prints the same tables for the same seed, on any machine.`
	return experiment.Main("tribunal-calibrate", text,
		savingsExperiment(), calibrationExperiment(), faultsExperiment(), paperExperiment(), growthExperiment())
}
