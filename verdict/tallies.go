package verdict

import (
	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// Tallies counts trials by scenario as they are read, and what they took by model; its memory grows with
// the scenarios and models, not with the trials. The zero value is ready for use.
type Tallies struct {
	scenarios ordinal.Keys[string]
	list      []Tally // of each
	took      usage.Sum
}

// Add counts one trial. The trial is not kept.
func (t *Tallies) Add(record *trial.Trial) {
	tally := t.tally(record.Scenario)
	switch record.Outcome {
	case trial.Pass:
		tally.Passes++
	case trial.Fail:
		tally.Fails++
	default:
		tally.Errors++
		if record.StandsForTests() {
			tally.Unrun++
		}
	}
	// The passes are counted beside the cost, since cost per success divides by the passes
	// whose cost is known, not by all of them.
	tally.Cost.Add(record, record.CostUSD)
	t.took.Add(usage.Of(record), record.CostUSD, record.CostBasis)
}

// AddTally adds trials of a scenario that were counted before.
func (t *Tallies) AddTally(more Tally) {
	tally := t.tally(more.Scenario)
	tally.Passes += more.Passes
	tally.Fails += more.Fails
	tally.Errors += more.Errors
	tally.Unrun += more.Unrun
	tally.Cost = tally.Cost.Plus(more.Cost)
}

// tally is that of a scenario.
func (t *Tallies) tally(scenario string) *Tally {
	place, isNew := t.scenarios.Place(scenario)
	if isNew {
		t.list = append(t.list, Tally{Scenario: scenario})
	}
	return &t.list[place]
}

// List returns the tallies in the order in which their scenarios first appeared.
// It is not a copy.
func (t *Tallies) List() []Tally { return t.list }

// Usage is what the trials took that were added one by one; nil where none of them names a model.
func (t *Tallies) Usage() *usage.Usage {
	if u := t.took.Usage(); u.Names() != nil {
		return u
	}
	return nil
}
