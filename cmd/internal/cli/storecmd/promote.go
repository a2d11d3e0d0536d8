package storecmd

import (
	"context"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// PromoteCommand makes scenarios of recorded trials.
func PromoteCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "promote TRIAL|FILE [SUITE]",
		Short: "make a scenario of a recorded trial, for a person to accept",
		Long: `Make a scenario of a trial that was recorded, such as one of production: its input, how
it is judged, and what its model answered as a script, by which it can be replayed. The
trial is one of the store, RUN/PART/POSITION as tribunal store traces query lists it, or that of
a file which --trial counts.

What would be written is shown first. With --accept the scenario is added to the suite's
file, of which every other line stays as it is, and the script stands beside it. A trial
of a scenario of the suite is judged as that one is.`,
		Example: `  tribunal store scenario 4f0c2d1/0/17 --as lost-parcel
  tribunal store scenario production.jsonl --trial 17 --as lost-parcel --accept`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r storing.ScenarioRequest
	o := option.Of(command.Flags())
	option.BindOptional(o, "trial", &r.Index, option.Count(0, math.MaxInt32))
	o.Text("as", &r.Name)
	o.Switch("accept", &r.Accept)
	o.Text(base.StoreFlag, &r.Store.Name)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) < 1 || len(args) > 2 {
			return problem.Usage("such as tribunal store scenario 4f0c2d1/0/17",
				"name a trial, and a suite if it is not found from here")
		}
		r.Trial, r.Suite = args[0], args[1:]
		return storing.PromoteTrial(ctx, a, r)
	})
	return command
}
