package base

import (
	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// How many arguments commands take that have no more to say of them than that.

// NoArguments is cobra.NoArgs with a hint.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return problem.Usage(OrElse(Below(cmd, args[0]), SeeHelp(cmd)), "%s takes no argument, but there is %q",
			cmd.CommandPath(), args[0])
	}
	return nil
}

// Below suggests the command below another that was meant, or the one of this name elsewhere; "" where none is near.
func Below(cmd *cobra.Command, typed string) string {
	hint := problem.DidYouMean(cmd.CommandPath()+" ", typed, namesBelow(cmd))
	for _, other := range WithSubcommands(cmd.Root()) {
		if other.Name() == typed && !other.Hidden && other != cmd {
			hint = OrElse(hint, "did you mean "+other.CommandPath()+"?")
		}
	}
	return hint
}

// OneArgument is cobra.ExactArgs(1) with a hint, for one of what the noun names.
func OneArgument(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return problem.Usage(SeeHelp(cmd), "%s takes one %s, but there is none", cmd.Name(), noun)
		}
		return OneArgumentAtMost(noun)(cmd, args)
	}
}

// OneArgumentAtMost is cobra.MaximumNArgs(1) with a hint.
func OneArgumentAtMost(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return problem.Usage(SeeHelp(cmd), "%s takes one %s, but there are %d", cmd.Name(), noun, len(args))
		}
		return nil
	}
}
