package mutatecmd

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
func (f *campaignFlags) checks(ctx context.Context, a *world.World, s *suite.Suite, files []string) error {
	if err := evidence.CheckNames(files, false); err != nil {
		return err
	}
	scenarios, err := f.run.Choice.Selected(s)
	if err != nil {
		return err
	}
	if s, err = s.Expanded(scenarios); err != nil {
		return err
	}
	to, err := (&deliver.Target{Output: f.run.Output}).File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := f.result.Reports.Open(files...); err != nil {
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
	var least *float64
	if f.failUnder > 0 {
		x := float64(f.failUnder)
		least = &x
	}
	result := mutants.JudgeChecks(s.Name, s.Digest(), checks, untried, len(trials), least)
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}
