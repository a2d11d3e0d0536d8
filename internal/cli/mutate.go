package cli

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/mutation"
	"github.com/tribunal-dev/tribunal/suite"
)

// mutateFlags are those of the command mutate.
type mutateFlags struct {
	list, json  bool
	show        string // ID or key of a mutant
	operators   []string
	own         []string // NAME=COMMAND
	perOperator count
	sample      count
	compose     count
	since       string // a revision of git
	learn       bool   // what the agent is made of is asked of the agent itself
	seed        seed
}

// mutateCommand changes the agent of a suite, to see whether the suite notices.
func (a *App) mutateCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "mutate [SUITE]",
		Short: "change one thing about an agent at a time, to see whether its suite notices",
		Long: `Change one thing about the agent of a suite at a time: an instruction of its prompt is
dropped, a tool is removed, another model is asked. What the agent is configured with is
what agent.config says in the suite, or agent.model; of one that is on the wire --learn
finds it out. With --list the mutants are named, and with --show one is shown as a diff;
without --learn neither starts the agent.`,
		Example: `  tribunal mutate --list
  tribunal mutate --show M17
  tribunal mutate --list --operators prompt,tool.remove --since main`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := mutateFlags{
		perOperator: count{least: 1, most: mutation.MaxMutants}, sample: count{least: 1, most: mutation.MaxMutants},
		compose: count{value: 1, least: 1, most: 10}, seed: 1,
	}
	flags := command.Flags()
	flags.BoolVar(&f.list, "list", false, "list the mutants")
	flags.StringVar(&f.show, "show", "", "show what the mutant `ID` changes")
	flags.BoolVar(&f.json, "json", false, "print JSON")
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
	command.RunE = a.with(func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, args)
	})
	return command
}

// execute finds the mutants, and prints or runs them.
func (f *mutateFlags) execute(ctx context.Context, a *App, args []string) error {
	if f.list && f.show != "" {
		return usage("leave one of them out", "--list lists mutants, and --show shows one")
	}
	s, err := a.load(args)
	if err != nil {
		return err
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
	return f.runCampaign(ctx, a, s, mutants)
}

// runCampaign runs the suite on the mutants.
func (f *mutateFlags) runCampaign(context.Context, *App, *suite.Suite, []mutation.Mutant) error {
	return usage("such as tribunal mutate --list", "neither --list nor --show is given")
}

// ownPattern is the name of an operator of the user's own.
var ownPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// options are those that the flags ask for.
func (f *mutateFlags) options(
	ctx context.Context, s *suite.Suite, base mutation.Configuration,
) (o mutation.Options, err error) {
	o = mutation.Options{
		Seed: uint64(f.seed), Operators: f.operators, PerOperator: f.perOperator.value, Sample: f.sample.value,
		Compose: f.compose.value,
	}
	for _, text := range f.own {
		const example = `such as --own paraphrase="python3 paraphrase.py"`
		name, value, ok := strings.Cut(text, "=")
		if !ok || !ownPattern.MatchString(name) {
			return o, usage(example, "--own %s is not NAME=COMMAND, with a name of small letters", prose.Quote(text))
		}
		words, err := shell.Fields(value, os.Getenv)
		if err != nil || len(words) == 0 {
			return o, usage(example, "--own %s has no command", prose.Quote(name))
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
			return m, usage(hint, "there is no mutant %s", prose.Quote(name))
		}
		parts = append(parts, part)
	}
	return mutation.Compose(parts...), nil
}
