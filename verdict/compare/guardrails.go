package compare

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// takeGuardrails takes what guards denied as it is, as far as it can be: the trials of a result do not say.
func (r *Result) takeGuardrails(found *rejudged.Result) error {
	found.Skip = append(found.Skip, "baseline.guardrails", "candidate.guardrails")
	for _, side := range []struct {
		path    string
		figures *Side
	}{{"baseline.guardrails", &r.Baseline}, {"candidate.guardrails", &r.Candidate}} {
		if err := checkDenied(side.path, side.figures.Guardrails); err != nil {
			return err
		}
		// Trials are those with an outcome, and where errors count as failures those too.
		if c := side.figures.Guardrails; c != nil && c.Guarded > side.figures.Trials+side.figures.Errors {
			return &verdict.DifferenceError{Path: side.path + ".guarded", Have: fmt.Sprint(c.Guarded),
				Want: fmt.Sprintf("at most %d", side.figures.Trials+side.figures.Errors)}
		}
	}
	return nil
}

// deniedOfBoth are the parts of a comparison without trials that are taken as they are.
var deniedOfBoth = []string{"baseline_guardrails", "candidate_guardrails"}

// checkDeniedOfBoth refuses counts of a side that do not add up.
func checkDeniedOfBoth(baseline, candidate *guardrails.Counts) error {
	if err := checkDenied(deniedOfBoth[0], baseline); err != nil {
		return err
	}
	return checkDenied(deniedOfBoth[1], candidate)
}

// checkDenied refuses counts that do not add up.
func checkDenied(path string, c *guardrails.Counts) error {
	if c == nil {
		return nil
	}
	if name, have, want := c.Problem(); name != "" {
		return &verdict.DifferenceError{Path: path + "." + name, Have: have, Want: want}
	}
	return nil
}
