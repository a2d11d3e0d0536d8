package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// Contract is what a contract file says.
type Contract struct {
	Name    string   // for reports; "contract" where it has none
	Clauses []Clause // at least one, with names that differ
	Promise Promise  // what is asked of many trials

	together time.Duration // that all clauses may take on one trial; 0 is maxTogether
}

// Promise is the (p, δ, k)-satisfaction that is asked for: over K trials in a row,
// the share of trials that keep every hard clause is above P, and less than Delta
// below the share among the trials that were checked.
type Promise struct {
	P     float64 `json:"p"`     // in [0,1); default 0.9
	Delta float64 `json:"delta"` // in (0,1]; default 0.1
	K     int     `json:"k"`     // default 10
}

// Clause is one thing that a trial must keep to.
type Clause struct {
	Name     string   // for reports, on one line
	Kind     Kind     // what it is about, and when it is checked
	Severity Severity // what a violation does; default hard
	When     string   // a condition; "" is always
	Require  string   // a condition; "" where Forbid says what must not be
	Forbid   Patterns // of a guardrail
	Allow    Patterns // exceptions from Forbid
	Preset   string   // what else a guardrail forbids, by the name of a [preset]; "" is none

	when, require *condition
	guard         *guard
}

// Kind says what a clause is about.
type Kind string

// The kinds of clauses.
const (
	Precondition  Kind = "precondition"  // what the trial begins with
	Postcondition Kind = "postcondition" // the trial when it has ended
	Invariant     Kind = "invariant"     // every step
	Guardrail     Kind = "guardrail"     // every step: what must not be done
)

// ofSteps reports whether the clause is checked at every step.
func (k Kind) ofSteps() bool { return k == Invariant || k == Guardrail }

// Severity says what a violation does.
type Severity string

// The severities.
const (
	Hard Severity = "hard" // the trial fails
	Soft Severity = "soft" // it is counted
)

// Only returns the contract with the clauses of these names alone, in its own order; those of other names are not
// there.
func (c *Contract) Only(names ...string) *Contract {
	kept := *c
	kept.Clauses = nil
	for _, clause := range c.Clauses {
		if slices.Contains(names, clause.Name) {
			kept.Clauses = append(kept.Clauses, clause)
		}
	}
	return &kept
}

// Digest identifies the content of the contract, as "sha256:" and 64 hexadecimal
// digits, whatever the layout and comments of its file.
func (c *Contract) Digest() string {
	type clause struct {
		Name          string
		Kind          Kind
		Severity      Severity
		When, Require string
		Forbid, Allow Patterns
		Preset        string `json:",omitempty"`
	}
	form := struct {
		Name    string
		Promise Promise
		Clauses []clause
	}{Name: c.Name, Promise: c.Promise}
	for _, l := range c.Clauses {
		form.Clauses = append(form.Clauses, clause{l.Name, l.Kind, l.Severity, l.When, l.Require, l.Forbid, l.Allow,
			l.Preset})
	}
	text, err := json.Marshal(form)
	if err != nil {
		return "" // not reached: every number is finite
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
