package runcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// workerFlags are those of the command worker.
type workerFlags struct {
	fleetServerFlags
	slots  value.Count
	labels []string
	token  string
	name   string
	health string
}

// WorkerCommand is the other side of run --fleet.
func WorkerCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "worker ADDRESS",
		Short: "run trials for tribunal run --fleet, on this machine",
		Long: `Run trials for the runs of a fleet, whoever begins them: those that tribunal run
--fleet hands out at ADDRESS, such as nats://10.0.0.5:4222. The worker needs the token of
the run's coordinator, and runs no suite that was not signed with it. It is sent the
folder of the suite; programs and variables of the agent are those of this machine.

It goes on, and finds its coordinators again, until it is interrupted: SIGINT or SIGTERM
let what runs come to its end, and a second one gives it back at once. Other machines are
reached by TLS alone: tls://HOST:PORT, or --tls-ca.`,
		Example: `  tribunal worker nats://127.0.0.1:4222 --token .tribunal/workers.token
  tribunal worker tls://nats.example:4222 --token token --slots 4 --label gpu
  tribunal worker tls://nats.example:4222 --token token --health :8080`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := workerFlags{slots: value.Count{Least: 1, Most: 1024, Value: 1}}
	flags := command.Flags()
	flags.Var(&f.slots, "slots", "trials at a time")
	flags.StringSliceVar(&f.labels, "label", nil, "serve runs that ask for this `LABEL` too; may be repeated")
	flags.StringVar(&f.token, "token", "", "`FILE` with the token of the coordinators")
	flags.StringVar(&f.name, "name", "", "`NAME` of the worker, for people (default that of the machine)")
	flags.StringVar(&f.health, "health", "", "answer /healthz and /readyz at `[HOST]:PORT`, for Kubernetes")
	f.fleetServerFlags.register(flags)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, args)
	})
	return command
}

// execute works until it is told to end.
func (f *workerFlags) execute(ctx context.Context, a *world.World, args []string) error {
	switch {
	case len(args) != 1:
		return problem.Usage("such as tribunal worker nats://127.0.0.1:4222 --token .tribunal/workers.token",
			"worker takes the address of a coordinator or of a NATS server, and there are %d arguments", len(args))
	case f.token == "":
		return problem.Usage("the coordinator says which file it is: .tribunal/workers.token, or that of --workers-token",
			"--token is missing, without which no suite can be told from somebody else's")
	case a.Guest != nil:
		return problem.Usage("", "a fleet is for a person")
	}
	if a.Fleet == nil {
		return becomeFleet(a)
	}
	drain, done := session.DrainingAtLast(ctx)
	defer done()
	ended := session.Of(ctx).Tend()
	defer ended()
	return a.Fleet.Work(ctx, world.FleetWork{
		FleetServer: world.FleetServer{
			Address: args[0], TokenFile: f.token, CertFile: f.cert, KeyFile: f.key, CAFile: f.ca,
			NKeyFile: f.nkey, CredsFile: f.creds,
			Notice: func(n world.FleetNote) { tellOfFleet(a, n) },
		},
		Slots: f.slots.Value, Labels: f.labels, Name: f.name, Health: f.health, Drain: drain,
	})
}
