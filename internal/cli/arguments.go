package cli

import "github.com/spf13/cobra"

// How many arguments commands take that have no more to say of them than that.

// noArguments is cobra.NoArgs with a hint.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(seeHelp(cmd), "%s takes no argument, but there is %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// oneArgument is cobra.ExactArgs(1) with a hint, for one of what the noun names.
func oneArgument(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(seeHelp(cmd), "%s takes one %s, but there is none", cmd.Name(), noun)
		}
		return oneArgumentAtMost(noun)(cmd, args)
	}
}

// oneArgumentAtMost is cobra.MaximumNArgs(1) with a hint.
func oneArgumentAtMost(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(seeHelp(cmd), "%s takes one %s, but there are %d", cmd.Name(), noun, len(args))
		}
		return nil
	}
}
