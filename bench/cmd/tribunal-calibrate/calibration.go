package main

import (
	"context"
	"io"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/calibration"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
)

// calibrationExperiment is the command calibration, which fails where a promise is broken.
// There is no drawing.
func calibrationExperiment() experiment.Experiment {
	return experiment.Experiment{
		Name:    "calibration",
		Summary: "measure the error rates of every decision",
		Text: `Measure how often every decision of tribunal errs, and compare that with what is
promised: by enumeration where that can be had, by simulation elsewhere. A rate that is
above its promise makes the exit code 1. Where nothing is promised the rate is shown.`,
		Example: `  tribunal-calibrate calibration --short
  tribunal-calibrate calibration --csv --output calibration.csv`,
		Short: "fewer settings and runs: half a minute on two processors instead of minutes",
		Long:  "ten times as many runs",
		Run:   measureCalibration,
	}
}

// measureCalibration measures as the flags ask. An error is the context's, or one of a
// method that could not be measured at all; a rate beyond its promise is a row of the
// result.
func measureCalibration(ctx context.Context, o experiment.Options) (*experiment.Finding, error) {
	found, err := calibration.Measure(ctx, calibration.Options{
		Short: o.Short, Long: o.Long, Seed: o.Seed, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return calibrationFinding(found), nil
}

// calibrationFinding is what the command prints, with the exit code that the result has.
func calibrationFinding(found *calibration.Result) *experiment.Finding {
	finding := findingOf(found)
	finding.ExitCode = found.ExitCode
	return finding
}

// findingOf is what an experiment hands to the command line. The caller adds the drawing
// and the exit code, where there are any: without them it is 0.
func findingOf(r bench.Report) *experiment.Finding {
	return &experiment.Finding{
		Document: r,
		Text:     func(w io.Writer, columns int) error { return r.Page().WriteText(w, columns) },
		CSV:      func(w io.Writer) error { return r.Records().WriteCSV(w) },
	}
}
