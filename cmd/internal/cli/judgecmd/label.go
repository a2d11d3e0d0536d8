package judgecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judges"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// LabelCommand writes two files: what a person is shown, and what that person must not see.
func LabelCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "label RECORDING... --out SHEET.csv",
		Short: "draw judged trials for a person to label, without showing the judge's verdicts",
		Long: `Draw trials of a judged recording at random, and write them to a sheet: a CSV file with
what each trial was given and answered, and an empty column label, in which a person
writes pass or fail. What the judge said is not on it. The labels then tell what the
judge is worth (tribunal judge check), and what the true pass rate is (tribunal verdict
--labels).

Trials are drawn among those that the judge passed and among those that it failed, a
fifth from the rarer at least. Which is which stands in the key beside the sheet, such
as sheet.key.json: keep both together, and the key from whoever labels.`,
		Example: `  tribunal judge label judged.jsonl --n 40 --out sheet.csv
  tribunal verdict judged.jsonl --threshold 0.8 --labels sheet.csv`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := judges.LabelRequest{Count: 40, Seed: 1}
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "n", &r.Count, option.Count(1, twophase.MostLabels))
	o.Text("output", &r.Output)
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	outIsOutput(flags)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Files = args
		return judges.Label(ctx, a, r)
	})
	return command
}
