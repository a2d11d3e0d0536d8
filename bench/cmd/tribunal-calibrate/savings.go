package main

import (
	"context"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/bench/internal/savings"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
	"github.com/tribunal-dev/tribunal/report/chart"
)

// savingsExperiment is the command savings. It only reports: no promise is at stake here,
// and its exit code is 0.
func savingsExperiment() experiment.Experiment {
	return experiment.Experiment{
		Name:    "savings",
		Summary: "how many trials, and how much money, at which error rates",
		Text: `Compare tests of one question, is the pass rate at least 0.90, or 0.80 or less?, by what
they take and how often they err: fixed numbers of trials, Wald's test, the optimal one,
with a history, with a test of behaviour, against a stored baseline.

Trials and error rates are exact; what is simulated, of behaviour alone, says so and has
its standard error. The seed decides about the latter.`,
		Example: `  tribunal-calibrate savings --short
  tribunal-calibrate savings --chart savings.svg
  tribunal-calibrate savings --csv -o savings.csv`,
		Short: "simulate less: behaviour at a pass rate of 1 alone, in fewer runs",
		Long:  "simulate more: ten times as many runs",
		Drawn: "the expected trials at every pass rate",
		Run:   measureSavings,
	}
}

// measureSavings measures as the flags ask. The curves at every pass rate are computed
// only where a drawing needs them.
func measureSavings(ctx context.Context, o experiment.Options) (*experiment.Finding, error) {
	found, err := savings.Measure(ctx, savings.Options{
		Short: o.Short, Long: o.Long, Seed: o.Seed, Curves: o.Drawn, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return savingsFinding(found), nil
}

// savingsFinding is what the command prints. The drawing is made when it is asked for, from
// curves that are empty unless --chart was given.
func savingsFinding(found *savings.Result) *experiment.Finding {
	finding := findingOf(found)
	finding.SVG = func(w io.Writer) error { return chart.ExpectedTrials(w, savingsChart(found)) }
	return finding
}

// savingsChart is the drawing of the expected trials. The two marks are the rates that the
// tests tell apart: at the threshold a system is good, at delta less it is too low.
func savingsChart(s *savings.Result) chart.Trials {
	h := s.Hypotheses
	lower := h.Threshold - h.Delta
	t := chart.Trials{
		Title: "How many trials a verdict takes",
		Below: fmt.Sprintf("is the pass rate at least %.2f, or %.2f or less? "+
			"False Fail at most %g%%, false Pass at most %g%%", h.Threshold, lower, 100*h.Alpha, 100*h.Beta),
		Description: fmt.Sprintf("Expected trials of tests against the true pass rate, exact. The lower bound is "+
			"computed at each rate, by Lagrangian duality: no test that keeps both errors and always decides within "+
			"%d trials has fewer expected trials. A test that may go on for longer, or may end without a verdict, is "+
			"not bound by it.", s.Floors.MaxTrials),
		Marks: []chart.TrialsMark{
			{P: lower, Name: fmt.Sprintf("%.2f too low", lower)},
			{P: h.Threshold, Name: fmt.Sprintf("%.2f good", h.Threshold)},
		},
	}
	titles := make(map[string]string)
	for _, m := range s.Methods {
		titles[m.Name] = m.Title
	}
	// Wald's test that is cut at 30 trials looks cheap only because it often ends without a
	// verdict.
	titles["wald-30"] += " (often undecided)"
	for _, curve := range s.Curves {
		line := chart.TrialsLine{Name: titles[curve.Method], P: curve.P, Trials: curve.Trials}
		// The curve without a method is that of the lower bound, which is no test.
		if curve.Method == "" {
			line.Name = fmt.Sprintf("lower bound, at most %d", s.Floors.MaxTrials)
			t.Floor = line
			continue
		}
		t.Tests = append(t.Tests, line)
	}
	return t
}
