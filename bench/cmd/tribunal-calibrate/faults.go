package main

import (
	"context"

	"github.com/tribunal-dev/tribunal/bench/internal/faults"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
)

// faultsExperiment is the command faults. It only reports.
func faultsExperiment() experiment.Experiment {
	return experiment.Experiment{
		Name:    "faults",
		Summary: "whether suites that cover more find more faults",
		Text: `Plant faults in simulated agents, let suites of growing coverage try them, and correlate
coverage with the number of distinct faults that were found: of suites with more and
more trials, and of suites of one size that try more tools, limits and models. Half of
the faults are at what coverage does not count.`,
		Example: `  tribunal-calibrate faults --short
  tribunal-calibrate faults --csv -o faults.csv`,
		Short: "fewer agents",
		Long:  "ten times as many agents",
		Run: func(ctx context.Context, o experiment.Options) (*experiment.Finding, error) {
			found, err := faults.Measure(ctx, faults.Options{Short: o.Short, Long: o.Long, Seed: o.Seed, Progress: o.Progress})
			if err != nil {
				return nil, err
			}
			return findingOf(found), nil
		},
	}
}
