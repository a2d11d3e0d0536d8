package suitecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/authoring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
)

// EvaluatorsCommand says what there is to choose from before a suite is written.
func EvaluatorsCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "evaluators [NAME...]",
		Short: "list the evaluators of suites, and what each is like",
		Long: `List what a suite may judge trials by: whether the same trial is judged alike every time
and on every machine, what judging one takes, whether somebody has to know the right
answer, whether a recorded trial can be judged, and what kind of score there is. Of
NAMEs it says what passes and what it looks at, too.`,
		Example: `  tribunal check evaluators --list
  tribunal check evaluators tool-order command
  tribunal check evaluators --list --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	for _, k := range suite.Kinds() {
		command.ValidArgs = append(command.ValidArgs, k.Name)
	}
	var list bool
	var to deliver.Target
	option.Of(command.Flags()).Switch("list", &list)
	bind.Listing(command.Flags(), &to)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, names []string) error {
		switch {
		case list && len(names) > 0:
			return problem.Usage("omit one of them", "--list lists all evaluators, and %s is named",
				prose.Excerpt(names[0]))
		case !list && len(names) == 0:
			return problem.Usage("such as tribunal check evaluators --list", "no evaluator is named")
		}
		return authoring.Evaluators(ctx, a, names, &to)
	})
	return command
}
