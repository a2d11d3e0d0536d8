package relations

import (
	"context"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Rejudge judges the run again from its outcomes, or recorded pairs from their marks, and then the relations. What the
// relations claim and the examples are taken as they are.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	found := &rejudged.Result{
		Given:   []string{"suite", "digest", "asked", "recorded"},
		Skipped: []string{"asked", "relations.claim", "relations.scenarios.examples", "relations.scenarios.vacuous"},
	}
	var claims []Claim
	e := Evidence{Suite: r.Suite, Digest: r.Digest, Options: r.Asked, Examples: map[string][]Example{},
		Vacuous: map[string]int{}}
	for _, j := range r.Relations {
		claims = append(claims, j.Claim)
		for _, c := range j.Scenarios {
			name := suite.PairName(j.Name, c.Scenario)
			e.Pairs = append(e.Pairs, Pair{name, j.Name, c.Scenario})
			e.Examples[name], e.Vacuous[name] = c.Example, c.Vacuous
		}
	}
	if r.Run == nil {
		var err error
		found.Again, err = JudgeRecorded(ctx, r.Suite, r.Digest, claims, r.Recorded, r.Asked)
		return found, err
	}
	again, err := r.Run.Rejudge(ctx)
	if err != nil {
		return nil, recheck.Within("run", err)
	}
	found.Include("run", r.Run, again)
	e.Claims, e.Run = claims, again.Again.(*runs.Result)
	found.Again, err = Judge(ctx, e)
	return found, err
}

// Problem says what of a saved result does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string {
	switch {
	case r.Run != nil && len(r.Recorded) > 0:
		return "run and recorded are both there"
	case r.Run == nil:
		return "" // marks are read where they are judged
	}
	return rejudged.PartProblem("run", r.Run)
}
