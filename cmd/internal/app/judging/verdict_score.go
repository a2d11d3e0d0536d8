package judging

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// checkScore refuses what has no meaning for scores.
func (r *VerdictRequest) checkScore() error {
	if !r.Score {
		return nil
	}
	for _, name := range []string{"interval", "anytime", "labels", "looks", "sequential", "baseline", "by", "counts",
		"passes", "pass-score"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them",
				"--%s does not go with --score, which judges the mean of all scores, at any time", name)
		}
	}
	return nil
}

// judgeScores judges the mean of the scores of trials, whatever their outcomes.
func (r *VerdictRequest) judgeScores(
	ctx context.Context, a *world.World, to *outfile.File, into *keeping.Spool,
) error {
	// A trial may have a score alone; what its outcome would be makes no difference.
	r.Reading.PassScore = trial.Some(r.Threshold)
	var recorded recording.Recording
	var scores mean.Scores
	var bad error
	err := evidence.ReadBoth(keeping.Spooled(ctx, into), a, r.Files, r.Reading.Options(r.Variant, trial.BasicFields),
		&recorded, evidence.Counted, func(t *trial.Trial) {
			if err := scores.Add(t); err != nil && bad == nil {
				bad = err
			}
		})
	if err != nil {
		return evidence.Naming("variant", err)
	}
	if bad != nil {
		return problem.BadInput(bad.Error(), "divide the scores by the most that they may be")
	}
	scenarios := scores.Scenarios()
	// Evidence of one mean holds wherever its trials were stopped, and that of several where nothing they came to did.
	if s := recorded.Stopped(); s != nil && len(scenarios) > 1 && !s.IsCut() {
		return refuseStopped(ctx, s)
	}
	result, err := mean.Judge(scenarios, mean.Options{Threshold: r.Threshold, Alpha: r.Alpha, Errors: r.Errors})
	if err != nil {
		return err
	}
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}
