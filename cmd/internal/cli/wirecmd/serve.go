package wirecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/wiring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// wireServeCommand is the wire for programs that are started by somebody else.
func wireServeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "serve",
		Short: "stay up for programs that others start, until it is interrupted",
		Long: `Let requests to models go over a wire that stays up: as tribunal wire, for programs that
are started elsewhere, such as a server, a notebook or an editor. What such a program needs
is printed, as lines of a shell or with --json; then requests are passed on until SIGINT or
SIGTERM, or for as long as --for says.

All that is asked is one trial, until a POST to the address that standard error names ends
it and begins the next, with the same limits, faults and script. A trial has no outcome,
unless a limit or a fault gives it one or the address is asked with ?outcome=pass or fail.
Each is told on standard error when it ends, and appended to --trials.

At a limit requests are refused until the next trial. The exit code is 0, and 1 if
a trial reached a limit, is not known to have kept it, or showed nothing.`,
		Example: `  tribunal wire serve > wire.env
  tribunal wire serve --listen 127.0.0.1:7070 --trials trials.jsonl --max-cost 2
  tribunal wire serve --script model.yaml --for 10m --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := wiring.ServeRequest{Setup: wiring.Setup{Seed: 1, Scenario: "wire"}, Listen: "127.0.0.1:0"}
	flags := command.Flags()
	o := option.Of(flags).Below("wire")
	bindSetup(o, flags, &r.Setup)
	o.Text("scenario", &r.Scenario)
	o.Text("listen", &r.Listen)
	o.Switch("allow-remote", &r.AllowRemote)
	o.Duration("for", &r.For)
	o.Text("trials", &r.Trials)
	o.Switch("json", &r.JSON)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) > 0 {
			return problem.Usage("tribunal wire -- COMMAND runs one", "wire serve starts no program, but there is %q", args[0])
		}
		r.Given = base.GivenOf(flags)
		return wiring.Serve(ctx, a, r)
	})
	return command
}
