package suitecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
)

// SchemaCommand prints what editors complete keys by.
func SchemaCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "schema [suite|map]",
		Short: "print the JSON Schema of suite files, or of mappings, for editors",
		Long: `Print the JSON Schema of suite files, or of the mappings that --map takes. An editor
that reads it completes and checks a tribunal.yaml while it is written: save it, and
name it at the top of the suite,

  # yaml-language-server: $schema=tribunal.schema.json`,
		Example: `  tribunal check schema > tribunal.schema.json
  tribunal check schema map > map.schema.json`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("kind of file"),
	}
	command.RunE = base.With(a, func(_ context.Context, _ *pflag.FlagSet, args []string) error {
		schema := suite.Schema
		switch {
		case len(args) == 1 && args[0] == "map":
			schema = ingest.MappingSchema
		case len(args) == 1 && args[0] != "suite":
			return problem.Usage(prose.DidYouMean(args[0], []string{"suite", "map"}), "there is no schema of %q", args[0])
		}
		// The schema is text that is compiled in; there is nothing to render.
		_, err := a.Out.Write(schema())
		return err
	})
	return command
}
