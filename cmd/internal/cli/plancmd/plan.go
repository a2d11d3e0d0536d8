package plancmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/planning"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// PlanCommand designs what verdict --sequential and run carry out; it ends without a
// verdict.
func PlanCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "plan --threshold P",
		Short: "design a test: how many trials it takes, and how often it errs",
		Long: `Design a sequential test before a trial is paid for: how many trials to expect, how
many at most, when it ends, and its exact error rates.

The test tells a system that passes at least the threshold from one that passes
less by delta or more. It ends as soon as the evidence suffices. With --baseline
it tells a candidate that is as good as recorded trials from one that is worse by
delta; its errors hold over the sampling of both. --baseline-trials says how many
trials of a baseline to record once, --sides how many of each side compare takes,
--scenarios what one question about all scenarios of a suite takes, as by: suite tests it;
--behaviour how many show a shift of behaviour, beside what published formulas say;
--proxy whether trials of a cheaper system save any of this one; --pipeline multiplies
a published theorem's factors for a suite.`,
		Example: `  tribunal plan --threshold 0.90 --delta 0.10 --max-trials 152
  tribunal plan --threshold 0.95 --price 0.12 --seconds 40 --chart plan.svg
  tribunal plan --baseline main.jsonl --delta 0.10
  tribunal plan --side-by-side --guard 0.9 --delta 0.10
  tribunal plan --baseline-trials 0.95 --candidates 20
  tribunal plan --sides 0.95 --delta 0.10
  tribunal plan --scenarios 20
  tribunal plan --scenarios 20 --baseline-trials 0.95
  tribunal plan --behaviour main.jsonl --shift output_tokens=0.5sd --power 0.9
  tribunal plan --proxy large.jsonl,mini.jsonl --price 0.15 --proxy-price 0.01
  tribunal plan --pipeline examples/ticket-routing --price 0.15`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := planning.PlanRequest{Alpha: verdict.DefaultAlpha, Group: 1, Sizes: planning.Sizes{Candidates: 20}}
	bindPlan(command.Flags(), &r)
	execute := base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Args, r.Given = args, base.GivenOf(flags)
		if hint := base.Below(command, strings.Join(args, " ")); hint != "" {
			return problem.Usage(hint, "unknown command %q of plan", args[0])
		}
		if r.Pipeline {
			if err := checkPipeline(command, r.Given); err != nil {
				return err
			}
		}
		return planning.Plan(ctx, a, r)
	})
	command.RunE = func(command *cobra.Command, args []string) error {
		// It reads a suite itself, which need not be the one that is found here.
		if r.Pipeline {
			for _, d := range base.SuiteDefaults {
				base.NotOfSuite(command.Flags(), d.Flag)
			}
		}
		return execute(command, args)
	}
	return command
}

// bindPlan lists what the question is first, then the design, then money and time, then files.
func bindPlan(flags *pflag.FlagSet, r *planning.PlanRequest) {
	o := option.Of(flags)
	option.Bind(o, "threshold", &r.Threshold, option.Threshold)
	base.RegisterProfile(flags)
	bind.Design(flags, &r.Design)
	bind.Prior(flags, &r.Design)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	option.Bind(o, "prior-mode", &r.PriorMode, option.Word("MODE", "", planning.HonestPrior, planning.DensityRatioPrior))
	option.Bind(o, "group", &r.Group, option.Count(1, value.MaxDesign))
	option.Bind(o, "looks", &r.Looks, option.Count(1, value.MaxDesign))
	option.Bind(o, "design-effect", &r.Served, option.Count(2, verdictplan.MostServed))
	bind.Against(flags, &r.Against)
	o.Switch("side-by-side", &r.SideBySide)
	option.Bind(o, "sides", &r.Sizes.Sides, shareType)
	option.Bind(o, "baseline-trials", &r.Sizes.Recorded, shareType)
	// Twenty candidates are chosen, about a month of working days.
	option.Bind(o, "candidates", &r.Sizes.Candidates, option.Count(1, 1_000_000))
	option.Bind(o, "scenarios", &r.Sizes.Scenarios, option.Count(1, 300))
	o.Switch("pipeline", &r.Pipeline)
	o.Text("behaviour", &r.Behaviour.Traces)
	o.Value("shift", &r.Behaviour.Shifts)
	option.Bind(o, "distance", &r.Behaviour.Distance, option.Deviations)
	option.BindOptional(o, "power", &r.Behaviour.Power, option.Level)
	bind.BehaviourTest(flags, &r.Behaviour.Test)
	option.BindOptional(o, "max-cost", &r.Behaviour.MaxCost, option.Amount)
	o.List("proxy", &r.Proxy)
	option.BindOptional(o, "proxy-price", &r.ProxyPrice, option.Amount)
	option.BindOptional(o, "price", &r.Price, option.Amount)
	option.BindOptional(o, "seconds", &r.Seconds, option.Amount)
	o.Text("chart", &r.Chart)
	o.Switch("compare", &r.Compare)
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	o.Switch("json", &r.Result.JSON)
	o.Text("output", &r.Result.Output)
	bind.Reports(flags, &r.Result)
}

// shareType reads a share above 0, and at most 1.
var shareType = option.Type[float64]{Unit: "P", Text: option.Part.Text, Parse: option.Part.Parse}

// checkPipeline refuses what the suite says, or what has no meaning for it: also an option that is added to the command
// later.
func checkPipeline(command *cobra.Command, given value.GivenOptions) (err error) {
	// Of --design-effect the plan says itself what it is for.
	goes := []string{"pipeline", "price", "json", "output", "profile", "design-effect"}
	command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(goes, flag.Name) && given.Typed(flag.Name) {
			err = problem.Usage("omit it", "--%s does not go with --pipeline", flag.Name)
		}
	})
	return err
}
