package cli

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

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
		if flags.Lookup(name) != nil && typed(flags, name) {
			return usage("leave one of them out", "--%s does not go with --anytime, which decides by evidence over pairs", name)
		}
	}
	if len(files) == 0 {
		return usage("name two recordings", "--anytime needs trials in their order, and counts have none")
	}
	if slices.ContainsFunc(files, func(file string) bool { return isResult(ctx, file) }) {
		return usage("name the journals, or recordings", "--anytime needs trials, and a saved result has what they came to")
	}
	return nil
}

// judgeAnytime compares by evidence that holds however the trials were stopped.
func (f *compareFlags) judgeAnytime(ctx context.Context, a *App, to *outputFile, both [2]*evidence) error {
	result, err := compare.JudgeAnytime(both[0].recording, both[1].recording, compare.AnytimeOptions{
		Delta: float64(f.delta),
		Alpha: f.looks.share(float64(f.judging.alpha)), Beta: f.looks.share(float64(f.beta)),
		Errors: f.judging.errors.value,
	})
	if err != nil {
		return err
	}
	result.ExitCode = f.result.exit(a, result.Verdict, result.Reasons)
	return f.result.conclude(ctx, a, to, result)
}
