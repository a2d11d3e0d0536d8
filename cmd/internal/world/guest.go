package world

import (
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// Guest is a program that asks on behalf of an agent, and what it is held to. The methods of
// nil, a person, do nothing.
type Guest struct {
	// Spend takes the part of the errors that a look has: one in so many, 0 for all of it.
	Spend func(GuestLook) (planned int, err error)
	// Trials is how many trials a run may launch; none is no limit.
	Trials   trial.Optional[int]
	Progress func(runner.Progress) // of a run; nil tells nobody
}

// GuestLook is a look before it is judged.
type GuestLook struct {
	Scenarios []string          // that it looks at, which are the task
	Evidence  string            // digest of the trials; "" before they are made
	Grew      func(string) bool // as in package looks
	Of        int               // the part that the evidence was made with; 0 leaves it open
	Continues bool              // a run goes on
	Known     bool              // the look of a run that has ended, under its evidence
}

// Bound holds a run to the trials that it may launch.
func (g *Guest) Bound(s *suite.Suite) {
	if g != nil && g.Trials.Known && (!s.Budget.MaxTrials.Known || s.Budget.MaxTrials.Value > g.Trials.Value) {
		s.Budget.MaxTrials = g.Trials
	}
}

// Watching tells the guest too.
func (g *Guest) Watching(update func(runner.Progress)) func(runner.Progress) {
	if g == nil || g.Progress == nil {
		return update
	}
	return func(state runner.Progress) {
		update(state)
		g.Progress(state)
	}
}
