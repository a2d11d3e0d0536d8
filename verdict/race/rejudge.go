package race

import (
	"context"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Rejudge judges both runs again from their outcomes, and then the race. What trials cost and took on average is taken
// as it is.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	e := Evidence{Suite: r.Suite, Digest: r.Digest, Options: r.Asked}
	found := &rejudged.Result{
		Given:   []string{"suite", "digest", "asked", "looks.earlier", "looks.declared"},
		Skipped: []string{"asked", "arms.cost_usd", "arms.duration_s", "arms.price_usd"},
	}
	for _, part := range []struct {
		path string
		have *runs.Result
		into **runs.Result
	}{{"run", r.Run, &e.Run}, {"confirmation", r.Confirmation, &e.Confirmation}} {
		if part.have == nil {
			continue
		}
		again, err := part.have.Rejudge(ctx)
		if err != nil {
			return nil, recheck.Within(part.path, err)
		}
		found.Include(part.path, part.have, again)
		*part.into = again.Again.(*runs.Result)
	}
	if e.Run == nil {
		return nil, &verdict.DifferenceError{Path: "run", Have: "none", Want: "a run"}
	}
	for _, a := range r.Arms {
		e.Arms = append(e.Arms, Entrant{Name: a.Name, CostUSD: a.CostUSD, Seconds: a.Seconds, Price: a.Price})
	}
	again, err := Judge(ctx, e)
	if err != nil {
		return nil, err
	}
	if r.Looks != nil {
		again.Look(r.Looks.Earlier, r.Looks.Declared, r.Looks.Compared)
	}
	found.Again = again
	return found, nil
}

// Problem says what of a saved race does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string {
	if problem := rejudged.PartProblem("run", r.Run); problem != "" {
		return problem
	}
	if len(r.Arms) < 2 || len(r.Reasons) == 0 {
		return "variants or reasons are missing"
	}
	if r.Confirmation == nil {
		return ""
	}
	return rejudged.PartProblem("confirmation", r.Confirmation)
}
