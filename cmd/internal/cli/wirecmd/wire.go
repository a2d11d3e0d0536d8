package wirecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/wiring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// WireCommand runs any program as a suite runs its agent on a wire.
func WireCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "wire -- COMMAND...",
		Short: "show, price and limit the requests of a program to models",
		Long: `Run a program with its requests to models going through the wire: a proxy on this machine
that passes them on unchanged and records every turn, token and tool call. The program
itself is not changed: it reads the address from the variables that clients of models use
(OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST; TRIBUNAL_WIRE
has the root of all). If such a variable is set already, requests go to that address.

A summary is printed to standard error, and a trial record is written with --output. At a
limit the next request is refused before it is sent and paid for, and the program is
stopped. The exit code is that of the program; it is 1 if a limit stopped it, if usage is
above a limit at the end, or if usage is not known to be within the limits.

--fault injects failures of providers and tools and reports how the client handles them;
see docs/faults.md. The exit code is 1 if a fault never occurred.

--script answers from a file in place of all models, without a server or a key; see
docs/scripts.md. A request that the script has no answer for stops the program, exit code 1.

--confine makes the Linux kernel deny the program, and everything it starts, any connection
but the wire and writing outside the folders that it may write; see docs/confine.md.`,
		Example: `  tribunal wire -- python3 agent.py
  tribunal wire --max-turns 15 --max-cost 0.50 -o trial.json -- claude -p "fix the test"
  tribunal wire --fault rate-limit:times=1 --fault tool-lie -- python3 agent.py
  tribunal wire --script model.yaml --seed 7 -- python3 agent.py
  tribunal wire --upstream openai=http://localhost:11434/v1 -- ./agent`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := wiring.Request{Setup: wiring.Setup{Seed: 1}}
	flags := command.Flags()
	o := option.Of(flags)
	bindSetup(o, flags, &r.Setup)
	o.Text("scenario", &r.Scenario)
	o.Text("output", &r.Output)
	command.AddCommand(wireServeCommand(a), wireMCPCommand(a))
	o.Texts("confine", &r.Confine)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Command, r.Given = args, base.GivenOf(flags)
		return wiring.Run(ctx, a, r)
	})
	return command
}

// bindSetup binds the options that do not depend on what is run.
func bindSetup(o option.Set, flags *pflag.FlagSet, s *wiring.Setup) {
	option.BindOptional(o, "max-turns", &s.MaxTurns, option.Count(1, 1_000_000))
	option.BindOptional(o, "max-cost", &s.MaxCost, option.Amount)
	option.BindOptional(o, "max-tokens", &s.MaxTokens, option.Count(1, 1<<30))
	o.List("upstream", &s.Upstreams)
	o.List("key-env", &s.Keys)
	o.Texts("fault", &s.Faults)
	bind.Prices(flags, &s.Pricing)
	o.Texts("mcp", &s.Servers)
	o.Text("guard", &s.Guard)
	o.Texts("contract", &s.Contracts)
	o.Text("cassette", &s.Cassette)
	o.Text("replay", &s.Replay)
	o.List("ignore", &s.Ignore)
	o.Switch("timing", &s.Timing)
	o.Text("script", &s.Script)
	option.Bind(o, "seed", &s.Seed, option.Seed)
}
