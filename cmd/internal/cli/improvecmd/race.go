package improvecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/improving"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/sprt/race"
)

// RaceCommand finds the best of the variants of an agent.
func RaceCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "race [SUITE]",
		Short: "find the best of several variants of an agent, with few trials",
		Long: `Find the best of the variants of a suite. The agent itself (the current version) and all
variants run the same scenario in every round, and one is dropped once it is so many
passes behind the leader that it is the best with a chance of at most alpha: the last
one left has won. With --worth, what a point of the pass rate is worth to you, the race
ends where the rest of it costs more than it may gain, and expensive variants wait.

The pass rate of a winner in the race is too high, since it was chosen for it. So the
winner runs against the current version once more, side by side on new trials, until
it is decided whether it is worse by delta. The rate that is printed is that of the
second run.

Exit code 0: a variant won and is not worse than the current version. 1: the current
version stays. 2: undecided. 69: the agents cannot be run. --plan runs nothing and prints
the expected trials; --compare adds other ways to choose.`,
		Example: `  tribunal improve race
  tribunal improve race --delta 0.05 --rate 0.9 --max-cost 20
  tribunal improve race --only "refund-*" --worth 2 --report html=race.html
  tribunal improve race --resume
  tribunal improve race --plan --compare`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := improving.RaceRequest{Alpha: 0.05, Beta: 0.1}
	flags := command.Flags()
	o := option.Of(flags)
	base.RegisterChoice(flags, &r.Choice)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	option.Bind(o, "beta", &r.Beta, option.Risk)
	option.Bind(o, "delta", &r.Delta, option.Threshold)
	base.NotOfSuite(flags, "alpha", "beta", "delta") // there they are of the tests of scenarios
	option.Bind(o, "rate", &r.Rate, option.Threshold)
	option.Bind(o, "max-rounds", &r.MaxRounds, option.Count(1, race.MostRounds))
	option.Bind(o, "worth", &r.Worth, option.Amount)
	o.Switch("plan", &r.Plan)
	o.Switch("compare", &r.Compare)
	bind.Parts(flags, &r.Request)
	option.BindOptional(o, "seed", &r.Seed, option.Seed)
	bind.Looks(flags, &r.Looks)
	o.Text("output", &r.Output)
	bind.Reports(flags, &r.Result)
	o.Switch("json", &r.Result.JSON)
	bind.Verdict(flags, &r.Result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
		base.NoteEnvironment(a, flags)
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		r.Given = base.GivenOf(flags)
		return improving.Race(ctx, a, r)
	})
	return command
}
