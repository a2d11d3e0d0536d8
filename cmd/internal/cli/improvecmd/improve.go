package improvecmd

import (
	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ImproveCommand only holds those that find what is better.
func ImproveCommand(*world.World) *cobra.Command {
	return base.Holder(&cobra.Command{
		Use:   "improve",
		Short: "find the best of several agents, or improve one step by step",
		Long:  `Find the best of several variants of an agent, or improve something attempt by attempt.`,
		Example: `  tribunal improve race
  tribunal improve ratchet init --loop`,
	})
}
