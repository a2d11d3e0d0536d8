package runcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

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
		Example: `  tribunal run worker nats://127.0.0.1:4222 --token .tribunal/workers.token
  tribunal run worker tls://nats.example:4222 --token token --slots 4 --label gpu
  tribunal run worker tls://nats.example:4222 --token token --health :8080`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := running.WorkerRequest{Slots: 1}
	o := option.Of(command.Flags())
	option.Bind(o, "slots", &r.Slots, option.Count(1, 1024))
	o.List("label", &r.Labels)
	o.Text("token", &r.Fleet.Token)
	o.Text("name", &r.Name)
	o.Text("health", &r.Health)
	bindFleetServer(command.Flags(), &r.Fleet.FleetServer)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return running.Work(ctx, a, r, args)
	})
	return command
}

// bindFleet binds the options of a run that workers run.
func bindFleet(flags *pflag.FlagSet, f *running.Fleet) {
	o := option.Of(flags)
	o.Text("fleet", &f.Address)
	o.Text("workers-token", &f.Token)
	o.Text("workers-nkeys", &f.NKeys)
	o.Text("fleet-label", &f.Label)
	option.BindOptional(o, "fleet-rate", &f.Rate, option.Amount)
	option.BindOptional(o, "fleet-lease", &f.Lease, option.Duration)
	bindFleetServer(flags, &f.FleetServer)
}

// bindFleetServer binds the options of both sides of a fleet.
func bindFleetServer(flags *pflag.FlagSet, f *running.FleetServer) {
	o := option.Of(flags)
	o.Text("tls-cert", &f.Cert)
	o.Text("tls-key", &f.Key)
	o.Text("tls-ca", &f.CA)
	o.Text("nkey", &f.NKey)
	o.Text("creds", &f.Creds)
}
