package contract

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Guards are the guardrails of contracts that can be judged before an act: hard ones that forbid something, and whose
// when, if they have one, speaks of the step alone. What the others ask is known of a whole trial only.
type Guards struct {
	clauses   []Clause
	contracts []string // of each clause, its contract's name
}

// Breach is what a guardrail forbids.
type Breach struct {
	Contract string // its name
	Clause   string // its name
	Evidence string // a sentence with a short excerpt, printable
}

// String writes the clause and the evidence.
func (b *Breach) String() string { return prose.Excerpt(b.Clause) + ": " + b.Evidence }

// Before returns the guardrails of contracts that can be judged before an act. A path is judged in every form that
// resolve returns of it too: an exception must allow each of them. nil resolves nothing.
func Before(resolve func(path string) []string, contracts ...*Contract) *Guards {
	g := &Guards{}
	for _, c := range contracts {
		for _, clause := range c.Clauses {
			if clause.guard == nil || clause.Severity != Hard || strings.Contains(clause.When, "trial") ||
				strings.Contains(clause.When, "previous") {
				continue
			}
			strict := *clause.guard
			strict.resolve = resolve
			clause.guard = &strict
			g.clauses, g.contracts = append(g.clauses, clause), append(g.contracts, c.Name)
		}
	}
	return g
}

// Len is the number of guardrails.
func (g *Guards) Len() int { return len(g.clauses) }

// Call judges a call of a tool; nil is that nothing forbids it. What cannot be judged is forbidden.
func (g *Guards) Call(ctx context.Context, tool string, arguments trial.Raw) *Breach {
	t := &trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: tool, Arguments: arguments}}}
	c := &Contract{Clauses: g.clauses}
	for i, f := range c.Check(ctx, t) {
		switch f.State {
		case Violated:
			return &Breach{g.contracts[i], f.Clause.Name, f.Violations[0].Evidence}
		case unjudged:
			return &Breach{g.contracts[i], f.Clause.Name, "it cannot be judged whether this keeps it: " + f.Problem}
		}
	}
	return nil
}

// Unread judges a call of which nothing is known: it may be any, and each guardrail may forbid it.
func (g *Guards) Unread(why string) *Breach {
	if len(g.clauses) == 0 {
		return nil
	}
	return &Breach{g.contracts[0], g.clauses[0].Name, "it cannot be judged whether this keeps it: " + prose.Excerpt(why)}
}
