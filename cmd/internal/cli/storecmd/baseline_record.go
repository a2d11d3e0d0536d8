package storecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

func baselineRecordCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "record NAME [SUITE]",
		Short: "run a fixed number of trials of a suite to be the baseline",
		Long: `Run a fixed number of trials of each scenario of a suite, keep the run in the store, and
give it the name, as its next revision. Nothing stops it early, so the recording says as
much of every scenario.

Without --trials the number is planned as by tribunal plan --baseline-trials: that at
which the recording and the tests of later candidates take the fewest trials together.`,
		Example: `  tribunal store baseline record main --trials 300 --store runs.db
  tribunal store baseline record main shop/tribunal.yaml --expect 0.95 --candidates 20`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := storing.RecordRequest{Expect: 0.95, Candidates: 20}
	o := option.Of(command.Flags()).Below("baseline")
	option.Bind(o, "trials", &r.Trials, option.Count(1, value.MaxDesign))
	option.Bind(o, "expect", &r.Expect, option.Level)
	option.Bind(o, "candidates", &r.Candidates, option.Count(1, 1_000_000))
	option.BindOptional(o, "concurrency", &r.Concurrency, option.Count(1, 1024))
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	bindRevision(o, &r.Revision)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) < 1 || len(args) > 2 {
			return problem.Usage("such as tribunal store baseline record main",
				"name the baseline, and a suite if it is not found from here")
		}
		r.Name, r.Suite, r.Given = args[0], args[1:], base.GivenOf(flags)
		return storing.RecordBaseline(ctx, a, r)
	})
	return command
}
