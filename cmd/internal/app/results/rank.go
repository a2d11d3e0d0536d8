package results

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict/rank"
)

// Rank ranks saved results, and prints the ranks.
func Rank(ctx context.Context, a *world.World, files []string, o rank.Options, to *deliver.Target) error {
	file, err := to.File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := to.Spared("--output", file, files, true); err != nil {
		return err
	}
	var sources []rank.Source
	for _, name := range files {
		saved, err := app.ReadResult(ctx, name, a.Stdin)
		if err != nil {
			return err
		}
		run := app.RunOf(saved)
		if run == nil {
			return problem.BadInput(prose.FileName(name)+" is not the result of a run", "name results of run or gate")
		}
		sources = append(sources, rank.Source{Name: name, Run: run})
	}
	result, err := rank.Judge(ctx, sources, o)
	if err != nil {
		return err
	}
	if o.Improve == "" {
		return to.Deliver(ctx, a, file, result)
	}
	return to.Conclude(ctx, a, file, result)
}
