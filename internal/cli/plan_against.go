package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// byFamily reports whether the test is one against a baseline whose errors are over the
// sampling of both sides.
func (f *planFlags) byFamily(flags *pflag.FlagSet) bool {
	return f.againstBaseline(flags) && f.against.method.value == familyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (f *planFlags) checkFamily(flags *pflag.FlagSet) error {
	for _, name := range []string{"design", "prior", "prior-mode", "group", "looks", "compare"} {
		if flags.Changed(name) && origin(flags, name) == "--"+name {
			return usage("leave it out, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	if strings.HasSuffix(strings.ToLower(f.chart), ".svg") {
		return usage("--chart - draws the boundaries as text, a report in HTML (tribunal report) as a picture",
			"--chart %s is for tests against a threshold or limits", f.chart)
	}
	return checkLength(f.design.maxTrials.value)
}

// checkLength refuses a test against a baseline that is longer than any that is planned for.
func checkLength(trials int) error {
	if trials > baseline.MostTrials {
		return usage("leave it out", "--max-trials %d is more than the %d that are planned for against a baseline", trials,
			baseline.MostTrials)
	}
	return nil
}

// planFamily plans the test of a candidate against the baseline.
func (f *planFlags) planFamily(ctx context.Context, a *App, flags *pflag.FlagSet, to *outputFile) error {
	sources := recordings{app: a, flags: flags, evidence: &f.evidence, variant: f.variant}
	from, err := sources.recorded(ctx, "baseline", f.against.baseline, f.against.scenario)
	if err != nil {
		return err
	}
	options := verdictplan.AgainstOptions{
		Question: f.against.question(float64(f.design.delta), float64(f.alpha), float64(f.design.beta)),
		Sample:   from.sample, Recorded: from.recorded, MaxTrials: f.design.maxTrials.value,
		Scenarios: from.scenarios,
	}
	options.PriceUSD, options.Seconds = f.prices(flags)
	progress := a.newDesigning()
	options.Progress = progress.share
	plan, err := verdictplan.TestAgainst(ctx, options)
	progress.end()
	if err != nil {
		return againstError(flags, err)
	}
	o := f.result.textOptions(a, to)
	watched := to == nil && newScreen(a.stdout.w, a.Env, a.TerminalWidth).terminal
	o.Chart = f.chart == "-" || f.chart == "" && watched
	return f.result.deliverWith(ctx, a, to, plan, o)
}

// checkRounds refuses what a test in rounds has no use for.
func (f *planFlags) checkRounds(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return usage("leave it out", "plan takes no argument, but there is %q", args[0])
	}
	for _, name := range []string{"threshold", "baseline", "baseline-scenario", "method", "gamma", "design", "prior",
		"prior-mode", "group", "looks", "compare", "chart", "variant", "candidates"} {
		if typed(flags, name) {
			return usage("leave it out", "--%s does not go with --side-by-side", name)
		}
	}
	if !flags.Changed("guard") {
		return usage("such as --guard 0.9; the lower it is, the more rounds it takes",
			"--guard is missing: the lowest rate of the baseline for which the errors are kept")
	}
	if n := f.design.maxTrials.value; n > baseline.MostRounds {
		return usage("leave it out", "--max-trials %d is more than the %d rounds that are planned for", n, baseline.MostRounds)
	}
	return nil
}

// planRounds plans a test that runs both sides.
func (f *planFlags) planRounds(ctx context.Context, a *App, flags *pflag.FlagSet, args []string) error {
	if err := f.checkRounds(flags, args); err != nil {
		return err
	}
	to, err := f.result.file(ctx, a, nil)
	if err != nil {
		return err
	}
	options := verdictplan.RoundsOptions{
		Delta: float64(f.design.delta), Alpha: float64(f.alpha), Beta: float64(f.design.beta),
		Guard: float64(f.against.guard), MaxRounds: f.design.maxTrials.value,
	}
	options.PriceUSD, options.Seconds = f.prices(flags)
	progress := a.newDesigning()
	options.Progress = progress.share
	plan, err := verdictplan.TestInRounds(ctx, options)
	progress.end()
	// No baseline is to blame for what was asked for here.
	if e, ok := errors.AsType[*baseline.InfeasibleError](err); ok {
		return usage("a higher --guard or a larger --delta takes fewer",
			"no test of at most %d rounds was found that keeps both errors", e.MaxTrials)
	}
	if err != nil {
		return againstError(flags, err)
	}
	return f.result.deliverWith(ctx, a, to, plan, f.result.textOptions(a, to))
}
