package wiring

import (
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/trial"
)

// Setup says what requests pass on their way.
type Setup struct {
	Scenario string // in the records

	MaxTurns, MaxTokens trial.Optional[int]
	MaxCost             trial.Optional[float64] // USD

	Upstreams []string // PROVIDER=URL of servers in place of those of the providers
	Keys      []string // PROVIDER=NAME of variables with keys that programs do not get
	Faults    []string // as KIND:KEY=VALUE,...
	Pricing   evidence.Pricing

	Servers   []string // of MCP, as NAME=COMMAND or NAME=URL
	Guard     string   // deny or kill; "" is deny
	Contracts []string // files whose guardrails are held

	Cassette string   // file; "" is none
	Replay   string   // strict or or-record; "" records
	Ignore   []string // members that do not tell requests apart
	Timing   bool     // replayed answers take the time that they took

	Script string // file that answers in place of all models; "" asks servers
	Seed   uint64 // of what a script and the rates of faults draw

	Given value.GivenOptions // the options that were given
}

// Request asks to run a program on a wire.
type Request struct {
	Setup
	Command []string
	Output  string   // file of the trial record; "" is none
	Confine []string // folders; with any, the program writes below them alone, and reaches the wire alone
}

// ServeRequest asks for a wire that stays up.
type ServeRequest struct {
	Setup
	Listen      string        // HOST:PORT
	AllowRemote bool          // lets other machines reach it
	For         time.Duration // after which it ends; 0 goes on until it is interrupted
	Trials      string        // file that records are appended to; "" is none
	JSON        bool
}
