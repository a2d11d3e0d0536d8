package running

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// WorkerRequest asks to run trials of a fleet on this machine.
type WorkerRequest struct {
	Fleet
	Slots  int // trials at a time
	Labels []string
	Name   string // "" is that of the machine
	Health string // [HOST]:PORT of its probes; "" is none
}

// Work works until it is told to end; address is that of a coordinator or of a NATS server, one.
func Work(ctx context.Context, a *world.World, r WorkerRequest, address []string) error {
	switch {
	case len(address) != 1:
		return problem.Usage("such as tribunal run worker nats://127.0.0.1:4222 --token .tribunal/workers.token",
			"run worker takes the address of a coordinator or of a NATS server, and there are %d arguments", len(address))
	case r.Token == "":
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
	r.Address = address[0]
	return a.Fleet.Work(ctx, world.FleetWork{
		FleetServer: r.Server(a), Slots: r.Slots, Labels: r.Labels, Name: r.Name, Health: r.Health, Drain: drain,
	})
}
