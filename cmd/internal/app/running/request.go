package running

import (
	"context"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Request asks for a run of a suite. What is not given is as the suite says.
type Request struct {
	Suite  string // file or folder; "" is the one that is found from the working directory upwards
	Choice suitefile.Choice

	Journal string // file; "" is the usual one in .tribunal
	Output  string // file of the saved result, which is always written; "" is the usual one
	// At most one of Resume and Fresh: with neither, a journal that has not ended is an error.
	Resume, Fresh bool
	Extend        trial.Optional[int] // trials more for tests that used theirs up; implies Resume

	Concurrency trial.Optional[int]
	Eager       bool // keeps all workers busy, with trials that the decision may not need
	Seed        trial.Optional[uint64]
	MaxCost     trial.Optional[float64] // USD
	// Once nothing more is launched, what still runs is killed after it; not known lets it end.
	Grace trial.Optional[time.Duration]

	Tests   Tests
	Missing compare.MissingPolicy // what scenarios of a baseline that were not run mean
	Again   TrialSelection        // in place of a run
	Looks   looking.Looks
	Result  deliver.Target // what is printed
	Pricing evidence.Pricing
	Store   app.StoreChoice
	Live    string        // HOST:PORT that shows the run in progress; "" shows it nowhere
	Shard   journal.Shard // the part that is run; the zero value is all of it
	Fleet   Fleet

	Kind     string // of the run in a store: the command
	Quiet    bool   // what the agents are compared with is told in another place
	Brief    bool   // the result needs no more of trials than it lists
	NewAlone bool   // scenarios that a baseline does not have are judged by the threshold alone
	Advice   string // what to do where the agent cannot be run; "" is that of a suite

	Given value.GivenOptions // the options that were given, for messages and for what does not go together
}

// Tests say what a run decides, beside what its suite says.
type Tests struct {
	Baseline string // a saved result that all tests are against; "" is what the suite says
	Record   int    // trials of each scenario in place of the tests; 0 tests
	// Record is to be a baseline, whether or not the suite names one.
	ForBaseline bool
	// Of the scenarios that fail, for their number.
	Family trial.Optional[multiplicity.Correction]
	OfGate bool // the correction is that of the suite's gate
}

// Fleet lets workers on other machines run the trials.
type Fleet struct {
	FleetServer
	Address string                  // [HOST]:PORT to listen at, or nats://HOST:PORT; "" runs them here
	Token   string                  // file of the token that workers must have; "" makes one
	NKeys   string                  // file of the public NKeys of workers
	Label   string                  // that workers must have; "" is any
	Rate    trial.Optional[float64] // attempts a minute
	Lease   trial.Optional[time.Duration]
}

// FleetServer are the files by which the two sides of a fleet are sure of each other; "" is none.
type FleetServer struct{ Cert, Key, CA, NKey, Creds string }

// Server is where the two sides meet.
func (f Fleet) Server(a *world.World) world.FleetServer {
	return world.FleetServer{
		Address: f.Address, TokenFile: f.Token, CertFile: f.Cert, KeyFile: f.Key, CAFile: f.CA, NKeyFile: f.NKey,
		CredsFile: f.Creds, Notice: func(n world.FleetNote) { a.Notice(n.Kind, "%s", n.Text) },
	}
}

// Hooks let another command make runs of its own; nil ones do nothing.
type Hooks struct {
	// Prepare prepares what is run, in place of all scenarios of the suite.
	Prepare  func(context.Context, *suite.Suite, runner.PrepareOptions) (runner.Options, error)
	Adapt    func(*runner.Options)   // what runs the trials, if it is not the command of the suite
	Compared func(runner.Comparison) // is told of baselines
	Found    func(*runs.Evidence)    // adds what is known besides of what was found

	Anew bool // the command begins again where it was interrupted: nothing continues the run
}

// run is a run that goes on.
type run struct {
	Request
	Hooks
	floors  runner.Floors        // that a gate asks for
	named   *suitefile.Baselines // with names; nil until they are looked for
	gated   bool                 // the run is for a gate
	others  []string             // files that are written besides
	signs   *signature.Key       // what is saved; nil signs nothing
	begun   bool                 // trials may have been run
	part    bool                 // of several, of which others may have been run
	journal string               // file; "" is not known yet
	merging bool                 // nothing is run: the trials are those of shards
	changed []string             // of the agent, against the baseline, for a person
	away    *remoteAgent         // nil: the trials are run here
	written func()               // is called when all of a run is written; nil before it begins
}
