package mutants

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Rejudge judges both runs again from their outcomes, the behaviour of each mutant from what is held of it, and then
// the campaign. What the mutants changed is taken as it is.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	c := Campaign{Suite: r.Suite, Digest: r.Digest, Options: r.Asked, Behaviour: map[string]*behaviour.Comparison{},
		Sensors: map[string][]Sensor{}, Prompt: map[int]string{}}
	found := &rejudged.Result{
		Given:   []string{"suite", "digest", "asked"},
		Skipped: []string{"asked", "mutants.operator", "mutants.site", "mutants.diff", "mutants.sensors"},
	}
	if r.Asked.Edition > unaskedEdition {
		return nil, &verdict.DifferenceError{Path: "asked.edition", Have: fmt.Sprint(r.Asked.Edition),
			Want: fmt.Sprintf("at most %d", unaskedEdition)}
	}
	for _, part := range []struct {
		path string
		have *runs.Result
		into **runs.Result
	}{{"original", r.Original, &c.Original}, {"run", r.Run, &c.Run}} {
		if part.have == nil {
			return nil, &verdict.DifferenceError{Path: part.path, Have: "none", Want: "a run"}
		}
		again, err := part.have.Rejudge(ctx)
		if err != nil {
			return nil, recheck.Within(part.path, err)
		}
		found.Include(part.path, part.have, again)
		*part.into = again.Again.(*runs.Result)
	}
	for _, m := range r.Mutants {
		c.Mutants = append(c.Mutants, m.Mutant)
		c.Sensors[m.ID] = m.Sensors
		if m.Behaviour != nil {
			c.Behaviour[m.ID] = m.Behaviour
		}
	}
	for _, line := range r.Unsensed {
		c.Prompt[line.Number] = line.Text
	}
	var err error
	found.Again, err = judge(ctx, c)
	return found, err
}

// Problem says what of a saved campaign does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string {
	if problem := rejudged.PartProblem("original", r.Original); problem != "" {
		return problem
	}
	return rejudged.PartProblem("run", r.Run)
}
