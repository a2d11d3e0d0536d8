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
		Use:   "judge-check SHEET.csv",
		Short: "say what a judge is worth, from a sheet that a person labelled",
		Long: `Say what a judge is worth, from a sheet of tribunal judge label that a person labelled: how
much of what truly passes it passes (sensitivity), how much of what truly fails it
fails (specificity), how much of what it passes truly passes (PPV) and of what it fails
truly fails (NPV), each with an exact interval; how far it agrees with the person
beyond chance (Cohen's kappa, Krippendorff's alpha); how often it says both of one and
the same answer; whether it prefers long answers, or became another on the way; and
what ten more labels would bring. The person is taken to be right.`,
		Example: `  tribunal judge check sheet.csv
  tribunal judge check sheet.csv --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	alpha := verdict.DefaultAlpha
	var to deliver.Target
	option.Bind(option.Of(command.Flags()), "alpha", &alpha, option.Level)
	bind.Listing(command.Flags(), &to)
	command.Args = base.OneArgument("sheet")
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return judges.Check(ctx, a, args[0], alpha, &to)
	})
	return command
}
