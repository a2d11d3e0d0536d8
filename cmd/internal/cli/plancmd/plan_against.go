package plancmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// byFamily reports whether the test is one against a baseline whose errors are over the
// sampling of both sides.
func (f *planFlags) byFamily(flags *pflag.FlagSet) bool {
	return f.againstBaseline(flags) && f.against.Method.Value == judging.FamilyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (f *planFlags) checkFamily(flags *pflag.FlagSet) error {
	for _, name := range []string{"design", "prior", "prior-mode", "group", "looks", "compare"} {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave it out, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	if strings.HasSuffix(strings.ToLower(f.chart), ".svg") {
		return problem.Usage("--chart - draws the boundaries as text, a report in HTML (tribunal report) as a picture",
			"--chart %s is for tests against a threshold or limits", f.chart)
	}
	return judging.CheckLength(f.design.MaxTrials.Value)
}

// planFamily plans the test of a candidate against the baseline.
func (f *planFlags) planFamily(ctx context.Context, a *world.World, flags *pflag.FlagSet, to *outfile.File) error {
	sources := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.variant}
	from, err := sources.Recorded(ctx, "baseline", f.against.Baseline, f.against.Scenario)
	if err != nil {
		return err
	}
	options := verdictplan.AgainstOptions{
		Question: f.against.Question(float64(f.design.Delta), float64(f.alpha), float64(f.design.Beta)),
		Sample:   from.Sample, Recorded: from.Recorded, MaxTrials: f.design.MaxTrials.Value,
		Scenarios: from.Scenarios, Served: f.served.Value,
	}
	if options.Served > 0 && from.Sample.Record().Fixed == 0 {
		return problem.Usage("plan against trials of a fixed number, as run --record makes them, or with --threshold",
			"--design-effect does not go with a baseline that a test stopped: where it stops, with answers that are served "+
				"again, is not computed")
	}
	options.PriceUSD, options.Seconds = f.prices(flags)
	progress := a.NewDesigning()
	options.Progress = progress.Share
	plan, err := verdictplan.TestAgainst(ctx, options)
	progress.End()
	if err != nil {
		return judging.AgainstError(flags, err)
	}
	o := f.result.TextOptions(a, to)
	watched := to == nil && world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth).Terminal
	o.Chart = f.chart == "-" || f.chart == "" && watched
	return f.result.DeliverWith(ctx, a, to, plan, o)
}

// checkRounds refuses what a test in rounds has no use for.
func (f *planFlags) checkRounds(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return problem.Usage("leave it out", "plan takes no argument, but there is %q", args[0])
	}
	for _, name := range []string{"threshold", "baseline", "baseline-scenario", "method", "gamma", "design", "prior",
		"prior-mode", "group", "looks", "compare", "chart", "variant", "candidates"} {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out", "--%s does not go with --side-by-side", name)
		}
	}
	if n := f.design.MaxTrials.Value; n > baseline.MostRounds {
		return problem.Usage("leave it out", "--max-trials %d is more than the %d rounds that are planned for", n,
			baseline.MostRounds)
	}
	return nil
}

// planRounds plans a test that runs both sides.
func (f *planFlags) planRounds(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.checkRounds(flags, args); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, nil)
	if err != nil {
		return err
	}
	options := verdictplan.RoundsOptions{
		Delta: float64(f.design.Delta), Alpha: float64(f.alpha), Beta: float64(f.design.Beta),
		Guard: float64(f.against.Guard), MaxRounds: f.design.MaxTrials.Value,
	}
	options.PriceUSD, options.Seconds = f.prices(flags)
	progress := a.NewDesigning()
	options.Progress = progress.Share
	plan, err := verdictplan.TestInRounds(ctx, options)
	progress.End()
	// No baseline is to blame for what was asked for here.
	if e, ok := errors.AsType[*baseline.InfeasibleError](err); ok {
		return problem.Usage("a larger --delta or a higher --guard takes fewer, and --max-trials may end inconclusive",
			"no test of at most %d rounds was found that keeps both errors", e.MaxTrials)
	}
	if err != nil {
		return judging.AgainstError(flags, err)
	}
	return f.result.DeliverWith(ctx, a, to, plan, f.result.TextOptions(a, to))
}
