package cli

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/chart"
)

// savingsChart is the drawing of the expected trials.
func savingsChart(s *bench.Savings) chart.Trials {
	h := s.Hypotheses
	lower := h.Threshold - h.Delta
	t := chart.Trials{
		Title: "How many trials a verdict takes",
		Below: fmt.Sprintf("is the pass rate at least %.2f, or %.2f or less? False Fail at most %g%%, false Pass at most %g%%", h.Threshold, lower, 100*h.Alpha, 100*h.Beta),
		Description: fmt.Sprintf("Expected trials of tests against the true pass rate, exact. The lower bound is computed at each rate, by Lagrangian duality: "+
			"no test that keeps both errors and always decides within %d trials has fewer expected trials. A test that may go on for longer, or may end without a verdict, is not bound by it.",
			s.Floors.MaxTrials),
		Marks: []chart.TrialsMark{
			{P: lower, Name: fmt.Sprintf("%.2f too low", lower)},
			{P: h.Threshold, Name: fmt.Sprintf("%.2f good", h.Threshold)},
		},
	}
	titles := make(map[string]string)
	for _, m := range s.Methods {
		titles[m.Name] = m.Title
	}
	titles["wald-30"] += " (often undecided)"
	for _, curve := range s.Curves {
		line := chart.TrialsLine{Name: titles[curve.Method], P: curve.P, Trials: curve.Trials}
		if curve.Method == "" {
			line.Name = fmt.Sprintf("lower bound, at most %d", s.Floors.MaxTrials)
			t.Floor = line
			continue
		}
		t.Tests = append(t.Tests, line)
	}
	return t
}
