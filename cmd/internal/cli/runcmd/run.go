package runcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// freePort is where --live alone serves.
const freePort = "127.0.0.1:0"

// RunCommand is the only command beside gate that starts other people's programs.
func RunCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "run [SUITE]",
		Short: "run trials of an agent until each test decides",
		Long: `Run trials of the agent that a suite names, in parallel, and stop each test as soon
as its sequential design decides. SUITE is a file or the folder of a tribunal.yaml;
without it the file is searched from here up to the root of the repository.

What is done is in a journal, flushed before a decision uses it: after a kill or an
interrupt --resume continues where the run stopped. The result is saved beside it, as
JSON. Exit code 0 is Pass, 1 Fail, 2 Inconclusive; 69 if the agent cannot be run.

--record runs a number of trials of each scenario and decides nothing, with exit
code 0; the result is a baseline. --baseline tests whether the agent passes less
often than one, whatever changed of it.

To find out why trials failed, --failed repeats those of the last run, and --trial
refund#2 shows one of them as tribunal try does. They decide and save nothing; the
exit code of --failed is 1 where a trial did not pass again, else 0.`,
		Example: `  tribunal run
  tribunal run examples/ticket-routing --concurrency 16
  tribunal run --resume
  tribunal run --only "payment-*" --max-cost 2.50 --json
  tribunal run --record 300 --output main.result.json
  tribunal run --baseline main.result.json
  tribunal run --family holm
  tribunal run --live
  tribunal run --failed
  tribunal run --trial refund#2`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r running.Request
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("trial", &r.Again.Trial)
	o.Switch("failed", &r.Again.Failed)
	bindTests(flags, &r.Tests)
	bindRun(flags, &r)
	o.Text("live", &r.Live)
	flags.Lookup("live").NoOptDefVal = freePort
	option.Bind(o, "shard", &r.Shard, shardType)
	option.Bind(o, "missing", &r.Missing, option.Word("WAY", "", compare.MissingOpen, compare.MissingIgnore))
	base.RegisterProfile(flags)
	_ = command.RegisterFlagCompletionFunc("trial", func( // it was bound above
		cmd *cobra.Command, args []string, typed string,
	) ([]string, cobra.ShellCompDirective) {
		file := ""
		if len(args) > 0 {
			file = args[0]
		}
		return running.TrialNames(context.Background(), file, r.Journal, typed), cobra.ShellCompDirectiveNoFileComp
	})
	command.RunE = judging(a, &r, func(ctx context.Context, args []string) (err error) {
		if r.Live == freePort && len(args) > 0 && strings.Contains(args[0], ":") && !evidence.IsSuite(args[0]) {
			return problem.Usage("write --live="+args[0], "--live takes an address behind =, and %s stands for a suite", args[0])
		}
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		return running.Run(ctx, a, r)
	})
	return command
}

// judging fills in the suite and what was given, and acts.
func judging(
	a *world.World, r *running.Request, act func(context.Context, []string) error,
) func(*cobra.Command, []string) error {
	return base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Given = base.GivenOf(flags)
		return act(ctx, args)
	})
}

// bindRun binds the options that gate has too.
func bindRun(flags *pflag.FlagSet, r *running.Request) {
	o := option.Of(flags)
	bindTrials(flags, r)
	option.BindOptional(o, "seed", &r.Seed, option.Seed)
	bind.Prices(flags, &r.Pricing)
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	bind.Looks(flags, &r.Looks)
	base.RegisterChoice(flags, &r.Choice)
	bindFleet(flags, &r.Fleet)
}

// bindTrials binds the options that do not need a suite. The most trials at a time are chosen, far above the default of
// a suite.
func bindTrials(flags *pflag.FlagSet, r *running.Request) {
	o := option.Of(flags)
	o.Text("journal", &r.Journal)
	o.Text("output", &r.Output)
	o.Switch("resume", &r.Resume)
	o.Switch("fresh", &r.Fresh)
	bind.Reports(flags, &r.Result)
	option.BindOptional(o, "extend", &r.Extend, option.Count(1, value.MaxDesign))
	option.BindOptional(o, "concurrency", &r.Concurrency, option.Count(1, 1024))
	o.Switch("eager", &r.Eager)
	option.BindOptional(o, "grace", &r.Grace, option.Duration)
	o.Switch("json", &r.Result.JSON)
	bind.Verdict(flags, &r.Result)
	bind.Sign(flags, &r.Result)
	o.Text(base.StoreFlag, &r.Store.Name)
}

// bindTests binds the options of what a run decides.
func bindTests(flags *pflag.FlagSet, t *running.Tests) {
	o := option.Of(flags)
	o.Text("baseline", &t.Baseline)
	option.Bind(o, "record", &t.Record, option.Count(1, value.MaxDesign))
	option.BindOptional(o, "family", &t.Family, option.Word("METHOD", "",
		multiplicity.NoCorrection, multiplicity.Holm, multiplicity.BenjaminiHochberg))
}

// shardType reads the part of a run that one of several machines makes.
var shardType = option.Type[journal.Shard]{
	Unit: "I/N",
	Text: func(s journal.Shard) string {
		if s.Count == 0 {
			return ""
		}
		return s.String()
	},
	Parse: func(text string) (journal.Shard, error) {
		s, err := journal.ParseShard(text)
		if err != nil {
			err = fmt.Errorf("must be such as 2/8, from 1/8 to 8/8, and of at most %d parts", journal.MostShards)
		}
		return s, err
	},
}
