package improvecmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	selection "github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// The errors of a race, unless they are given.
const (
	defaultRaceAlpha = 0.05
	defaultRaceBeta  = 0.1
	defaultRaceDelta = 0.1
)

// raceFlags are those of the command race.
type raceFlags struct {
	run       running.Request // of its parts
	alpha     value.Level
	beta      value.Level
	delta     value.BelowOne
	rate      value.BelowOne
	maxRounds value.Count
	worth     value.Amount
	looks     looking.Looks
	plan      bool
	compare   bool
	result    deliver.Target
}

// RaceCommand finds the best of the variants of an agent.
func RaceCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "race [SUITE]",
		Short: "find the best of several variants of an agent, with few trials",
		Long: `Find the best of the variants of a suite. The agent itself, the incumbent, and all
variants run the same scenario in every round, and one is dropped once it is so many
passes behind the leader that it is the best with a chance of at most alpha: the last
one left has won. With --worth, what a point of the pass rate is worth to you, the race
ends where the rest of it costs more than it may gain, and dear variants wait.

The rate at which a winner passed is too high: it was chosen for it. So it runs against
the incumbent once more, side by side on fresh trials, until it is decided whether it
is worse by delta; the rate that is told is that one's.

Exit code 0 where a variant won and is not worse than the incumbent, 1 where the
incumbent stays, 2 where it is open; 69 if the agents cannot be run. --plan runs
nothing, and says what the race takes; --compare sets other ways to choose beside.`,
		Example: `  tribunal race
  tribunal race --delta 0.05 --rate 0.9 --max-cost 20
  tribunal race --only "refund-*" --worth 2 --report html=race.html
  tribunal race --resume
  tribunal race --plan --compare`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f raceFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		base.NoteEnvironment(a, flags)
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *raceFlags) register(flags *pflag.FlagSet) {
	f.alpha, f.beta, f.delta = defaultRaceAlpha, defaultRaceBeta, defaultRaceDelta
	f.maxRounds = value.Count{Least: 1, Most: selection.MostRounds}
	base.RegisterChoice(flags, &f.run.Choice)
	flags.Var(&f.alpha, "alpha", "chance, at most, that the chosen one is worse than the best by delta or more")
	flags.Var(&f.beta, "beta", "chance, at most, that a winner passes although it is worse than the incumbent by delta")
	flags.Var(&f.delta, "delta", "the largest difference of pass rates that does not matter")
	base.NotOfSuite(flags, "alpha", "beta", "delta") // there they are of the tests of scenarios
	flags.Var(&f.rate, "rate", "the incumbent passes at least this often (default nothing is known of it)")
	flags.Lookup("rate").DefValue = ""
	flags.Var(&f.maxRounds, "max-rounds",
		"try nothing more after so many rounds (default four times what a drop of delta takes)")
	flags.Lookup("max-rounds").DefValue = ""
	flags.Var(&f.worth, "worth", "what one point of the pass rate is worth, in USD (default prices count for nothing)")
	flags.Lookup("worth").DefValue = ""
	flags.BoolVar(&f.plan, "plan", false, "run nothing, and say what the race takes")
	flags.BoolVar(&f.compare, "compare", false, "with --plan, set other ways to choose beside it")
	bind.Parts(flags, &f.run)
	option.BindOptional(option.Of(flags), "seed", &f.run.Seed, option.Seed)
	bind.Looks(flags, &f.looks)
	flags.StringVarP(&f.run.Output, "output", "o", "",
		"`FILE` of the saved result (default .tribunal/NAME.race.json beside the suite)")
	bind.Reports(flags, &f.result)
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Verdict(flags, &f.result)
}

// check refuses flags that do not go together.
func (f *raceFlags) check(flags *pflag.FlagSet) error {
	if f.compare && !f.plan {
		return problem.Usage("add --plan", "--compare is of a plan")
	}
	if flags.Changed("rate") && f.rate <= f.delta {
		return problem.Usage("give a smaller --delta", "%s %v must be above the delta %v", base.Origin(flags, "rate"),
			float64(f.rate), float64(f.delta))
	}
	if !f.plan {
		f.run.Given = base.GivenOf(flags)
		return f.run.CheckParts("race")
	}
	for _, name := range []string{"resume", "fresh", "concurrency", "max-cost", "output", "report"} {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave one of them out", "--plan runs nothing, so it has no --%s", name)
		}
	}
	return nil
}

// racers reads the suite, with the incumbent as the first of its variants.
func (f *raceFlags) racers(a *world.World, args []string) (*suite.Suite, []suite.Variant, error) {
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Variants) == 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s has no variants that could race", prose.FileName(s.File)),
			"such as variants: [{name: brief, env: {PROMPT: brief.md}}]")
	}
	arms := []suite.Variant{{Name: race.Incumbent, Agent: s.Agent}}
	for _, v := range s.Variants {
		if v.Name == race.Incumbent {
			return nil, nil, problem.BadInput(
				fmt.Sprintf("the suite %s has a variant called %s, which is what the incumbent is called",
					prose.FileName(s.File), race.Incumbent), "give it another name")
		}
		arms = append(arms, v)
	}
	return s, arms, nil
}

// options are what the race is judged by.
func (f *raceFlags) options(arms int) (race.Options, float64, error) {
	o, ratio, err := race.Options{
		Alpha: f.looks.Share(float64(f.alpha)), Beta: f.looks.Share(float64(f.beta)), Delta: float64(f.delta),
		Rate:      float64(f.rate),
		MaxRounds: f.maxRounds.Value, Worth: float64(f.worth),
	}.Plan(arms)
	if err != nil {
		return o, ratio, problem.Usage("give a larger --delta, or a larger --max-rounds", "no such race can be run: %v", err)
	}
	return o, ratio, nil
}

func (f *raceFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags); err != nil {
		return err
	}
	s, arms, err := f.racers(a, args)
	if err != nil {
		return err
	}
	o, ratio, err := f.options(len(arms))
	if err != nil {
		return err
	}
	f.run.Override(s)
	if f.plan {
		return f.planned(ctx, a, s, len(arms), o, ratio)
	}
	if err := f.run.DrawSeed(ctx, a, s, f.looks.Ledger); err != nil {
		return err
	}
	r := &raceRun{flags: f, suite: s, arms: arms, options: o}
	result, to, err := r.try(ctx, a, flags)
	if err != nil {
		return err
	}
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	err = f.result.Conclude(ctx, a, nil, result)
	if problem.Is[problem.Decided](err) && r.raced != nil {
		f.run.Kind = "race"
		f.run.KeepRun(ctx, a, r.raced, result)
	}
	return err
}
