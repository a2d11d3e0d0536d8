package mutatecmd

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// mutateFlags are those of the command mutate.
type mutateFlags struct {
	list        bool
	show        string // ID or key of a mutant
	operators   []string
	own         []string // NAME=COMMAND
	perOperator value.Count
	sample      value.Count
	compose     value.Count
	since       string // a revision of git
	learn       bool   // what the agent is made of is asked of the agent itself
	seed        value.Seed
	recorded    []string // recordings that changed evaluators judge
	campaign    campaignFlags
}

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
passes and it behaves otherwise: that is what the suite lacks. The score is killed over
killed and survived. Exit code 0; with --fail-under 1 where the score is below that, 2
while it is open; 2 where the suite fails on the agent as it is, 65 without a mutant.

With --recorded nothing runs: the evaluators are changed instead, and recorded trials are
judged by each. A check that no recorded trial would miss tests nothing there.`,
		Example: `  tribunal mutate --list
  tribunal mutate --show M17
  tribunal mutate --list --operators prompt,tool.remove --since main
  tribunal mutate --operators prompt --suggest --max-cost 5
  tribunal mutate --family --fail-under 0.8 --report html=mutants.html
  tribunal mutate --recorded trials.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := mutateFlags{
		perOperator: value.Count{Least: 1, Most: mutation.MaxMutants}, sample: value.Count{Least: 1,
			Most: mutation.MaxMutants},
		compose: value.Count{Value: 1, Least: 1, Most: 10}, seed: 1,
	}
	flags := command.Flags()
	flags.BoolVar(&f.list, "list", false, "list the mutants")
	flags.StringVar(&f.show, "show", "", "show what the mutant `ID` changes")
	flags.StringSliceVar(&f.operators, "operators", nil,
		"only these `OPERATORS`: names, classes, or globs such as *.noise; may be given again")
	flags.StringArrayVar(&f.own, "own", nil,
		"an operator of your own, `NAME=COMMAND`: configuration in, configurations out, as JSON; may be given again")
	flags.Var(&f.perOperator, "per-operator", "at most so many of each operator, drawn by the seed")
	flags.Lookup("per-operator").DefValue = ""
	flags.Var(&f.sample, "sample", "at most so many, drawn by the seed")
	flags.Lookup("sample").DefValue = ""
	flags.StringVar(&f.since, "since", "", "only of what has changed since the revision `REF` of git")
	flags.BoolVar(&f.learn, "learn", false,
		"run the agent once on the wire, and learn from its first request what it is made of")
	flags.Var(&f.compose, "compose", "change so many things at a time")
	flags.Var(&f.seed, "seed", "seed of what operators draw, and of samples")
	flags.StringSliceVar(&f.recorded, "recorded", nil,
		"change the evaluators in place of the agent, and judge the trials of these `FILES` by each; may be given again")
	f.campaign.register(flags)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		base.NoteEnvironment(a, flags)
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute finds the mutants, and prints or runs them.
func (f *mutateFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	switch {
	case f.list && f.show != "":
		return problem.Usage("leave one of them out", "--list lists mutants, and --show shows one")
	case len(f.recorded) > 0 && (f.list || f.show != ""):
		return problem.Usage("leave one of them out", "--recorded changes evaluators, of which there is no list")
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	if len(f.recorded) > 0 {
		return f.campaign.checks(ctx, a, s, f.recorded)
	}
	base, err := f.configuration(ctx, a, s)
	if err != nil {
		return err
	}
	options, err := f.options(ctx, s, base)
	if err != nil {
		return err
	}
	if f.show != "" {
		return f.shown(ctx, a, base, options)
	}
	mutants, err := mutation.Mutants(ctx, base, options)
	if err != nil {
		return err
	}
	if f.list {
		return f.listed(a, s, mutants)
	}
	whole := options
	whole.PerOperator, whole.Sample = 0, 0
	all, err := mutation.Mutants(ctx, base, whole)
	if err != nil {
		return err
	}
	return f.runCampaign(ctx, a, flags, s, base, mutants, len(all))
}

// ownPattern is the name of an operator of the user's own.
var ownPattern = lazy.Regexp(`^[a-z][a-z0-9-]{0,30}$`)

// options are those that the flags ask for.
func (f *mutateFlags) options(
	ctx context.Context, s *suite.Suite, base mutation.Configuration,
) (o mutation.Options, err error) {
	o = mutation.Options{
		Seed: uint64(f.seed), Operators: f.operators, PerOperator: f.perOperator.Value, Sample: f.sample.Value,
		Compose: f.compose.Value,
	}
	for _, text := range f.own {
		const example = `such as --own paraphrase="python3 paraphrase.py"`
		name, value, ok := strings.Cut(text, "=")
		if !ok || !ownPattern().MatchString(name) {
			return o, problem.Usage(example, "--own %s is not NAME=COMMAND, with a name of small letters", prose.Quote(text))
		}
		words, err := shell.Fields(value, os.Getenv)
		if err != nil || len(words) == 0 {
			return o, problem.Usage(example, "--own %s has no command", prose.Quote(name))
		}
		o.Commands = append(o.Commands, mutation.Command{Name: name, Argv: words, Env: s.Agent.EnvAllow})
	}
	if f.since != "" {
		since, err := f.earlier(ctx, s, base)
		if err != nil {
			return o, err
		}
		o.Since = &since
	}
	return o, nil
}

// find is the mutant that --show names: by its ID, whatever else is asked for, or by its key.
func (f *mutateFlags) find(
	ctx context.Context, base mutation.Configuration, o mutation.Options,
) (m mutation.Mutant, err error) {
	all, err := mutation.Mutants(ctx, base, mutation.Options{Seed: o.Seed, Commands: o.Commands})
	if err != nil {
		return m, err
	}
	var parts []mutation.Mutant
	for name := range strings.SplitSeq(f.show, "+") {
		part, ok := mutation.Find(all, name)
		if !ok {
			hint := "tribunal mutate --list lists them"
			if len(all) > 0 {
				hint += fmt.Sprintf(", from %s to %s", all[0].ID, all[len(all)-1].ID)
			}
			return m, problem.Usage(hint, "there is no mutant %s", prose.Quote(name))
		}
		parts = append(parts, part)
	}
	return mutation.Compose(parts...), nil
}
