package runcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// TryCommand is for who writes an agent or a suite: one trial, and all that there is to see of it.
func TryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "try [SCENARIO[#N]]",
		Short: "run one trial and show all there is to see of it",
		Long: `Run one trial of a scenario, the first of the suite where none is named, and show all
there is to see of it: the command and its input, what it printed, how it ended, what
was read of that, and what each evaluator and limit makes of it.

refund#2 is the third trial of refund, as journals and reports number them from 0, with
the seed that it has in a run. Nothing is judged of the agent and nothing is saved: the
exit code is 0 whatever the trial came to, and 69 if the agent could not be run.`,
		Example: `  tribunal try
  tribunal try refund
  tribunal try refund#2 --json
  tribunal try --suite examples/ticket-routing`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r running.TryRequest
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("suite", &r.Suite)
	o.Text("variant", &r.Variant)
	option.BindOptional(o, "seed", &r.Seed, option.Seed)
	bind.Prices(flags, &r.Pricing)
	o.Switch("json", &r.JSON)
	command.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return base.OfSuite(r.Suite, typed, base.ScenarioNames), cobra.ShellCompDirectiveNoFileComp
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Trial = args
		return running.RunTry(ctx, a, r)
	})
	return command
}
