package verdict

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge judges again from the counts of the scenarios, which a result shows anyway. They
// are checked first: the document may claim anything. Costs are known in all, not by
// scenario, so they are put beside the first one; what they come to is the same.
func (r *ThresholdResult) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	o := ThresholdOptions{Threshold: r.Threshold, Alpha: r.Alpha, Errors: r.Errors, By: r.By, Anytime: r.Anytime}
	o.Labels = r.LabelSample()
	if r.Edition > thresholdEdition {
		return nil, &DifferenceError{
			Path: "edition", Have: fmt.Sprint(r.Edition),
			Want: fmt.Sprintf("at most %d, which this version makes", thresholdEdition),
		}
	}
	o.edition = max(r.Edition, firstEdition)
	switch {
	case r.Anytime && r.Method != "" && r.Method != bettingMethod:
		return nil, &DifferenceError{Path: "interval_method", Have: r.Method, Want: bettingMethod}
	case r.Anytime:
		o.uniform = r.Method == ""
	case o.edition == firstEdition:
		method, err := methodOf(r.Suite, r.Scenarios)
		if err != nil {
			return nil, err
		}
		o.Interval = method
	default:
		if err := o.Interval.UnmarshalText([]byte(r.Method)); err != nil {
			return nil, &DifferenceError{Path: "interval_method", Have: r.Method, Want: "the name of an interval"}
		}
	}
	var tallies []Tally
	passes := 0
	for i, s := range r.Scenarios {
		t := Tally{Scenario: s.Name, Passes: s.Passes, Fails: s.Trials - s.Passes, Errors: s.Errors, Unrun: s.Unrun}
		// Errors that count as failures are among the trials that are shown.
		if r.Errors == FailErrors {
			t.Fails -= s.Errors
		}
		if t.Fails < 0 || t.Passes < 0 || t.Errors < 0 {
			return nil, &DifferenceError{Path: fmt.Sprintf("scenarios[%d].passes", i),
				Have: fmt.Sprint(s.Passes), Want: fmt.Sprintf("at most the trials, %d", s.Trials)}
		}
		tallies, passes = append(tallies, t), passes+t.Passes
	}
	found := &rejudged.Result{}
	if r.Reliability != nil && r.Reliability.Cost != nil && len(tallies) > 0 {
		tallies[0].Cost = costOf(r.Reliability)
		// Passes that paid cannot be more than trials that paid, or than passes.
		if c := tallies[0].Cost; c.Passes < 0 || c.Passes > min(c.Known, passes) {
			most := prose.Count(min(c.Known, passes), "pass")
			return nil, &DifferenceError{"reliability.cost_per_success",
				fmt.Sprint(*r.Reliability.CostPerSuccess), "a cost over " + most}
		}
		if c := tallies[0].Cost; c.AtMost < 0 || c.AtMost > c.Estimated || c.Estimated > c.Known {
			return nil, &DifferenceError{"reliability.cost.estimated_trials", fmt.Sprint(c.Estimated),
				fmt.Sprintf("from %d to %d", max(0, c.AtMost), c.Known)}
		}
		found.Skipped = []string{"reliability.cost"}
	}
	again, err := JudgeThreshold(ctx, tallies, o)
	if err != nil {
		return nil, err
	}
	if r.Reliability != nil && again.Reliability.Cost != nil {
		if err := r.Reliability.Cost.CheckPrices("reliability.cost"); err != nil {
			return nil, err
		}
		again.Reliability.Cost.Prices = r.Reliability.Cost.Prices
	}
	var cost *CostView
	if r.Reliability != nil {
		cost = r.Reliability.Cost
	}
	if err := CheckUsage("usage", r.Usage, cost); err != nil {
		return nil, err
	}
	found.Skip = append(found.Skip, "usage")
	if r.Labels != nil {
		found.Given = append(found.Given, "labels.sheet")
	}
	judged := map[string]int{}
	for _, s := range r.Scenarios {
		judged[s.Name] = s.Trials
	}
	if err := checkAnswers("identical_answers", r.Answers, judged); err != nil {
		return nil, err
	}
	if r.Answers != nil {
		again.Repeat(r.Answers)
		found.Given = append(found.Given, "identical_answers")
	}
	// Earlier looks are what the ledger held.
	if r.Looks != nil {
		again.Look(r.Looks.Earlier, r.Looks.Declared)
		found.Given = append(found.Given, "looks.earlier", "looks.declared")
	}
	found.Again = again
	return found, nil
}

// methodOf is the method of the intervals, which is no option in a document of the first edition: the first
// interval that is there names it. Without any it makes no difference.
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

// costOf is what all trials cost, with as many passes as the cost per success says. They
// are not in the document, but follow from it: the total over the cost per success, which
// is a whole number but for rounding.
func costOf(r *Reliability) Cost {
	c := Cost{
		Trials: r.Cost.Trials, Known: r.Cost.KnownTrials, TotalUSD: r.Cost.TotalUSD,
		Estimated: r.Cost.EstimatedTrials, AtMost: r.Cost.AtMostTrials,
	}
	if r.CostPerSuccess != nil && *r.CostPerSuccess != 0 {
		c.Passes = int(math.Round(r.Cost.TotalUSD / *r.CostPerSuccess))
	} else if r.CostPerSuccess != nil {
		c.Passes = 1 // it cost nothing, however many passed
	}
	return c
}

// Problem says what of a saved verdict does not fit together, so that it could not even be shown; "" is nothing.
func (r *ThresholdResult) Problem() string { return rejudged.CountsProblem(r) }
