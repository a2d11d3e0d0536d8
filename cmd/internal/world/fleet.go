package world

import (
	"context"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
)

// Fleet runs trials on other machines. The program tribunal-fleet has one; tribunal, which is much smaller, has none,
// and starts that program where one is asked for.
type Fleet interface {
	// Coordinate begins to hand the trials of a run to workers.
	Coordinate(context.Context, FleetRun) (Coordinator, error)
	// Work serves runs until the context ends, or the worker is drained.
	Work(context.Context, FleetWork) error
}

// Coordinator runs the trials of one run on other machines.
type Coordinator interface {
	runner.Agent
	runner.Pool
	URL() string // where workers find it
	// Close ends it. A run that has not ended may be resumed. The notes say what the fleet did.
	Close(ended bool) (notes []FleetNote, err error)
}

// FleetNote is what a person should know.
type FleetNote struct{ Kind, Text string } // "note" or "warning"

// FleetServer is where the two meet, and how they are sure of each other.
type FleetServer struct {
	Address           string // [HOST]:PORT to listen at, or that of a NATS server
	TokenFile         string
	CertFile, KeyFile string // of this side; "" is none
	CAFile            string // of the other side; "" are those of the system
	NKeyFile          string // seed that opens a server that runs elsewhere; "" is none
	CredsFile         string // credentials of a user of a server that runs elsewhere; "" is none
	Notice            func(FleetNote)
}

// FleetRun is a run for a fleet.
type FleetRun struct {
	FleetServer
	WorkerNKeys string // file of the public keys of workers; "" is the token
	Suite       *suite.Suite
	Lease       time.Duration // 0 is the usual one
	Label       string        // that workers must have; "" is any worker
	Rate        float64       // attempts a minute; 0 is not bounded
	Prices      []byte        // a file of prices; nil is none
	RunFile     string        // beside the journal
	Resume      bool
}

// FleetWork is a worker of a fleet.
type FleetWork struct {
	FleetServer
	Slots  int
	Labels []string
	Name   string // "" is that of the machine
	Health string // HOST:PORT of its probes; "" is none
	Drain  <-chan struct{}
}
