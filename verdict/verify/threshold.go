package verify

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
)

// verifyThreshold recomputes a threshold verdict from the counts of its scenarios.
func verifyThreshold(r *verdict.ThresholdResult) (*recheck.Verification, error) {
	if err := recheck.CheckExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	o := verdict.ThresholdOptions{Threshold: r.Threshold, Alpha: r.Alpha, Errors: r.Errors, By: r.By}
	method, err := methodOf(r.Suite, r.Scenarios)
	if err != nil {
		return nil, err
	}
	o.Interval = method
	var tallies []verdict.Tally
	passes := 0
	for i, s := range r.Scenarios {
		t := verdict.Tally{Scenario: s.Name, Passes: s.Passes, Fails: s.Trials - s.Passes, Errors: s.Errors}
		if r.Errors == verdict.FailErrors {
			t.Fails -= s.Errors
		}
		if t.Fails < 0 || t.Passes < 0 || t.Errors < 0 {
			return nil, &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d].passes", i), Have: fmt.Sprint(s.Passes), Want: fmt.Sprintf("at most the trials, %d", s.Trials)}
		}
		tallies, passes = append(tallies, t), passes+t.Passes
	}
	skipped := []string{}
	if r.Reliability != nil && r.Reliability.Cost != nil && len(tallies) > 0 {
		tallies[0].Cost = costOf(r.Reliability)
		if c := tallies[0].Cost; c.Passes < 0 || c.Passes > min(c.Known, passes) {
			return nil, &verdict.DifferenceError{Path: "reliability.cost_per_success", Have: phrase.Number(*r.Reliability.CostPerSuccess), Want: fmt.Sprintf("a cost over %s", phrase.Plural(min(c.Known, passes), "pass"))}
		}
		skipped = append(skipped, "reliability.cost")
	}
	again, err := verdict.JudgeThreshold(tallies, o)
	if err != nil {
		return nil, err
	}
	w, err := recheck.Compare(r, again)
	if err != nil {
		return nil, err
	}
	return &recheck.Verification{Verdict: again.Verdict, Compared: w.Compared, Skipped: skipped}, nil
}

// methodOf is the interval's, which the results name.
func methodOf(suite *verdict.RateVerdict, scenarios []verdict.RateVerdict) (m stats.IntervalMethod, err error) {
	if suite != nil {
		scenarios = append([]verdict.RateVerdict{*suite}, scenarios...)
	}
	for _, s := range scenarios {
		if s.Interval != nil {
			return m, m.UnmarshalText([]byte(s.Interval.Method))
		}
	}
	return m, nil
}

// costOf is what all trials cost, with as many passes as the cost per success says.
func costOf(r *verdict.Reliability) verdict.Cost {
	c := verdict.Cost{Trials: r.Cost.Trials, Known: r.Cost.KnownTrials, TotalUSD: r.Cost.TotalUSD}
	if r.CostPerSuccess != nil && *r.CostPerSuccess != 0 {
		c.Passes = int(math.Round(r.Cost.TotalUSD / *r.CostPerSuccess))
	} else if r.CostPerSuccess != nil {
		c.Passes = 1 // it cost nothing, however many passed
	}
	return c
}
