package savings

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// Suite is what a suite of scenarios takes, tested scenario by scenario and as one question, at pass rates.
type Suite struct {
	Against   string  `json:"against"` // a threshold, side by side, or a recording of so many trials of each scenario
	Scenarios int     `json:"scenarios"`
	Rates     string  `json:"rates"`           // of the candidate
	Apart     float64 `json:"trials_apart"`    // expected, of tests of their own that share alpha; 0: not computed
	Trials    float64 `json:"trials"`          // mean of the simulated runs, of both sides where both are run
	StdErr    float64 `json:"trials_std_err"`  // of it
	Most      int     `json:"most_trials"`     // that a simulated run took
	Pass      float64 `json:"pass"`            // share of the runs
	Fail      float64 `json:"fail"`            // share of the runs
	Recorded  int     `json:"recorded_trials"` // of the baseline, before
}

// suites measures suites against a threshold, and beside baselines.
func (m *measurement) suites(ctx context.Context, s *Result) error {
	runs := 2000
	if m.Short {
		runs = 100
	} else if m.Long {
		runs = 20_000
	}
	equal := func(n int, rate float64, others ...float64) []float64 {
		return slices.Concat(others, slices.Repeat([]float64{rate}, n-len(others)))
	}
	for _, against := range []struct {
		name     string
		question stratified.Question
	}{
		{"threshold", stratified.Question{}},
		{"side by side", stratified.Question{Sides: stratified.SideBySide}},
		{"10 recorded", stratified.Question{Sides: stratified.Stored, MaxRounds: 10}},
		{"15 recorded", stratified.Question{Sides: stratified.Stored, MaxRounds: 15}},
	} {
		for _, n := range []int{20, 50} {
			if n > 20 && (m.Short || against.question.Sides != stratified.Threshold) {
				continue
			}
			q := against.question
			q.Scenarios, q.Threshold, q.Delta, q.Alpha, q.Beta = n, threshold, delta, alpha, beta
			d, err := stratified.New(ctx, q)
			if err != nil {
				return err
			}
			apart, err := m.apart(ctx, n)
			if err != nil {
				return err
			}
			for _, x := range []struct {
				name  string
				rates []float64
			}{
				{"all 1", equal(n, 1)}, {"all 0.99", equal(n, .99)}, {"all 0.97", equal(n, .97)}, {"all 0.95", equal(n, .95)},
				{"all 0.9", equal(n, .9)}, {"all 0.8", equal(n, .8)}, {"half 1, half 0.8", equal(n, .8, equal(n/2, 1)...)},
				{"1 at 0, rest 0.99", equal(n, .99, 0)}, {"1 at 0.3, rest 0.97", equal(n, .97, .3)},
				{"4 at 0.6, rest 0.97", equal(n, .97, .6, .6, .6, .6)},
			} {
				// The baseline is that of an agent in order: a candidate at 0.9 or 0.8 has dropped.
				baseline := equal(n, .95)
				if q.Sides == stratified.Threshold {
					baseline = nil
				}
				c, err := d.Simulate(ctx, x.rates, baseline, runs, m.Seed)
				if err != nil {
					return err
				}
				row := Suite{Against: against.name, Scenarios: n, Rates: x.name, Trials: c.Trials, StdErr: c.TrialsError,
					Most: c.Most, Pass: c.Pass, Fail: c.Fail}
				if q.Sides == stratified.Stored {
					row.Recorded = n * q.MaxRounds
				}
				if q.Sides == stratified.Threshold {
					for _, rate := range x.rates {
						row.Apart += apart.At(rate).ExpectedTrials
					}
				}
				s.Suites = append(s.Suites, row)
			}
		}
	}
	return nil
}

// apart is the test of one of so many scenarios that share alpha.
func (m *measurement) apart(ctx context.Context, scenarios int) (*sprt.Lattice, error) {
	h := m.h
	h.Alpha /= float64(scenarios)
	fixed, ok := h.FixedSample()
	if !ok {
		return nil, fmt.Errorf("no fixed sample keeps an alpha of %v", h.Alpha)
	}
	plan, err := sprt.Optimal(ctx, h, sprt.OptimalOptions{MaxTrials: fixed.Trials * 7 / 5})
	if err != nil {
		return nil, err
	}
	return plan.Design.Boundaries.Lattice()
}

// suitesTable sets tests of their own and one question beside each other.
func (s *Result) suitesTable() bench.Table {
	t := bench.Table{
		Title: "A suite: trials of a test for each scenario, and of one question about all; simulated, " +
			"the baseline passes 0.95",
		Columns: []bench.Column{
			method("against"), {Header: "n"}, method("rates"), {Header: "apart"}, {Header: "one"}, {Header: "ratio"},
			{Header: "Pass"}, {Header: "Fail"},
		},
	}
	for _, x := range s.Suites {
		apart, ratio := bench.Word("-"), bench.Word("-")
		if x.Apart > 0 {
			apart, ratio = bench.Number(x.Apart, 0), bench.Number(x.Apart/x.Trials, 1)
		}
		t.Rows = append(t.Rows, []bench.Cell{bench.Word(x.Against), bench.Count(x.Scenarios), bench.Word(x.Rates), apart,
			bench.Number(x.Trials, 1), ratio, bench.Percent(x.Pass, 1), bench.Percent(x.Fail, 1)})
	}
	return t
}
