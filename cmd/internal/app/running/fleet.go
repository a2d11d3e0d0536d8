package running

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

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// fleetOnly are the options that need --fleet.
var fleetOnly = [...]string{
	"workers-token", "workers-nkeys", "fleet-label", "fleet-rate", "fleet-lease", "tls-cert", "tls-key", "tls-ca", "nkey",
	"creds",
}

// askFleet reports whether the run is run by a fleet. A program without one becomes the program that has one.
func (f *run) askFleet(a *world.World) (bool, error) {
	if f.Fleet.Address == "" {
		for _, name := range fleetOnly {
			if f.Given.Has(name) && a.Guest == nil {
				return false, problem.Usage("such as --fleet :4222", "%s needs --fleet", f.Given.Origin(name))
			}
		}
		return false, nil
	}
	switch {
	case f.Fleet.Lease.Known && f.Fleet.Lease.Value < minLease:
		return false, problem.Usage("such as --fleet-lease 30s", "--fleet-lease %v is less than %v",
			f.Fleet.Lease.Value, minLease)
	case f.Fleet.Rate.Known && f.Fleet.Rate.Value == 0:
		return false, problem.Usage("omit it for no bound", "--fleet-rate 0 begins nothing")
	case a.Guest != nil:
		return false, problem.Usage("", "a fleet is for a person")
	}
	if a.Fleet == nil {
		return false, becomeFleet(a)
	}
	f.away = &remoteAgent{}
	return true, nil
}

// whole refuses a fleet for what is no whole run.
func (f *run) whole() error {
	switch {
	case !f.Given.Typed("fleet"):
		return nil
	case f.sharded():
		return problem.Usage("a fleet takes any number of machines; shards are for those without a way to each other",
			"--shard makes a part of a run, and --fleet all of it")
	case f.Again.given():
		return problem.Usage("omit --fleet", "trials are repeated on this machine")
	}
	return nil
}

// minLease is the shortest lease. It is chosen: a busy network is silent for as long now and then.
const minLease = time.Second

// remoteAgent is an agent that is known once the run has its files.
type remoteAgent struct {
	coordinator atomic.Pointer[world.Coordinator]
}

// Run runs an attempt elsewhere.
func (e *remoteAgent) Run(ctx context.Context, r runner.Request) runner.Attempt {
	return (*e.coordinator.Load()).Run(ctx, r)
}

// agent is what runs the trials in place of the suite's agents; nil where they run here.
func (f *run) agent() runner.Agent {
	if f.away == nil {
		return nil
	}
	return f.away
}

// openFleet begins the coordination of a run, and returns what ends it.
func (f *run) openFleet(
	ctx context.Context, a *world.World, s *suite.Suite, o *runner.Options,
) (end func(*runner.Result, error), err error) {
	if f.away == nil {
		return func(*runner.Result, error) {}, nil
	}
	run := world.FleetRun{
		FleetServer: f.Fleet.Server(a),
		WorkerNKeys: f.Fleet.NKeys, Suite: s, Lease: f.Fleet.Lease.Value, Label: f.Fleet.Label,
		Rate: f.Fleet.Rate.Value, RunFile: o.Journal + ".fleet",
		Resume: o.Resume,
	}
	if run.TokenFile == "" {
		if run.TokenFile, err = ownToken(filepath.Dir(o.Journal)); err != nil {
			return nil, err
		}
	}
	if prices := f.Pricing.File; prices != "" {
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
	if !f.Concurrency.Known {
		o.Concurrency = 0
	}
	a.Notice("note", "workers begin with: tribunal run worker %s --token %s", coordinator.URL(), run.TokenFile)
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

// hasEnded reports whether nobody continues a run that was stopped so.
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
