package wirecmd

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// toolFlags are those of the command wire that have to do with tools.
type toolFlags struct {
	servers   []string
	guard     string
	contracts []string
}

// register adds the flags.
func (f *toolFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.servers, "mcp", nil,
		"`NAME=COMMAND` or NAME=URL of an MCP server of the program's; may be given again")
	flags.StringVar(&f.guard, "guard", "", "`deny|kill` what --contract forbids, before it is done (default deny)")
	flags.StringArrayVar(&f.contracts, "contract", nil, "`FILE` whose guardrails are held; may be given again")
}

// acts are those that stand on the route.
func (f *toolFlags) acts() ([]wire.Act, error) {
	switch {
	case f.guard != "" && f.guard != string(guard.Deny) && f.guard != string(guard.Kill):
		return nil, problem.Usage("deny or kill", "--guard %s is no way to guard", prose.Quote(f.guard))
	case f.guard != "" && len(f.contracts) == 0:
		return nil, problem.Usage("such as --contract contract.yaml", "--guard needs a contract to hold")
	case len(f.contracts) == 0:
		return nil, nil
	}
	var all []*contract.Contract
	for _, file := range f.contracts {
		c, err := evidence.LoadContract(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	folder, _ := os.Getwd()     // unknown, it resolves nothing
	home, _ := os.UserHomeDir() // likewise
	guards := contract.Before(contract.Resolver(folder, home), all...)
	if guards.Len() == 0 {
		return nil, problem.Usage("hard clauses of kind guardrail with forbid are held before an act",
			"--contract has no such clause")
	}
	mode := guard.Deny
	if f.guard != "" {
		mode = guard.Mode(f.guard)
	}
	return []wire.Act{guard.New(guards, mode)}, nil
}

// named are the servers that were given.
func (f *toolFlags) named() (map[string]mcp.Server, error) {
	const example = `such as --mcp files="npx server-filesystem ." or --mcp docs=https://docs.example.com/mcp`
	all := map[string]mcp.Server{}
	for _, text := range f.servers {
		name, value, ok := strings.Cut(text, "=")
		if !ok || value == "" || !mcp.IsName(name) {
			return nil, problem.Usage(example, "--mcp %s is not NAME=COMMAND or NAME=URL", prose.Quote(text))
		}
		s := mcp.Server{URL: value}
		if !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") {
			words, err := shell.Fields(value, os.Getenv)
			if err != nil || len(words) == 0 {
				return nil, problem.Usage(example, "--mcp %s has no command", prose.Quote(name))
			}
			s = mcp.Server{Command: words}
		}
		if err := s.Check(); err != nil {
			return nil, problem.Usage(example, "--mcp %s %v", prose.Quote(name), err)
		}
		all[name] = s
	}
	return all, nil
}

// install lets the servers stand on a route, and returns the command with the file of their configuration.
func (f *toolFlags) install(route *wire.Route, args []string) (placed []string, remove func(), err error) {
	servers, err := f.named()
	if err != nil || len(servers) == 0 {
		return args, func() {}, err
	}
	file, remove, err := mcp.Install(route, servers)
	if err != nil {
		return nil, nil, problem.Unavailable(err.Error(), "")
	}
	return mcp.Placed(args, file), remove, nil
}

// wireMCPCommand stands in the place of an MCP server that is a program.
func wireMCPCommand(a *world.World) *cobra.Command {
	name := ""
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
	command.Flags().StringVar(&name, "name", "",
		"`NAME` of the server in the agent's configuration (default the program's)")
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		root := a.Env.Get(wire.RootVariable)
		switch {
		case len(args) == 0:
			return problem.Usage("such as tribunal wire mcp -- npx server-filesystem .", "no server is named")
		case root == "":
			return problem.Usage("tribunal wire --mcp NAME=COMMAND -- AGENT starts it with one",
				"there is no wire: %s is not set", wire.RootVariable)
		}
		b := mcp.Bridge{Name: name, Teller: mcp.At(root), In: a.Stdin, Out: a.Stdout, Err: a.Stderr}
		if name == "" {
			b.Name = args[0]
		}
		if a.Environ != nil {
			b.Env = slices.DeleteFunc(a.Environ(), func(v string) bool { return strings.HasPrefix(v, wire.RootVariable+"=") })
		}
		code, err := b.Run(ctx, args)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return problem.Unavailable(err.Error(), "")
		case code < 0: // by a signal
			code = exit.Unavailable
		}
		return problem.Decided(code)
	})
	return command
}
