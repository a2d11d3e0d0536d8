package guardrails

import (
	"cmp"
	"math"
	"slices"
)

// Counts are what was found in trials.
type Counts struct {
	Guarded int      `json:"guarded"` // trials before which a guard stood
	Trials  int      `json:"trials"`  // of them, those in which a call was denied, or the attempt ended at one
	Denied  int      `json:"denied"`  // calls that were not made, but for those at which attempts were ended
	Killed  int      `json:"killed"`  // trials whose attempt was ended at a call
	Clauses []Clause `json:"clauses"` // those that forbade something, the busiest first; not nil
}

// Clause is how much one clause forbade.
type Clause struct {
	Contract string `json:"contract"`          // its name
	Clause   string `json:"clause"`            // its name in the contract
	Trials   int    `json:"trials"`            // in which it forbade something
	Denied   int    `json:"denied"`            // calls, as of [Counts]
	Killed   int    `json:"killed"`            // trials, as of [Counts]
	Example  string `json:"example,omitempty"` // of the first such trial
}

// Sum adds up what was found in trials; its memory grows with the clauses. The zero value is ready for use.
type Sum struct {
	counts Counts
	at     map[[2]string]int // of a contract and a clause among the rows
}

// Add counts a trial; one before which no guard stood (nil) is none.
func (s *Sum) Add(t *Trial) {
	if t == nil {
		return
	}
	s.counts.Guarded++
	if len(t.Clauses) > 0 {
		s.counts.Trials++
	}
	killed := 0
	for _, f := range t.Clauses {
		row := s.row(f)
		row.Trials++
		row.Denied, row.Killed = plus(row.Denied, f.Denied), row.Killed+f.Killed
		s.counts.Denied = plus(s.counts.Denied, f.Denied)
		killed += f.Killed
	}
	s.counts.Killed += killed
}

// row is that of a finding's clause.
func (s *Sum) row(f Finding) *Clause {
	key := [2]string{f.Contract, f.Clause}
	i, known := s.at[key]
	if !known {
		if s.at == nil {
			s.at = map[[2]string]int{}
		}
		i = len(s.counts.Clauses)
		s.at[key] = i
		s.counts.Clauses = append(s.counts.Clauses, Clause{Contract: f.Contract, Clause: f.Clause, Example: f.Example})
	}
	return &s.counts.Clauses[i]
}

// plus adds counts, up to the largest one.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Counts are what was found; nil where no guard stood before any trial.
func (s *Sum) Counts() *Counts {
	if s.counts.Guarded == 0 {
		return nil
	}
	c := s.counts
	c.Clauses = append([]Clause{}, c.Clauses...)
	slices.SortFunc(c.Clauses, func(a, b Clause) int {
		return cmp.Or(cmp.Compare(plus(b.Denied, b.Killed), plus(a.Denied, a.Killed)),
			cmp.Compare(a.Contract, b.Contract), cmp.Compare(a.Clause, b.Clause))
	})
	return &c
}
