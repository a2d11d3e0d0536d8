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
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// PricesCommand says what tokens cost, and what is priced by it.
func PricesCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "prices",
		Short: "what tokens of models cost, and which recordings that prices",
		Long: `What the tokens of models cost, by which trials are priced that tell their tokens and
not their cost: in US dollars for a million tokens, of the standard tier of the
provider's own API, with the day and the page that said so.

A table of your own is laid over the built-in one, by --prices, by the variable
TRIBUNAL_PRICES or by a suite under prices. A model is found by its whole name, with or
without the date of a version; an unknown model has no price, which is not a price of 0.`,
		Example: `  tribunal plan prices list
  tribunal plan prices check runs/`,
	}
	return base.Holder(command, pricesListCommand(a), pricesCheckCommand(a))
}

func pricesListCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "list",
		Short: "list the prices of models",
		Long: `List what a million tokens of each model cost, in US dollars: input, input that is read
from a cache, input that is written to one, and output.`,
		Example: `  tribunal plan prices list
  tribunal plan prices list --prices prices.yaml --json`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	var p evidence.Pricing
	var to deliver.Target
	bind.Prices(command.Flags(), &p)
	bind.Listing(command.Flags(), &to)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, _ []string) error {
		return planning.ListPrices(ctx, a, p, &to)
	})
	return command
}

func pricesCheckCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "check TRACES...|SUITE",
		Short: "which models of recordings are priced, by which row, and how well",
		Long: `Say of each model of recordings which row of the table prices it and how old that is,
which models have no price, and, where trials tell their cost too, what the table makes
of their tokens beside it: an estimate from tokens of which nobody told how many came
from a cache is an upper bound.

With a suite its prices are laid over the table, and the trials are those of its last
run. Exit code 1 says that a model which answered has no price.`,
		Example: `  tribunal plan prices check trials.jsonl
  tribunal plan prices check runs/ --json
  tribunal plan prices check tribunal.yaml`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r planning.CheckPricesRequest
	flags := command.Flags()
	o := option.Of(flags).Below("prices")
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	bind.Listing(flags, &r.To)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Names = args
		return planning.CheckPrices(ctx, a, r)
	})
	return command
}
