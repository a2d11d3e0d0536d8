package main

import (
	"context"
	"io"
	"math"

	"github.com/tribunal-dev/tribunal/bench/internal/paper"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
	"github.com/tribunal-dev/tribunal/report/chart"
)

// paperExperiment is the command paper. It only reports.
func paperExperiment() experiment.Experiment {
	return experiment.Experiment{
		Name:    "paper",
		Summary: "the experiments of the paper, its figures beside what they come to",
		Text: `Repeat the experiments E1 to E7 of AgentAssay and print its Tables 4 to 7 beside what comes
of them, each with the reason for a difference; Example 7.1 and Theorem 7.6 as arithmetic.
Agents are simulated, with the tokens, the latency and the costs that the paper prints.

With --agents a suite is run in their place: its variants stand for models, its scenarios
for kinds of scenarios. Its trials are journalled beside it, and cost what they cost. With
--recorded they are those of a recording, such as bench/testdata/agents.jsonl.gz: Claude
Code, Codex and the Gemini CLI, with a script in place of the model.`,
		Example: `  tribunal-calibrate paper --short
  tribunal-calibrate paper --chart figures.svg
  tribunal-calibrate paper --recorded bench/testdata/agents.jsonl.gz
  tribunal-calibrate paper --agents models.yaml --trials 100 --max-cost 25`,
		Short:  "five repetitions",
		Long:   "ten times as many repetitions",
		Drawn:  "Figures 2 to 5",
		Agents: "run the agents of the suite in `FILE` in place of simulated ones",
		Run:    measurePaper,
	}
}

// measurePaper runs agents where they are asked for, and measures.
func measurePaper(ctx context.Context, o experiment.Options) (*experiment.Finding, error) {
	options := paper.Options{Short: o.Short, Long: o.Long, Seed: o.Seed, Progress: o.Progress}
	if a := o.Agents; a != nil {
		recorded, err := paper.Record(ctx, a.File, paper.RecordOptions{
			Trials: a.Trials, MaxCostUSD: a.MaxCostUSD, Concurrency: a.Concurrency, Seed: o.Seed, Resume: a.Resume,
			Progress: func(done, all int) { o.Progress(done, all, "trials of agents") },
		})
		if err != nil {
			return nil, err
		}
		options.Recorded = recorded
	}
	if o.Recorded != "" {
		recorded, err := paper.Read(ctx, o.Recorded)
		if err != nil {
			return nil, err
		}
		options.Recorded = recorded
	}
	found, err := paper.Measure(ctx, options)
	if err != nil {
		return nil, err
	}
	finding := findingOf(found)
	finding.SVG = func(w io.Writer) error { return chart.PairedBars(w, figures(found)) }
	return finding, nil
}

// figures are Figures 2 to 5.
func figures(r *paper.Result) chart.Bars {
	b := chart.Bars{
		Title: "What a regression check costs and finds", Below: "Figures 2 to 5 of AgentAssay, measured again",
		Description: "Bars in pairs: what was measured, and what the paper prints.", First: "measured", Second: "paper",
	}
	cost := chart.BarPanel{Title: "Figure 2: cost by approach", Unit: "dollars"}
	power := chart.BarPanel{Title: "Figure 3: changes of behaviour found", Unit: "share"}
	for _, a := range r.Approaches {
		found, _ := a.Found.Value()
		paperCost, paperPower := math.NaN(), math.NaN()
		if a.Paper != nil {
			paperCost, paperPower = a.Paper.CostUSD, a.Paper.Power
		}
		add(&cost, a.Title, a.CostUSD.Mean, paperCost)
		if !math.IsNaN(found) {
			add(&power, a.Title, found, paperPower)
		}
	}
	domains := chart.BarPanel{Title: "Figure 4: saved by SPRT, by kind of scenario", Unit: "share"}
	for _, c := range r.ByDomain {
		stated := math.NaN()
		if c.Paper != nil && c.Paper.Saving != nil {
			stated = *c.Paper.Saving
		}
		if c.Saving != nil {
			add(&domains, c.Name, *c.Saving, stated)
		}
	}
	models := chart.BarPanel{Title: "Figure 5: cost of 100 trials, by model", Unit: "dollars"}
	for _, c := range r.ByModel {
		stated := math.NaN()
		if c.Paper != nil {
			stated = c.Paper.Fixed
		}
		add(&models, c.Name, c.Fixed, stated)
	}
	for _, p := range []chart.BarPanel{cost, power, domains, models} {
		if len(p.Names) > 0 {
			b.Panels = append(b.Panels, p)
		}
	}
	return b
}

// add adds a pair of bars.
func add(p *chart.BarPanel, name string, first, second float64) {
	p.Names, p.First, p.Second = append(p.Names, name), append(p.First, first), append(p.Second, second)
}
