package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// verifyThreshold recomputes a threshold verdict from the counts of its scenarios.
func verifyThreshold(r *ThresholdResult) (*Verification, error) {
	if err := checkExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	o := ThresholdOptions{Threshold: r.Threshold, Alpha: r.Alpha, Errors: r.Errors, By: r.By}
	method, err := methodOf(r.Suite, r.Scenarios)
	if err != nil {
		return nil, err
	}
	o.Interval = method
	var tallies []Tally
	passes := 0
	for i, s := range r.Scenarios {
		t := Tally{Scenario: s.Name, Passes: s.Passes, Fails: s.Trials - s.Passes, Errors: s.Errors}
		if r.Errors == FailErrors {
			t.Fails -= s.Errors
		}
		if t.Fails < 0 || t.Passes < 0 || t.Errors < 0 {
			return nil, &DifferenceError{fmt.Sprintf("scenarios[%d].passes", i), fmt.Sprint(s.Passes), fmt.Sprintf("at most the trials, %d", s.Trials)}
		}
		tallies, passes = append(tallies, t), passes+t.Passes
	}
	skipped := []string{}
	if r.Reliability != nil && r.Reliability.Cost != nil && len(tallies) > 0 {
		tallies[0].Cost = r.Reliability.cost()
		if c := tallies[0].Cost; c.Passes < 0 || c.Passes > min(c.Known, passes) {
			return nil, &DifferenceError{"reliability.cost_per_success", number(*r.Reliability.CostPerSuccess), fmt.Sprintf("a cost over %s", plural(min(c.Known, passes), "pass"))}
		}
		skipped = append(skipped, "reliability.cost")
	}
	again, err := JudgeThreshold(tallies, o)
	if err != nil {
		return nil, err
	}
	w, err := compareResults(r, again)
	if err != nil {
		return nil, err
	}
	return &Verification{again.Verdict, w.compared, skipped}, nil
}

// methodOf is the interval's, which the results name.
func methodOf(suite *RateVerdict, scenarios []RateVerdict) (m stats.IntervalMethod, err error) {
	if suite != nil {
		scenarios = append([]RateVerdict{*suite}, scenarios...)
	}
	for _, s := range scenarios {
		if s.Interval != nil {
			return m, m.UnmarshalText([]byte(s.Interval.Method))
		}
	}
	return m, nil
}

// cost is what all trials cost, with as many passes as the cost per success says.
func (r *Reliability) cost() Cost {
	c := Cost{Trials: r.Cost.Trials, Known: r.Cost.KnownTrials, TotalUSD: r.Cost.TotalUSD}
	if r.CostPerSuccess != nil && *r.CostPerSuccess != 0 {
		c.Passes = int(math.Round(r.Cost.TotalUSD / *r.CostPerSuccess))
	} else if r.CostPerSuccess != nil {
		c.Passes = 1 // it cost nothing, however many passed
	}
	return c
}

// verifyPairs recomputes McNemar's test from the table of pairs.
func (r *Comparison) verifyPairs() error {
	p := r.Pairs
	if p == nil || r.Tests.McNemar == nil {
		return &DifferenceError{"pairs", "absent", "the pairs that decided"}
	}
	if sum := p.BothPass + p.Broke + p.Mended + p.BothFail; sum != p.Pairs {
		return &DifferenceError{"pairs.pairs", fmt.Sprint(p.Pairs), fmt.Sprint(sum)}
	}
	table := stats.Pairs{BothPass: p.BothPass, Broke: p.Broke, Mended: p.Mended, BothFail: p.BothFail}
	exact, err := stats.McNemarLess(table)
	if err != nil {
		return err
	}
	two, _ := stats.McNemarTwoSided(table)
	mid, _ := stats.McNemarMidP(table)
	_, err = compareResults(r.Tests.McNemar, &McNemar{P: exact, PTwoSided: two, MidP: mid})
	return within("tests.mcnemar", err)
}

// recordings make trials of the counts.
func (r *Comparison) recordings() (baseline, candidate *Recording, err error) {
	baseline, candidate = &Recording{Name: r.Baseline.Name}, &Recording{Name: r.Candidate.Name}
	add := func(to *Recording, scenario string, p Passed, path string) error {
		fails := p.Trials - p.Passes
		if r.Errors == FailErrors {
			fails -= p.Errors
		}
		if fails < 0 || p.Passes < 0 || p.Errors < 0 || p.Trials > stats.MaxTrials/4 {
			return &DifferenceError{path, fmt.Sprintf("%d of %d", p.Passes, p.Trials), "counts"}
		}
		for outcome, n := range map[trial.Outcome]int{trial.Pass: p.Passes, trial.Fail: fails, trial.Error: p.Errors} {
			for range n {
				to.Add(&trial.Trial{Scenario: scenario, Outcome: outcome})
			}
		}
		return nil
	}
	if len(r.Scenarios) == 0 {
		baseline.counted, candidate.counted = true, true
		if err := add(baseline, "all", Passed{r.Baseline.Passes, r.Baseline.Trials, r.Baseline.Errors}, "baseline.passes"); err != nil {
			return nil, nil, err
		}
		return baseline, candidate, add(candidate, "all", Passed{r.Candidate.Passes, r.Candidate.Trials, r.Candidate.Errors}, "candidate.passes")
	}
	for i, s := range r.Scenarios {
		if err := add(baseline, s.Name, s.Baseline, fmt.Sprintf("scenarios[%d].baseline.passes", i)); err != nil {
			return nil, nil, err
		}
		if err := add(candidate, s.Name, s.Candidate, fmt.Sprintf("scenarios[%d].candidate.passes", i)); err != nil {
			return nil, nil, err
		}
	}
	return baseline, candidate, nil
}
