package contract

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Summary collects what was found in many trials. It is not for several goroutines at
// once.
type Summary struct {
	Contract *Contract // that was checked
	Clauses  []Tally   // in the order of the contract
	Trials   Tally     // by the hard clauses together
	// Sequence are the judged trials in the order in which they were added: true
	// where all hard clauses were kept.
	Sequence []bool
}

// Tally counts trials by what became of a clause in them, and keeps the first
// violations.
type Tally struct {
	Kept         int              // trials that kept it
	Violated     int              // trials that violated it somewhere
	Unjudged     int              // trials in which it could not be judged
	Inapplicable int              // trials to which it does not apply
	Places       int              // steps, or whole trials, that violate it
	First        []FoundViolation // the first violations, at most 100
	Problem      string           // the first reason why it could not be judged; "" where there is none
}

// Total are all trials.
func (t Tally) Total() int { return t.Kept + t.Violated + t.Unjudged + t.Inapplicable }

// FoundViolation is a violation and the trial that it is in.
type FoundViolation struct {
	Scenario string              // of the trial
	Variant  string              // of the trial; may be ""
	Trial    trial.Optional[int] // its number
	Place    trial.Place         // where it was read
	Violation
}

// maxFound is how many violations of a clause a summary keeps.
const maxFound = 100

// NewSummary returns a summary without trials.
func NewSummary(c *Contract) *Summary {
	return &Summary{Contract: c, Clauses: make([]Tally, len(c.Clauses))}
}

// Add counts the findings of [Contract.Check] in a trial. A trial that ended in an
// error may have violated a clause, but cannot have kept one: it did not come to its
// end. What it began with stands.
func (s *Summary) Add(t *trial.Trial, findings []Finding) {
	all := inapplicable // by the hard clauses
	checked := false    // some clause, hard or soft, was judged
	problem := ""
	for i, f := range findings {
		if f.State == Kept && t.Outcome == trial.Error && f.Clause.Kind != Precondition {
			f.State, f.Problem = unjudged, "the trial ended in an error"
		}
		s.Clauses[i].count(f.State, f.Problem)
		s.Clauses[i].add(t, f.Violations)
		checked = checked || f.State == Kept || f.State == Violated
		if f.Clause.Severity != Hard {
			continue
		}
		switch {
		case f.State == Violated:
			all = Violated
		case f.State == unjudged && all != Violated:
			if all != unjudged {
				problem = fmt.Sprintf("%s: %s", prose.Excerpt(f.Clause.Name), f.Problem)
			}
			all = unjudged
		case f.State == Kept && all == inapplicable:
			all = Kept
		}
	}
	if all == inapplicable && checked { // soft clauses alone, which no trial fails by
		all = Kept
	}
	s.Trials.count(all, problem)
	if all == Kept || all == Violated {
		s.Sequence = append(s.Sequence, all == Kept)
	}
}

// count counts a trial by the state of the clause in it.
func (t *Tally) count(state State, problem string) {
	switch state {
	case Kept:
		t.Kept++
	case Violated:
		t.Violated++
	case inapplicable:
		t.Inapplicable++
	default:
		t.Unjudged++
		if t.Problem == "" {
			t.Problem = problem
		}
	}
}

// add keeps the first violations.
func (t *Tally) add(record *trial.Trial, violations []Violation) {
	t.Places += len(violations)
	for _, v := range violations {
		if len(t.First) == maxFound {
			return
		}
		t.First = append(t.First, FoundViolation{record.Scenario, record.Variant, record.Index, record.Place, v})
	}
}
