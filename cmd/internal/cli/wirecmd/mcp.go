package wirecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/wiring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// wireMCPCommand stands in the place of an MCP server that is a program.
func wireMCPCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "mcp -- COMMAND...",
		Short: "pass on what an agent and its MCP server say, and let the wire see calls of tools",
		Long: `Run an MCP server on standard input and output, and pass on what it and its agent say,
byte by byte. Calls of tools are told to the wire whose root is in TRIBUNAL_WIRE, which
may forbid them: the agent then gets an error result, and the server no call. The
configuration file of tribunal wire --mcp, and of a suite's wire: {mcp: ...}, starts this
in the place of each server.`,
		Example:               `  tribunal wire mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r wiring.BridgeRequest
	option.Of(command.Flags()).Below("wire").Text("name", &r.Name)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Command = args
		return wiring.Bridge(ctx, a, r)
	})
	return command
}
