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
		Short: "see what a program asks of models, price it, and limit it",
		Long: `Run a program whose requests to models go over a wire: a server on this machine that
passes them on as they are, and sees every turn, token and call of a tool. Nothing of the
program is changed: it learns the address from the variables that clients of models read
(OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST; TRIBUNAL_WIRE
has the root of all). Where such a variable is set already, requests go on to what it says.

What was seen is told on standard error, and written as a trial record with --output. At
a limit the next request is turned away, before it is made and paid for, and the program
is ended. The exit code is that of the program, and 1 if a limit ended it, or if it is
above one when it ends, or not known to be within.

With --fault what passes is broken as providers and tools break, and what the client makes
of that is told; see docs/faults.md. A fault that never happened ends in exit code 1.

With --script a file answers in place of all models, without a server or a key; see
docs/scripts.md. What is asked beyond it ends the program, and in exit code 1.

With --confine the kernel of Linux keeps the program, and all that it starts, from writing
elsewhere and from reaching anything but the wire; see docs/confine.md.`,
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
