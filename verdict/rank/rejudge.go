package rank

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge ranks again from the outcomes and points that the result holds.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	again := &Result{Schema: Schema, Alpha: r.Alpha, Seed: r.Seed, Results: slices.Clone(r.Results)}
	if m := r.Improvement; m != nil {
		again.Improvement = &Improvement{Axis: m.Axis, Delta: m.Delta}
	}
	if err := again.judge(ctx); err != nil {
		if option, ok := errors.AsType[*optionError](err); ok {
			return nil, &verdict.DifferenceError{Path: option.Option, Have: option.Problem, Want: "what can be ranked"}
		}
		return nil, err
	}
	return &rejudged.Result{
		Again: again,
		// What the runs say of themselves, from which nothing else in it follows.
		Then: func() error {
			if r.Improvement == nil && r.ExitCode != 0 {
				return &verdict.DifferenceError{Path: "exit_code", Have: fmt.Sprint(r.ExitCode), Want: "0"}
			}
			return nil
		},
		Skipped: []string{"results.suite", "results.digest", "results.cost_usd", "results.duration_s", "results.stopped",
			"seed"},
	}, nil
}
