package wiring

import (
	"context"
	"os"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// guards stand on the route.
func (r *Setup) guards(ctx context.Context) ([]wire.Act, error) {
	switch {
	case r.Guard != "" && r.Guard != string(guard.Deny) && r.Guard != string(guard.Kill):
		return nil, problem.Usage("deny or kill", "--guard %s is no way to guard", prose.Quote(r.Guard))
	case r.Guard != "" && len(r.Contracts) == 0:
		return nil, problem.Usage("such as --contract contract.yaml", "--guard needs a contract to hold")
	case len(r.Contracts) == 0:
		return nil, nil
	}
	var all []*contract.Contract
	for _, file := range r.Contracts {
		c, err := evidence.LoadContract(ctx, file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	folder, _ := os.Getwd()     // unknown, it resolves nothing
	home, _ := os.UserHomeDir() // likewise
	held := contract.Before(contract.Resolver(folder, home), all...)
	if held.Len() == 0 {
		return nil, problem.Usage("hard clauses of kind guardrail with forbid are held before an act",
			"--contract has no such clause")
	}
	mode := guard.Deny
	if r.Guard != "" {
		mode = guard.Mode(r.Guard)
	}
	return []wire.Act{guard.New(held, mode)}, nil
}

// servers are those that were given.
func (r *Setup) servers() (map[string]mcp.Server, error) {
	const example = `such as --mcp files="npx server-filesystem ." or --mcp docs=https://docs.example.com/mcp`
	all := map[string]mcp.Server{}
	for _, text := range r.Servers {
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
func (r *Setup) install(route *wire.Route, args []string) (placed []string, remove func(), err error) {
	servers, err := r.servers()
	if err != nil || len(servers) == 0 {
		return args, func() {}, err
	}
	file, remove, err := mcp.Install(route, servers)
	if err != nil {
		return nil, nil, problem.Unavailable(err.Error(), "")
	}
	return mcp.Placed(args, file), remove, nil
}
