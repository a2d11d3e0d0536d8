package verdict

import (
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// Tallies counts trials by scenario as they are read, and what they took by model; its memory grows with
// the scenarios and models, not with the trials. The zero value is ready for use.
type Tallies struct {
	// The place in the list by the name of the scenario; made with the first tally.
	index map[string]int
	list  []Tally
	took  usage.Sum
}

// Add counts one trial. The trial is not kept.
func (t *Tallies) Add(record *trial.Trial) {
	one := Tally{Scenario: record.Scenario}
	switch record.Outcome {
	case trial.Pass:
		one.Passes = 1
	case trial.Fail:
		one.Fails = 1
	default:
		one.Errors = 1
	}
	// The passes are counted beside the cost, since cost per success divides by the passes
	// whose cost is known, not by all of them.
	one.Cost.Add(record, record.CostUSD)
	t.took.Add(usage.Of(record), record.CostUSD, record.CostBasis)
	t.AddTally(one)
}

// AddTally adds trials of a scenario that were counted before.
func (t *Tallies) AddTally(more Tally) {
	i, known := t.index[more.Scenario]
	if !known {
		if t.index == nil {
			t.index = map[string]int{}
		}
		i = len(t.list)
		t.index[more.Scenario] = i
		t.list = append(t.list, Tally{Scenario: more.Scenario})
	}
	tally := &t.list[i]
	tally.Passes += more.Passes
	tally.Fails += more.Fails
	tally.Errors += more.Errors
	tally.Cost = tally.Cost.Plus(more.Cost)
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
