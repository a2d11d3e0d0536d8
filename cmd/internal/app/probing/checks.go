package probing

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// checks changes the evaluators of a suite in place of its agent, and judges recorded trials: would anyone notice?
func (r *MutateRequest) checks(ctx context.Context, a *world.World, s *suite.Suite, files []string) error {
	if err := evidence.CheckNames(files, false); err != nil {
		return err
	}
	scenarios, err := r.Choice.Selected(s)
	if err != nil {
		return err
	}
	if s, err = s.Expanded(scenarios); err != nil {
		return err
	}
	to, err := (&deliver.Target{Output: r.Output}).File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := r.Result.Reports.Open(files...); err != nil {
		return err
	}
	stream, all := evidence.Open(ctx, a, files, ingest.Options{Options: trial.Options{Unjudged: true}, AllVariants: true,
		Numbered: true}, evidence.Counted)
	var trials []*trial.Trial
	for t, err := range all {
		if err != nil {
			return err
		}
		trials = append(trials, t.Clone())
	}
	evidence.NoteFiles(a, stream.Notes(), ingest.Auto)
	checks, untried, err := app.ChangedChecks(ctx, s, scenarios, trials)
	if err != nil {
		return err
	}
	result := mutants.JudgeChecks(s.Name, s.Digest(), checks, untried, len(trials), r.failUnder())
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}

// failUnder is the score below which the campaign fails; nil is none.
func (r *MutateRequest) failUnder() *float64 {
	if r.FailUnder == 0 {
		return nil
	}
	return &r.FailUnder
}
