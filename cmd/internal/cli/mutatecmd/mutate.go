package mutatecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/probing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// MutateCommand changes the agent of a suite, to see whether the suite notices.
func MutateCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "mutate [SUITE]",
		Short: "change one thing about an agent at a time, to see whether its suite notices",
		Long: `Change one thing about the agent of a suite at a time: an instruction of its prompt is
dropped, a tool is removed, another model is asked. What the agent is configured with is
what agent.config says in the suite, or agent.model; of one that is on the wire --learn
finds it out. With --list the mutants are named, and with --show one is shown as a diff;
without --learn neither starts the agent.

First the suite runs on the agent as it is, and must pass. Then more trials of it are
recorded, and every mutant runs beside them until each test of it decides. A mutant is
killed where a test shows that it passes less often than the original; one that changes
nothing is killed with a chance of at most --kill-alpha. It survives where every test
passes and it behaves otherwise: that is what the suite lacks, and the result says which
evaluator would have noticed. The score is killed over
killed and survived. Exit code 0; with --fail-under 1 where the score is below that, 2
while it is undecided; 2 where the suite fails on the agent as it is, 65 without a mutant.

With --recorded nothing runs: the evaluators are changed instead, and recorded trials are
judged by each. A check that no recorded trial would miss tests nothing there.`,
		Example: `  tribunal run mutants --list
  tribunal run mutants --show M17
  tribunal run mutants --list --operators prompt,tool.remove --since main
  tribunal run mutants --operators prompt --max-cost 5
  tribunal run mutants --family --fail-under 0.8 --report html=mutants.html
  tribunal run mutants --recorded trials.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	// A drop by three trials of ten is one that a suite must see, and is told at few trials.
	r := probing.MutateRequest{Compose: 1, Suggest: true, Levels: mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3}}
	bindMutate(command.Flags(), &r)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
		base.NoteEnvironment(a, flags)
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		r.Given = base.GivenOf(flags)
		return probing.Mutate(ctx, a, r)
	})
	return command
}

func bindMutate(flags *pflag.FlagSet, r *probing.MutateRequest) {
	o := option.Of(flags)
	o.Switch("list", &r.List)
	o.Text("show", &r.Show)
	o.List("operators", &r.Operators)
	o.Texts("own", &r.Own)
	option.Bind(o, "per-operator", &r.PerOperator, option.Count(1, mutation.MaxMutants))
	option.Bind(o, "sample", &r.Sample, option.Count(1, mutation.MaxMutants))
	o.Text("since", &r.Since)
	o.Switch("learn", &r.Learn)
	option.Bind(o, "compose", &r.Compose, option.Count(1, 10))
	option.BindOptional(o, "seed", &r.Seed, option.Seed)
	o.List("recorded", &r.Recorded)
	option.Bind(o, "kill-alpha", &r.Levels.Alpha, option.Level)
	option.Bind(o, "kill-beta", &r.Levels.Beta, option.Level)
	option.Bind(o, "kill-delta", &r.Levels.Delta, option.Threshold)
	option.Bind(o, "guard", &r.Guard, option.Threshold)
	o.Switch("suggest", &r.Suggest)
	o.Switch("family", &r.Levels.Family)
	o.Switch("behaviour-kills", &r.Levels.BehaviourKills)
	option.Bind(o, "record", &r.Tests.Record, option.Count(1, value.MaxDesign))
	option.Bind(o, "fail-under", &r.FailUnder, option.Proportion)
	bind.Parts(flags, &r.Request)
	base.RegisterChoice(flags, &r.Choice)
	o.Text("output", &r.Output)
	o.Switch("json", &r.Result.JSON)
	bind.Reports(flags, &r.Result)
	bind.Verdict(flags, &r.Result)
}
