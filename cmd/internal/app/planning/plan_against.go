package planning

import (
	"context"
	"errors"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// byFamily reports whether the test is one against a baseline whose errors are over the
// sampling of both sides.
func (r *PlanRequest) byFamily() bool {
	return r.againstBaseline() && r.Against.Method == judging.FamilyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (r *PlanRequest) checkFamily() error {
	for _, name := range []string{"design", "prior", "prior-mode", "group", "looks", "compare"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	if strings.HasSuffix(strings.ToLower(r.Chart), ".svg") {
		return problem.Usage("--chart - draws the boundaries as text, a report in HTML (tribunal report) as a picture",
			"--chart %s is for tests against a threshold or limits", r.Chart)
	}
	return judging.CheckLength(r.Design.MaxTrials)
}

// planFamily plans the test of a candidate against the baseline.
func (r *PlanRequest) planFamily(ctx context.Context, a *world.World, to *outfile.File) error {
	sources := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Variant}
	from, err := sources.Recorded(ctx, "baseline", r.Against.Baseline, r.Against.Scenario)
	if err != nil {
		return err
	}
	options := verdictplan.AgainstOptions{
		Question: r.Against.Question(r.Design.Delta, r.Alpha, r.Design.Beta),
		Sample:   from.Sample, Recorded: from.Recorded, MaxTrials: r.Design.MaxTrials,
		Scenarios: from.Scenarios, Served: r.Served,
	}
	if options.Served > 0 && from.Sample.Record().Fixed == 0 {
		return problem.Usage("plan against trials of a fixed number, as run --record makes them, or with --threshold",
			"--design-effect does not go with a baseline that a test stopped: where it stops, with answers that are served "+
				"again, is not computed")
	}
	options.PriceUSD, options.Seconds = r.prices()
	progress := a.NewDesigning()
	options.Progress = progress.Share
	plan, err := verdictplan.TestAgainst(ctx, options)
	progress.End()
	if err != nil {
		return judging.AgainstError(r.Given, r.Design.Delta, err)
	}
	o := r.Result.TextOptions(a, to)
	watched := to == nil && world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth).Terminal
	o.Chart = r.Chart == "-" || r.Chart == "" && watched
	return r.Result.DeliverWith(ctx, a, to, plan, o)
}

// checkRounds refuses what a test in rounds has no use for.
func (r *PlanRequest) checkRounds() error {
	if len(r.Args) > 0 {
		return problem.Usage("omit it", "plan takes no argument, but there is %q", r.Args[0])
	}
	for _, name := range []string{"threshold", "baseline", "baseline-scenario", "method", "gamma", "design", "prior",
		"prior-mode", "group", "looks", "compare", "chart", "variant", "candidates"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it", "--%s does not go with --side-by-side", name)
		}
	}
	if n := r.Design.MaxTrials; n > baseline.MostRounds {
		return problem.Usage("omit it", "--max-trials %d is more than the %d rounds that are planned for", n,
			baseline.MostRounds)
	}
	return nil
}

// planRounds plans a test that runs both sides.
func (r *PlanRequest) planRounds(ctx context.Context, a *world.World) error {
	if err := r.checkRounds(); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, nil)
	if err != nil {
		return err
	}
	options := verdictplan.RoundsOptions{
		Delta: r.Design.Delta, Alpha: r.Alpha, Beta: r.Design.Beta,
		Guard: r.Against.Guard, MaxRounds: r.Design.MaxTrials,
	}
	options.PriceUSD, options.Seconds = r.prices()
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
		return judging.AgainstError(r.Given, r.Design.Delta, err)
	}
	return r.Result.DeliverWith(ctx, a, to, plan, r.Result.TextOptions(a, to))
}
