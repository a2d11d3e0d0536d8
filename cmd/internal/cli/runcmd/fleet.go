package runcmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// fleetServerFlags are those of both sides.
type fleetServerFlags struct{ cert, key, ca, nkey, creds string }

// register registers them.
func (f *fleetServerFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.cert, "tls-cert", "", "`FILE` of the certificate of this side of a fleet, in PEM")
	flags.StringVar(&f.key, "tls-key", "", "`FILE` of the key of that certificate, in PEM")
	flags.StringVar(&f.ca, "tls-ca", "", "`FILE` of the authorities of the other side, in PEM (default the system's)")
	flags.StringVar(&f.nkey, "nkey", "", "`FILE` with the seed of the NKey that opens a NATS server")
	flags.StringVar(&f.creds, "creds", "", "`FILE` of credentials, with a JWT and a seed, that open a NATS server")
}

// fleetFlags let a run be run by workers.
type fleetFlags struct {
	fleetServerFlags
	address string
	token   string
	nkeys   string
	label   string
	rate    value.Amount
	lease   time.Duration

	away *elsewhere // nil: the run is run here
}

// register registers them.
func (f *fleetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.address, "fleet", "",
		"run the trials by workers, see tribunal worker: listen at `[HOST]:PORT`, or use nats://HOST:PORT")
	flags.StringVar(&f.token, "workers-token", "",
		"`FILE` with the token that workers must have (default one that is made, beside the journal)")
	flags.StringVar(&f.nkeys, "workers-nkeys", "", "`FILE` of the public NKeys of the workers of :PORT, a line each")
	flags.StringVar(&f.label, "fleet-label", "", "run by workers with this `LABEL` alone")
	flags.Var(&f.rate, "fleet-rate", "begin at most so many attempts a minute, over all workers")
	flags.Lookup("fleet-rate").DefValue = ""
	flags.DurationVar(&f.lease, "fleet-lease", 0,
		"hand a trial out again after this `DURATION` without a sign of its worker (default 30s)")
	flags.Lookup("fleet-lease").DefValue = "0s" // which is not printed
	f.fleetServerFlags.register(flags)
}

// names are those of the flags that need --fleet.
var fleetOnly = [...]string{
	"workers-token", "workers-nkeys", "fleet-label", "fleet-rate", "fleet-lease", "tls-cert", "tls-key", "tls-ca", "nkey",
	"creds",
}

// asked reports whether the run is run by a fleet. A program without one becomes the program that has one.
func (f *fleetFlags) asked(a *world.World, flags *pflag.FlagSet) (bool, error) {
	if f.address == "" {
		for _, name := range fleetOnly {
			if flag := flags.Lookup(name); flag != nil && flag.Changed && a.Guest == nil {
				return false, problem.Usage("such as --fleet :4222", "%s needs --fleet", base.Origin(flags, name))
			}
		}
		return false, nil
	}
	switch {
	case f.lease < 0 || flags.Changed("fleet-lease") && f.lease < minLease:
		return false, problem.Usage("such as --fleet-lease 30s", "--fleet-lease %v is less than %v", f.lease, minLease)
	case flags.Changed("fleet-rate") && f.rate == 0:
		return false, problem.Usage("leave it out for no bound", "--fleet-rate 0 begins nothing")
	case a.Guest != nil:
		return false, problem.Usage("", "a fleet is for a person")
	}
	if a.Fleet == nil {
		return false, becomeFleet(a)
	}
	f.away = &elsewhere{}
	return true, nil
}

// whole refuses a fleet for what is no whole run.
func (f *RunFlags) whole(flags *pflag.FlagSet) error {
	switch {
	case !base.Typed(flags, "fleet"):
		return nil
	case f.shard.given():
		return problem.Usage("a fleet takes any number of machines; shards are for those without a way to each other",
			"--shard makes a part of a run, and --fleet all of it")
	case f.again.given():
		return problem.Usage("leave --fleet out", "trials are repeated on this machine")
	}
	return nil
}

// minLease is the shortest lease. It is chosen: a busy network is silent for as long now and then.
const minLease = time.Second

// elsewhere is an agent that is known once the run has its files.
type elsewhere struct {
	coordinator atomic.Pointer[world.Coordinator]
}

// Run runs an attempt elsewhere.
func (e *elsewhere) Run(ctx context.Context, r runner.Request) runner.Attempt {
	return (*e.coordinator.Load()).Run(ctx, r)
}

// agent is what runs the trials in place of the suite's agents; nil where they run here.
func (f *fleetFlags) agent() runner.Agent {
	if f.away == nil {
		return nil
	}
	return f.away
}

// open begins the coordination of a run, and returns what ends it.
func (f *fleetFlags) open(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, o *runner.Options, prices string,
) (end func(*runner.Result, error), err error) {
	if f.away == nil {
		return func(*runner.Result, error) {}, nil
	}
	run := world.FleetRun{
		FleetServer: world.FleetServer{
			Address: f.address, TokenFile: f.token, CertFile: f.cert, KeyFile: f.key, CAFile: f.ca,
			NKeyFile: f.nkey, CredsFile: f.creds,
			Notice: func(n world.FleetNote) { tellOfFleet(a, n) },
		},
		WorkerNKeys: f.nkeys, Suite: s, Lease: f.lease, Label: f.label, Rate: float64(f.rate), RunFile: o.Journal + ".fleet",
		Resume: o.Resume,
	}
	if run.TokenFile == "" {
		if run.TokenFile, err = ownToken(filepath.Dir(o.Journal)); err != nil {
			return nil, err
		}
	}
	if prices != "" {
		if run.Prices, err = os.ReadFile(prices); err != nil {
			return nil, problem.BadInput(fmt.Sprintf("--prices %s cannot be read: %v", prices, problem.WithoutPath(err)), "")
		}
	}
	coordinator, err := a.Fleet.Coordinate(ctx, run)
	if err != nil {
		return nil, err
	}
	f.away.coordinator.Store(&coordinator)
	o.Pool, o.Recovers = coordinator, true
	if !flags.Changed("concurrency") {
		o.Concurrency = 0
	}
	a.Notice("note", "workers begin with: tribunal worker %s --token %s", coordinator.URL(), run.TokenFile)
	return func(found *runner.Result, err error) {
		notes, closing := coordinator.Close(err == nil && found != nil && hasEnded(found.StoppedBy))
		for _, n := range notes {
			a.Notice(n.Kind, "%s", n.Text)
		}
		if closing != nil {
			a.Notice("warning", "the fleet: %v", closing)
		}
	}, nil
}

// tellOfFleet tells a person what happens in a fleet.
func tellOfFleet(a *world.World, n world.FleetNote) { a.Notice(n.Kind, "%s", n.Text) }

// hasEnded reports whether nobody goes on with a run that was stopped so.
func hasEnded(cause runs.StopCause) bool {
	switch cause {
	case runs.StoppedByDecision, runs.StoppedByMaxTrials, runs.StoppedByFirstFail, runs.StoppedByRace:
		return true
	}
	return false
}

// ownToken is the file of the token of a folder, which is made where none is there.
func ownToken(folder string) (file string, err error) {
	file = filepath.Join(folder, "workers.token")
	made, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return file, nil
	}
	if err != nil {
		return "", &problem.WriteError{Target: file, Err: err}
	}
	var token [32]byte
	_, _ = rand.Read(token[:]) // which never fails
	_, err = made.WriteString(hex.EncodeToString(token[:]) + "\n")
	if err = errors.Join(err, made.Close()); err != nil {
		return "", &problem.WriteError{Target: file, Err: err}
	}
	return file, nil
}
