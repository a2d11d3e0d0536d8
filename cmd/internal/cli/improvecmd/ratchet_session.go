package improvecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/improving"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/ratchet"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/sprt/keep"
)

func ratchetInitCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "init [SUITE]",
		Short: "begin a session of candidates, or write a ratchet.yaml to start from",
		Long: `Begin a session: candidates for the agent of a suite are tried one after the other by
tribunal improve ratchet try, and the chance that the session keeps any that is no better is at
most alpha, however many there are. The scenarios are split once, by a hash: half of them
to search with, three of ten held out, which answer keep or revert alone, and two of ten
for the end. What the tests do is computed and said before anything is run.

--loop writes a ratchet.yaml for tribunal improve ratchet run instead.`,
		Example: `  tribunal improve ratchet init
  tribunal improve ratchet init --gain 0.05 --rate 0.9
  tribunal improve ratchet init --spending lord++ --fresh
  tribunal improve ratchet init --loop`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := improving.SessionRequest{Seed: 1, Pairs: ratchet.Pairs{Alpha: keep.DefaultAlpha, Question: keep.Question{
		Gain: keep.DefaultGain, Rate: keep.DefaultRate, Power: keep.DefaultPower,
	}}}
	loop := false
	flags := command.Flags()
	o := option.Of(flags).Below("ratchet")
	p, q := &r.Pairs, &r.Pairs.Question
	o.Switch("loop", &loop)
	option.Bind(o, "alpha", &p.Alpha, option.Risk)
	option.Bind(o, "spending", &p.Spending, option.Word("WAY", "", keep.Bonferroni, keep.LORD))
	option.Bind(o, "gain", &q.Gain, option.Level)
	option.Bind(o, "rate", &q.Rate, option.Level)
	option.Bind(o, "power", &q.Power, option.Level)
	option.Bind(o, "max-pairs", &q.MaxPairs, option.Count(1, keep.MostPairs))
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Switch("fresh", &r.Fresh)
	bind.Listing(flags, &r.To)
	base.NotOfSuite(flags, "alpha", "seed") // there they are of runs
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) (err error) {
		if loop && len(args) > 0 {
			return problem.Usage("omit one of them", "--loop writes %s here, and takes no suite", ratchet.FileName)
		} else if loop {
			return improving.WriteLoop(a)
		}
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		return improving.BeginSession(ctx, a, r)
	})
	return command
}

func ratchetTryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "try",
		Short: "try a candidate beside the current version: keep, revert or undecided",
		Long: `Try a candidate beside the current version, pair by pair on scenarios that are held out, until
the test decides: exit code 0 is keep, 1 revert, and 2 undecided. Each of both is a
variant of the suite, by its name, or the agent of a suite in another folder; the current version
is the agent of the suite where none is named.

Each candidate of a session has its own level, so that whoever tries again and again pays
for each attempt. --final N opens the final set, once: N pairs of each of its scenarios, and
no decision.`,
		Example: `  tribunal improve ratchet try --challenger edited
  tribunal improve ratchet try --champion current --challenger short --max-cost 2
  tribunal improve ratchet try --challenger ../branch/tribunal.yaml
  tribunal improve ratchet try --challenger edited --final 10`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	var r improving.ChallengeRequest
	flags := command.Flags()
	o := option.Of(flags).Below("ratchet")
	o.Text("suite", &r.Suite)
	o.Text("champion", &r.Champion)
	o.Text("challenger", &r.Challenger)
	option.Bind(o, "final", &r.Final, option.Count(1, 1000))
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	base.NotOfSuite(flags, "max-cost")
	o.Text("output", &r.Output)
	o.Switch("json", &r.Result.JSON)
	bind.Reports(flags, &r.Result)
	bind.Verdict(flags, &r.Result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, _ []string) error {
		r.Given = base.GivenOf(flags)
		return improving.Challenge(ctx, a, r)
	})
	return command
}

func ratchetStatusCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "status [FILE]",
		Short: "show the attempts of a loop, or the candidates of a session, so far",
		Long: `Show the attempts of a loop so far, also while it runs or after it was killed, if FILE is a
ratchet.yaml or its folder has one; otherwise the candidates of the session of a suite.
Nothing is run and no verdict is given: the exit code is 0.`,
		Example: `  tribunal improve ratchet status
  tribunal improve ratchet status examples/ratchet --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var to deliver.Target
	bind.Form(command.Flags(), &to)
	bind.Explain(command.Flags(), &to)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		file, err := oneFile("status", args)
		if err != nil {
			return err
		}
		return improving.Status(ctx, a, file, &to)
	})
	return command
}
