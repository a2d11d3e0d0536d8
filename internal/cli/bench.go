package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/internal/cli/problem"
)

// benchCommand says where the commands that stood below it went. It is hidden from the list
// of commands and does nothing but refuse with a hint: scripts that still call it should
// learn where to go rather than read "unknown command".
func benchCommand(a *base.App) *cobra.Command {
	return &cobra.Command{
		Use:   "bench",
		Short: "say where the measurements of tribunal itself went",
		Long: `What measures tribunal itself is a program of its own, tribunal-calibrate, with the
commands savings and calibration. Speed is measured by Go benchmarks; docs/speed.md
says how.`,
		Example: `  go run github.com/tribunal-dev/tribunal/cmd/tribunal-calibrate@latest savings --short`,
		Hidden:  true,

		// Whatever the commands of before took is answered in the same way.
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			// As no flag is parsed, nor is that for help.
			if slices.Contains(args, "--"+flagtype.HelpFlag) || slices.Contains(args, "-h") {
				return cmd.Help()
			}
			if len(args) > 0 && args[0] == "speed" {
				return problem.Usage("docs/speed.md has the commands",
					"bench speed is no command any more: speed is measured by Go benchmarks")
			}
			return problem.Usage(
				"go run github.com/tribunal-dev/tribunal/cmd/tribunal-calibrate@latest savings, or calibration",
				"bench is no command any more: tribunal-calibrate measures savings and error rates")
		},
	}
}
