package compare

import (
	"slices"

	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// takeUsage takes what the trials took as it is, as far as it can be: their steps are not in the result.
func (r *Result) takeUsage(found *rejudged.Result) error {
	found.Skip = append(slices.Clone(found.Skip), "baseline.usage", "candidate.usage")
	for _, side := range []struct {
		path    string
		figures *Side
	}{{"baseline.usage", &r.Baseline}, {"candidate.usage", &r.Candidate}} {
		var cost *verdict.CostView
		if side.figures.Reliability != nil {
			cost = side.figures.Reliability.Cost
		}
		if err := verdict.CheckUsage(side.path, side.figures.Usage, cost); err != nil {
			return err
		}
	}
	return nil
}

// usageOfBoth are the parts of a comparison without trials that are taken as they are.
var usageOfBoth = []string{"baseline_usage", "candidate_usage"}

// checkBoth refuses a usage of a side whose rows do not add up.
func checkBoth(baseline, candidate *usage.Usage) error {
	if err := verdict.CheckUsage(usageOfBoth[0], baseline, nil); err != nil {
		return err
	}
	return verdict.CheckUsage(usageOfBoth[1], candidate, nil)
}
