package main

import (
	"context"
	"io"

	"github.com/tribunal-dev/tribunal/bench/internal/growth"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
	"github.com/tribunal-dev/tribunal/report/chart"
)

// growthExperiment is the command growth. It only reports.
func growthExperiment() experiment.Experiment {
	return experiment.Experiment{
		Name:    "growth",
		Summary: "how time and memory grow with trials, scenarios, runs and workers",
		Text: `Run the commands of tribunal on inputs of growing size, and print the exponent b with which
their time and memory grow, as n^b: verdict, compare, fingerprint, stores, reports, verify
and history by trials, scenarios and runs, and runs of agents by workers.

Times are those of the machine; what is allocated is the same everywhere. It needs no seed.`,
		Example: `  tribunal-calibrate growth --short
  tribunal-calibrate growth --long --chart growth.svg`,
		Short: "sizes that take seconds",
		Long:  "up to 10,000,000 trials, 100,000 scenarios and 500 workers, which takes minutes",
		Drawn: "time against size",
		Run: func(ctx context.Context, o experiment.Options) (*experiment.Finding, error) {
			found, err := growth.Measure(ctx, growth.Options{Short: o.Short, Long: o.Long, Progress: o.Progress})
			if err != nil {
				return nil, err
			}
			finding := findingOf(found)
			finding.SVG = func(w io.Writer) error { return chart.Growths(w, growthChart(found)) }
			return finding, nil
		},
	}
}

// growthChart has a panel for each of what is counted that several operations grow with.
func growthChart(r *growth.Result) chart.Growth {
	g := chart.Growth{
		Title: "How the time of commands grows",
		Below: "the same slope as the thin grey lines is linear; both axes are logarithms",
		Description: "Seconds of commands of tribunal against the number of trials or traces, scenarios, and workers. " +
			"Runs have as many trials for each worker, so that a level line is what is best.",
		Panels: []chart.GrowthPanel{
			{Title: "By scenarios", Size: "scenarios"}, {Title: "By trials", Size: "trials, or traces"},
			{Title: "By workers", Size: "workers, each with as many trials"},
		},
	}
	places := map[string]int{"scenarios": 0, "trials": 1, "traces": 1, "workers": 2}
	for _, row := range r.Rows {
		place, drawn := places[row.Against]
		if !drawn {
			continue
		}
		line := chart.GrowthLine{Name: row.Operation}
		for _, p := range row.Points {
			line.Sizes, line.Seconds = append(line.Sizes, float64(p.Size)), append(line.Seconds, p.Seconds)
		}
		g.Panels[place].Lines = append(g.Panels[place].Lines, line)
	}
	return g
}
