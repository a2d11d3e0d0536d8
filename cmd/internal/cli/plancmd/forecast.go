package plancmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/planning"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ForecastCommand is no judgement: a month that is dear is not a failure, and the exit code
// is 0 whatever it costs.
func ForecastCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "forecast [RESULT] --runs-per-day N",
		Short: "project the tokens and the money of a month",
		Long: `Project what a month will cost, from the cost of a success: that of all trials, failures
too, over the passes. RESULT is a saved result of run or gate, or a recording as verdict
reads it; without it, it is the last result of the suite that is found from here
upwards. The interval is approximate, and for work like that of the trials; it takes 20
of them, with 3 passes and 3 failures. Of a run that one test stopped it allows for that.`,
		Example: `  tribunal plan month .tribunal/shop.result.json --runs-per-day 5000
  tribunal plan month trials.jsonl --runs-per-day 5000 --price-per-mtok 5 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r planning.ForecastRequest
	var result deliver.Target
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "runs-per-day", &r.RunsPerDay, option.Amount)
	option.BindOptional(o, "price-per-mtok", &r.PricePerMTok, option.Amount)
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	bind.Target(flags, &result)
	bind.Reports(flags, &result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return forecast(ctx, a, base.GivenOf(flags), r, &result, args)
	})
	return command
}

// forecast needs exactly one source: a result and a recording would count the same trials
// twice.
func forecast(
	ctx context.Context, a *world.World, given value.GivenOptions, r planning.ForecastRequest, result *deliver.Target,
	args []string,
) error {
	args, err := evidence.LastResult(a, "forecast", args, false)
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return problem.Usage("such as .tribunal/NAME.result.json",
			"plan month takes one result or recording, but there are %d arguments", len(args))
	case !given.Has("runs-per-day"):
		return problem.Usage("such as --runs-per-day 5000", "--runs-per-day is missing: the runs a day that must succeed")
	}
	to, err := result.Open(ctx, a, args, &r.Reading)
	if err != nil {
		return err
	}
	r.File = args[0]
	found, err := planning.Forecast(ctx, a, r)
	if err != nil {
		return err
	}
	return result.Deliver(ctx, a, to, found)
}
