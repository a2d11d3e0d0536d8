package storecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
)

// TracesCommand looks into the trials of a store.
func TracesCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "traces",
		Short: "look for trials in a store, show one, and draw samples of them",
		Long: `Look for trials in a store, show what happened in one, and draw samples of them. Wherever
a command reads a file of trials, store:QUERY stands for those of a store, so that what is
found here is judged there.

A QUERY is keys with values, all of which must hold, such as suite=shop,since=30d: run,
suite, kind, version, commit, branch, baseline, since, until, last (so many runs),
scenario, outcome and label.NAME. Trials of mutate, race, relate and conform are left out
unless it names run, kind, version or baseline.`,
		Example: `  tribunal store traces query --version v2 --scenario "refund-*" --outcome fail
  tribunal store traces show 7d1a458236/0/4
  tribunal store traces sample --version v2 -n 100 --json |
    tribunal judge tribunal.yaml -`,
	}
	return base.Holder(command, tracesQueryCommand(a), tracesShowCommand(a), tracesSampleCommand(a))
}

// bindTraces binds the options of which trials are meant, and in what form they are printed.
func bindTraces(flags *pflag.FlagSet, r *storing.TracesRequest) {
	o := option.Of(flags).Below("traces")
	o.Text(base.VersionFlag, &r.Version)
	o.Text("scenario", &r.Scenario)
	o.Text("since", &r.Since)
	o.Text("until", &r.Until)
	o.Text("outcome", &r.Outcome)
	o.Switch("json", &r.To.JSON)
	o.Text("output", &r.To.Output)
	bind.Reports(flags, &r.To)
	o.Text(base.StoreFlag, &r.Store.Name)
}

func tracesQueryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "query [QUERY]",
		Short: "list trials, those of the newest runs first",
		Long: `List the trials of a store that a QUERY and the flags mean, those of the newest runs first:
run, part and number in it, which tribunal store traces show reads, when the trial began, its
version, scenario and outcome, what it cost and its turns. --search looks for a text in
what happened in a trial: input, output, steps and errors.`,
		Example: `  tribunal store traces query --version v2 --scenario "refund-*" --outcome fail
  tribunal store traces query suite=shop,branch=main --search "out of stock"
  tribunal store traces query --outcome fail --json -o failures.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("query"),
	}
	var r storing.SearchRequest
	o := option.Of(command.Flags()).Below("traces")
	bindTraces(command.Flags(), &r.TracesRequest)
	o.Text("search", &r.Text)
	option.Bind(o, "limit", &r.Limit, option.Count(1, value.MaxTrials))
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Query, r.Given = strings.Join(args, ""), base.GivenOf(flags)
		return storing.SearchTraces(ctx, a, r)
	})
	return command
}

func tracesSampleCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "sample [QUERY] -n N",
		Short: "draw trials at random",
		Long: `Draw trials at random, without replacement, from those that a QUERY and the flags mean:
each with the same chance, or with --stratified as many of each scenario as of any other.
The same seed draws the same trials of the same store.`,
		Example: `  tribunal store traces sample --version v2 -n 100 --seed 1
  tribunal store traces sample suite=shop,since=7d -n 50 --stratified --json -o sample.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("query"),
	}
	r := storing.SampleRequest{SampleOptions: store.SampleOptions{Seed: 1}}
	o := option.Of(command.Flags()).Below("traces")
	option.Bind(o, "trials", &r.Trials, option.Count(1, storing.MostSampled))
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Switch("stratified", &r.Stratified)
	bindTraces(command.Flags(), &r.TracesRequest)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if r.Trials == 0 {
			return problem.Usage("such as -n 100", "--trials is missing: how many to draw")
		}
		r.Query, r.Given = strings.Join(args, ""), base.GivenOf(flags)
		return storing.SampleTraces(ctx, a, r)
	})
	return command
}

func tracesShowCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "show TRIAL",
		Short: "show what happened in a trial",
		Long: `Show what happened in a trial of a store, as tribunal try shows one: its input, output and
steps, what it took, and what each evaluator made of it. TRIAL is RUN/PART/POSITION as
tribunal store traces query lists it; of the run the beginning is enough.`,
		Example: `  tribunal store traces show 7d1a458236/0/4
  tribunal store traces show 7d1a458236/0/4 --json`,
		DisableFlagsInUseLine: true,
	}
	var r storing.TraceRequest
	o := option.Of(command.Flags()).Below("traces")
	o.Text(base.StoreFlag, &r.Store.Name)
	o.Switch("json", &r.JSON)
	command.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return problem.Usage("such as 7d1a458236/0/4; tribunal store traces query lists them",
				"store traces show takes one trial, but there are %d", len(args))
		}
		return nil
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Trial = args[0]
		return storing.ShowTrace(ctx, a, r)
	})
	return command
}
