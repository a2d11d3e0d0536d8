package judgecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/rank"
)

// rankFlags are those of the command rank.
type rankFlags struct {
	alpha   value.Level
	delta   value.Level
	improve string
	seed    value.Seed
	result  deliver.Target
}

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
		Example: `  tribunal rank small.json large.json
  tribunal rank main.json change.json --improve principles`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := rankFlags{alpha: verdict.DefaultAlpha, delta: 0.1, seed: 1}
	flags := command.Flags()
	flags.Var(&f.alpha, "alpha",
		"chance, at most, that a rank of an axis is outside of its interval, or of a false improvement")
	flags.StringVar(&f.improve, "improve", "", "ask whether the second result is better than the first on this `AXIS`")
	flags.Var(&f.delta, "delta", "drop of the pass rate that an improvement must exclude")
	base.NotOfSuite(flags, "alpha", "delta") // there they are of the tests of scenarios
	flags.Var(&f.seed, "seed", "seed of the permutations")
	bind.Target(flags, &f.result)
	bind.Reports(flags, &f.result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *rankFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) < 2:
		return problem.Usage("such as tribunal rank a.json b.json", "rank takes two results or more, but there %s %s",
			prose.Form(len(args), "is", "are"), prose.Count(len(args), "argument"))
	case flags.Changed("delta") && f.improve == "":
		return problem.Usage("say which axis with --improve", "--delta is of an improvement, and none is asked for")
	}
	to, err := f.result.File(ctx, a, args)
	if err != nil {
		return err
	}
	if err := f.result.Spared("--output", to, args, true); err != nil {
		return err
	}
	var sources []rank.Source
	for _, name := range args {
		saved, err := app.ReadResult(ctx, name, a.Stdin)
		if err != nil {
			return err
		}
		run := app.RunOf(saved)
		if run == nil {
			return problem.BadInput(prose.FileName(name)+" is not the result of a run", "name results of run or gate")
		}
		sources = append(sources, rank.Source{Name: name, Run: run})
	}
	o := rank.Options{Alpha: float64(f.alpha), Seed: uint64(f.seed), Improve: f.improve, Delta: float64(f.delta)}
	result, err := rank.Judge(ctx, sources, o)
	if err != nil {
		return err
	}
	if f.improve == "" {
		return f.result.Deliver(ctx, a, to, result)
	}
	return f.result.Conclude(ctx, a, to, result)
}
