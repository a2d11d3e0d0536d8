package improvement

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge judges the attempts again from what each of them recorded. What stopped the loop, what calls took and the
// digests of files are taken as they are.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	if err := checkCalls(r.Calls); err != nil {
		return nil, err
	}
	attempts := slices.Clone(r.Attempts)
	for i := range attempts {
		attempts[i].Judged = nil
	}
	again, err := Judge(ctx, Evidence{
		Name: r.Name, Asked: r.Asked, Tests: r.Tests, Attempts: attempts, Calls: r.Calls, Stop: r.Stop, StopText: r.StopText,
		Seed: r.Seed, Version: r.Version, Finished: r.Finished,
	})
	if err != nil {
		return nil, err
	}
	return &rejudged.Result{
		Again: again,
		Given: []string{"name", "asked", "stop", "stop_text", "tests", "attempts.number", "attempts.state",
			"attempts.outcomes",
			"attempts.again", "attempts.pairs", "attempts.max_pairs", "calls", "seed", "version", "finished"},
		Skipped: []string{"asked.sets", "attempts.problem", "attempts.files", "stop_text", "calls"},
	}, nil
}
