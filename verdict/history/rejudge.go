package history

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge computes intervals and changes again from the points, and compares scenarios again from their counts.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	o := Options{
		Suite: r.Suite, Version: r.Version, Branch: r.Branch, Scenario: r.Scenario, Metric: r.Metric, Baseline: r.Baseline,
		Alpha: r.Alpha, ByTrials: r.Unit == change.Trials, Permutations: r.Permutations, Seed: r.Seed,
	}
	again, err := Judge(ctx, r.Points, r.tallies(), o)
	if ctx.Err() == nil && err != nil {
		err = &verdict.DifferenceError{Path: "points", Have: "what cannot be", Want: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return &rejudged.Result{Again: again}, nil
}

// tallies are the scenarios that a result holds; nil where it has none.
func (r *Result) tallies() Scenarios {
	if r.Variation == nil && !slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Scenarios != nil }) {
		return nil
	}
	return func(_ context.Context, from, to int) (list []Tally, err error) {
		for i, c := range r.Changes {
			before, after := r.Segments[i], r.Segments[i+1]
			switch {
			case before.From == from && before.To == to:
				for _, s := range c.Scenarios {
					list = append(list, Tally{s.Name, stats.Counts{Passes: s.PassesBefore, Trials: s.TrialsBefore}})
				}
				return list, nil
			case after.From == from && after.To == to:
				for _, s := range c.Scenarios {
					list = append(list, Tally{s.Name, stats.Counts{Passes: s.PassesAfter, Trials: s.TrialsAfter}})
				}
				if i == len(r.Changes)-1 {
					return list, nil
				}
			}
			list = nil
		}
		if r.Variation == nil {
			return nil, nil
		}
		// One segment alone has no names.
		for _, g := range r.Variation.Groups {
			for range g.Scenarios {
				list = append(list, Tally{fmt.Sprint(len(list)), stats.Counts{Passes: g.Passes, Trials: g.Trials}})
			}
		}
		return list, nil
	}
}

// Problem says what of a result does not fit together, so that it could not be shown; "" if nothing does not.
func (r *Result) Problem() string {
	if len(r.Points) > MostPoints {
		return fmt.Sprintf("points are %d, and there may be %d", len(r.Points), MostPoints)
	}
	for i, p := range r.Points {
		if p.Runs < 1 || p.Passes < 0 || p.Failures < 0 || p.Errors < 0 || p.Runs > stats.MaxTrials ||
			p.Passes > stats.MaxTrials || p.Failures > stats.MaxTrials || p.Errors > stats.MaxTrials {
			return fmt.Sprintf("points[%d] has counts that cannot be", i)
		}
		if s := p.Sum; s != nil && (s.Known < 0 || s.Known > stats.MaxTrials) {
			return fmt.Sprintf("points[%d].sum has a count that cannot be", i)
		}
	}
	if len(r.Segments) != len(r.Changes)+1 && (len(r.Segments) > 0 || len(r.Changes) > 0) {
		return fmt.Sprintf("there are %d segments and %d changes", len(r.Segments), len(r.Changes))
	}
	next := 0
	for i, g := range r.Segments {
		if g.From != next || g.To <= g.From || g.To > len(r.Points) {
			return fmt.Sprintf("segments[%d] is of points that do not follow", i)
		}
		next = g.To
	}
	for i, c := range r.Changes {
		if c.At != r.Segments[i].To || c.Earliest < 0 || c.Earliest > c.At || c.Latest < c.At || c.Latest >= len(r.Points) {
			return fmt.Sprintf("changes[%d] is at a point that cannot be", i)
		}
	}
	return r.Variation.Problem()
}
