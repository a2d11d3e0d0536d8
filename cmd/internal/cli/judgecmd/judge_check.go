package judgecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judges"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
)

// JudgeCheckCommand has no verdict: how good a judge must be is for a person to say.
func JudgeCheckCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "judge-check SHEET.csv [SECOND.csv]",
		Short: "say what a judge is worth, from a sheet that a person labelled",
		Long: `Say what a judge is worth, from a sheet of tribunal judge label that a person labelled: how
much of what truly passes it passes (sensitivity), how much of what truly fails it
fails (specificity), how much of what it passes truly passes (PPV) and of what it fails
truly fails (NPV), each with an exact interval; how far it agrees with the person
beyond chance (Cohen's kappa, Krippendorff's alpha); how often it says both of one and
the same answer; whether it prefers long answers, or became another on the way; and
what ten more labels would bring. The person is taken to be right. A second sheet is the
same one labelled by another person: how far both agree, on which rows they differ, and
what the second makes of the pass rate.`,
		Example: `  tribunal judge check sheet.csv
  tribunal judge check sheet.csv second.csv
  tribunal judge check sheet.csv --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	alpha := verdict.DefaultAlpha
	var to deliver.Target
	option.Bind(option.Of(command.Flags()), "alpha", &alpha, option.Risk)
	bind.Listing(command.Flags(), &to)
	command.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 2 {
			return nil
		}
		return base.OneArgument("sheet")(c, args)
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return judges.Check(ctx, a, args, alpha, &to)
	})
	return command
}
