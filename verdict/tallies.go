package verdict

import "github.com/tribunal-dev/tribunal/trial"

// Tallies counts trials by scenario as they are read; its memory grows with the
// scenarios, not with the trials. The zero value is ready for use.
type Tallies struct {
	index map[string]int
	list  []Tally
}

// Add counts one trial. The trial is not kept.
func (t *Tallies) Add(record *trial.Trial) {
	i, known := t.index[record.Scenario]
	if !known {
		if t.index == nil {
			t.index = map[string]int{}
		}
		i = len(t.list)
		t.index[record.Scenario] = i
		t.list = append(t.list, Tally{Scenario: record.Scenario})
	}
	tally := &t.list[i]
	passed := 0
	switch record.Outcome {
	case trial.Pass:
		tally.Passes++
		passed = 1
	case trial.Fail:
		tally.Fails++
	default:
		tally.Errors++
	}
	tally.Cost.Trials++
	if record.CostUSD.Known {
		tally.Cost = tally.Cost.Plus(Cost{Known: 1, Passes: passed, TotalUSD: record.CostUSD.Value})
	}
}

// List returns the tallies in the order in which their scenarios first appeared.
// It is not a copy.
func (t *Tallies) List() []Tally { return t.list }
