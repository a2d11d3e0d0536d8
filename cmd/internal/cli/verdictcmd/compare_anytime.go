package verdictcmd

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// checkAnytime refuses what has no meaning for evidence at any time: it has one way to decide,
// and compares outcomes alone.
func (f *compareFlags) checkAnytime(ctx context.Context, flags *pflag.FlagSet, files []string) error {
	if !f.anytime {
		return nil
	}
	for _, name := range []string{"test", "rule", "correct", "interval", "by", "behaviour-only", "behaviour-test",
		"components", "prior", "fail-on", "seed", "looks"} {
		if flags.Lookup(name) != nil && base.Typed(flags, name) {
			return problem.Usage("leave one of them out",
				"--%s does not go with --anytime, which decides by evidence over pairs", name)
		}
	}
	if len(files) == 0 {
		return problem.Usage("name two recordings", "--anytime needs trials in their order, and counts have none")
	}
	if slices.ContainsFunc(files, func(file string) bool { return evidence.IsResult(ctx, file) }) {
		return problem.Usage("name the journals, or recordings",
			"--anytime needs trials, and a saved result has what they came to")
	}
	return nil
}

// judgeAnytime compares by evidence that holds however the trials were stopped.
func (f *compareFlags) judgeAnytime(
	ctx context.Context, a *world.World, to *outfile.File, both [2]*sideEvidence,
) error {
	result, err := compare.JudgeAnytime(both[0].recording, both[1].recording, compare.AnytimeOptions{
		Delta: float64(f.delta),
		Alpha: f.looks.Share(float64(f.judging.Alpha)), Beta: f.looks.Share(float64(f.beta)),
		Errors: f.judging.Errors.Value, Missing: f.missing.Value,
	})
	if err != nil {
		return err
	}
	result.Repeat(both[0].answers.Notable(), both[1].answers.Notable())
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}
