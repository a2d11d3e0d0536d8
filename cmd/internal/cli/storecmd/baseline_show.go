package storecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

func baselineShowCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "show NAME",
		Short: "say what a baseline is, how old, and whether the rate has drifted",
		Long: `Say what a baseline is: its runs, its revisions, its age, and the pass rate of each test
with its interval, beside that of later runs of the same suite, task and version. Where
the two intervals have no rate in common, the rate has drifted.

The interval of a baseline is exact for how its runs were stopped; that of later runs
holds whenever they were. Each has its rate with 95 % probability.`,
		Example: `  tribunal store baseline show main
  tribunal store baseline show main --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r storing.ShowRequest
	bindShow(command.Flags(), &r.Store, &r.To)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) != 1 {
			return problem.Usage("such as tribunal store baseline show main", "name one baseline")
		}
		r.Name = args[0]
		return storing.ShowBaseline(ctx, a, r)
	})
	return command
}

// bindShow binds the options of the commands that read baselines.
func bindShow(flags *pflag.FlagSet, s *app.StoreChoice, to *deliver.Target) {
	option.Of(flags).Below("baseline").Text(base.StoreFlag, &s.Name)
	bind.Listing(flags, to)
}

func baselineListCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "list",
		Short: "list the baselines of a store",
		Long:  `List the names of a store with their last revisions: how many runs each has, who set it and when.`,
		Example: `  tribunal store baseline list
  tribunal store baseline list --store runs.db --json`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	var r storing.ListRequest
	bindShow(command.Flags(), &r.Store, &r.To)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, _ []string) error {
		return storing.ListBaselines(ctx, a, r)
	})
	return command
}
