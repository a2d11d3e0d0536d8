package wiring

import (
	"context"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// BridgeRequest asks to stand in the place of an MCP server that is a program.
type BridgeRequest struct {
	Name    string // of the server in the agent's configuration; "" is the program's
	Command []string
}

// Bridge passes on what an agent and the server say, and lets the wire see calls of tools. It ends with the exit code
// of the server.
func Bridge(ctx context.Context, a *world.World, r BridgeRequest) error {
	root := a.Env.Get(wire.RootVariable)
	switch {
	case len(r.Command) == 0:
		return problem.Usage("such as tribunal wire mcp -- npx server-filesystem .", "no server is named")
	case root == "":
		return problem.Usage("tribunal wire --mcp NAME=COMMAND -- AGENT starts it with one",
			"there is no wire: %s is not set", wire.RootVariable)
	}
	b := mcp.Bridge{Name: r.Name, Teller: mcp.At(root), In: a.Stdin, Out: a.Stdout, Err: a.Stderr}
	if r.Name == "" {
		b.Name = r.Command[0]
	}
	if a.Environ != nil {
		b.Env = slices.DeleteFunc(a.Environ(), func(v string) bool { return strings.HasPrefix(v, wire.RootVariable+"=") })
	}
	code, err := b.Run(ctx, r.Command)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return problem.Unavailable(err.Error(), "")
	case code < 0: // by a signal
		code = exit.Unavailable
	}
	return problem.VerdictError(code)
}
