package guardrails

import (
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
)

// Member is the field of a trial's record that says what a guard found.
const Member = "guardrails"

// Trial is what a guard found in one trial. Without a finding nothing was denied.
type Trial struct {
	Clauses []Finding `json:"clauses,omitempty"` // in the order of their first calls
}

// Finding is what came of one clause.
type Finding struct {
	Contract string `json:"contract"` // its name
	Clause   string `json:"clause"`   // its name in the contract
	// Calls that were not made, after which the attempt went on, or had been ended by another one.
	Denied int `json:"denied"`
	// 1 where the attempt was ended at a call, which was not made either. It is none of those above.
	Killed  int    `json:"killed,omitempty"`
	Example string `json:"example,omitempty"` // what the first of the calls was, without what looks like a key
}

// How much a record holds. The numbers are chosen: contracts have some tens of clauses.
const (
	mostClauses   = 1000 // of a trial: calls of further ones are counted under the last
	mostCalls     = 1_000_000
	mostTextBytes = 200 // of a name or an example
)

// Add counts a call that a clause forbids.
func (t *Trial) Add(contract, clause, evidence string, killed bool) {
	f := Finding{Contract: bounded(contract), Clause: bounded(clause), Example: bounded(redact.Of(nil).Text(evidence))}
	i := slices.IndexFunc(t.Clauses, func(x Finding) bool { return x.Contract == f.Contract && x.Clause == f.Clause })
	switch {
	case i >= 0:
	case len(t.Clauses) == mostClauses:
		i = mostClauses - 1
	default:
		i = len(t.Clauses)
		t.Clauses = append(t.Clauses, f)
	}
	if killed {
		t.Clauses[i].Killed = 1
		return
	}
	t.Clauses[i].Denied = min(t.Clauses[i].Denied+1, mostCalls)
}

// bounded is a text as long as a record holds it.
func bounded(text string) string { return phrase.Excerpt(text, mostTextBytes) }

// Record writes into the record of a trial what was found in it; nil is that no guard stood before it. What the record
// said before is gone: whether a guard stood there is not for agents to say.
func (t *Trial) Record(to *trial.Trial) {
	if t == nil {
		to.SetExtra(Member, nil)
		return
	}
	text, err := json.Marshal(t)
	if err != nil {
		text = nil // not reached: it holds texts and numbers
	}
	to.SetExtra(Member, text)
}

// Of is what [Trial.Record] wrote; nil where no guard stood before the trial, and where what is written cannot be read.
func Of(t *trial.Trial) *Trial {
	told := t.ExtraOf(Member)
	if told == nil {
		return nil // as of most trials, without a decoder
	}
	var found *Trial
	if json.Unmarshal(told, &found) != nil || found == nil || found.Problem() != "" {
		return nil
	}
	for i := range found.Clauses {
		f := &found.Clauses[i]
		f.Contract, f.Clause, f.Example = bounded(f.Contract), bounded(f.Clause), bounded(f.Example)
	}
	return found
}
