package judgecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/results"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/rank"
)

// RankCommand has a verdict only where an improvement is asked for: that one is the best of several is no failure of
// the others.
func RankCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "rank RESULT...",
		Short: "rank results of a suite, axis by axis",
		Long: `Rank saved results of one suite on each of its axes and by the pass rate, with intervals of
the ranks that hold for all results of an axis at once, and say which of them no other
beats in points, cost and time together. Axes are those of score in the suite; the sum of
the points is printed, and never tested alone.

With --improve AXIS there are two results, and a verdict on the second: Pass if contracts
are kept no less often, a drop of the pass rate by --delta is excluded, and the axis is
better, each step tested at all of alpha and only after those before it hold; Fail if the
rate or the axis is worse. Trials must then be of a fixed number.`,
		Example: `  tribunal compare rank small.json large.json
  tribunal compare rank main.json change.json --improve principles`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := rank.Options{Alpha: verdict.DefaultAlpha, Delta: 0.1, Seed: 1}
	var to deliver.Target
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	o.Text("improve", &r.Improve)
	option.Bind(o, "delta", &r.Delta, option.Level)
	base.NotOfSuite(flags, "alpha", "delta") // there they are of the tests of scenarios
	option.Bind(o, "seed", &r.Seed, option.Seed)
	bind.Target(flags, &to)
	bind.Reports(flags, &to)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		switch {
		case len(args) < 2:
			return problem.Usage("such as tribunal compare rank a.json b.json",
				"compare rank takes two results or more, but there %s %s",
				prose.Form(len(args), "is", "are"), prose.Count(len(args), "argument"))
		case flags.Changed("delta") && r.Improve == "":
			return problem.Usage("say which axis with --improve", "--delta is of an improvement, and none is asked for")
		}
		return results.Rank(ctx, a, args, r, &to)
	})
	return command
}
