package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/suite"
)

// schemaCommand prints the same file that init writes beside its suite.
func (a *App) schemaCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of suite files, for editors",
		Long: `Print the JSON Schema of suite files. An editor that knows it completes and checks a
tribunal.yaml while it is written: save it, and name it at the top of the suite,

  # yaml-language-server: $schema=tribunal.schema.json`,
		Example:               "  tribunal schema > tribunal.schema.json",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	command.RunE = a.with(func(_ context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) > 0 {
			return usage(seeHelp(command), "schema takes no argument, but there is %q", args[0])
		}
		// The schema is text that is compiled in; there is nothing to render.
		_, err := a.stdout.Write(suite.Schema())
		return err
	})
	return command
}
