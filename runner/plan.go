package runner

import (
	"context"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Plan says what a run of the scenarios of a suite will take. Everything of the suite
// that [Prepare] refuses it refuses too. It designs the tests as a run does, and starts nothing.
func Plan(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) (*plan.Suite, error) {
	agents, err := commandAgents(s)
	if err != nil {
		return nil, err
	}
	tellUnconfined(agents.unconfined, prepare.Warn)
	if len(scenarios) == 0 {
		return nil, &suiteError{Place: trial.Place{File: s.File}, Problem: "no scenario is left to run"}
	}
	tests, err := Tests(ctx, s, scenarios, prepare)
	if err != nil {
		return nil, err
	}
	if err := checkCalibration(s, tests); err != nil {
		return nil, err
	}
	o := plan.SuiteOptions{
		Suite: s.Name, Digest: s.Digest(), Scenarios: len(scenarios), Concurrency: s.Concurrency,
		BudgetUSD: known(s.Budget.MaxCostUSD), PriceUSD: known(s.Budget.PricePerTrial),
		MaxTrials: s.Budget.MaxTrials.Value, Tests: len(tests),
		Timed: s.Budget.MaxTokens.Known || s.Budget.MaxDuration > 0,
	}
	if c := s.Calibrate; c.Asked() && prepare.Record == 0 {
		o.Calibration = &plan.SuiteCalibration{Trials: c.Trials, MaxTrials: c.MaxTrials}
	}
	// A pooled test draws from several scenarios: its trials are reckoned at the largest limit among them.
	limits := map[string]*float64{}
	for _, c := range scenarios {
		limits[c.Name] = known(c.Limits.MaxCostUSD)
	}
	p := plan.NewSuite(o)
	for _, j := range jointsOf(tests) {
		j.MaxCostUSD = largest(namesOf(scenarios), limits)
		if err := p.AddTest(j); err != nil {
			return nil, err
		}
	}
	for _, t := range tests {
		if t.Joint != nil {
			continue
		}
		planned := plan.PlannedTest{
			Name: t.Name, Variant: t.Variant, Scenarios: t.Scenarios, Design: t.Design,
			MaxCostUSD: largest(t.Scenarios, limits), Shared: t.Shared,
		}
		if t.Against != nil {
			planned.Rounds = t.Against.Rounds
			if b := t.Against.Stored; b != nil {
				planned.Stored = &plan.StoredBaseline{Family: b.Family, Outcome: b.Outcome, File: b.Source.File}
			}
		}
		if err := p.AddTest(planned); err != nil {
			return nil, err
		}
	}
	p.Complete(o)
	return p, nil
}

// jointsOf are the questions that tests are asked together, in their order.
func jointsOf(tests []Test) (list []plan.PlannedTest) {
	at := map[*runs.Joint]int{}
	for _, t := range tests {
		if t.Joint == nil {
			continue
		}
		i, known := at[t.Joint]
		if !known {
			i, at[t.Joint] = len(list), len(list)
			list = append(list, plan.PlannedTest{Name: suite.TestName("all scenarios", t.Variant), Variant: t.Variant,
				Joint: t.Joint.Designs, File: t.Joint.Source.File, Shared: t.Shared})
		}
		if t.Recorded != "" {
			list[i].Recorded = append(list[i].Recorded, t.Recorded)
		}
	}
	return list
}

// namesOf are the names of scenarios.
func namesOf(scenarios []suite.Scenario) (names []string) {
	for _, c := range scenarios {
		names = append(names, c.Name)
	}
	return names
}

// largest is the largest of the limits; nil if one of them is none. One scenario without a limit may cost
// anything, so all of them together have none.
func largest(scenarios []string, limits map[string]*float64) (most *float64) {
	for _, name := range scenarios {
		limit := limits[name]
		if limit == nil {
			return nil
		}
		if most == nil || *limit > *most {
			most = limit
		}
	}
	return most
}

// known returns a pointer to the value, nil where it is not known. Optional values of package trial become
// the pointers of a result, in which nil is written as absent.
func known(x trial.Optional[float64]) *float64 {
	if !x.Known {
		return nil
	}
	return &x.Value
}
