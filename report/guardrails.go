package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runGuardrails is what guards kept from being done: a line of all, and on pages a row for each clause of each test.
func runGuardrails(d *document.Document, r *runs.Result) {
	guardrailLine(d, "", r.Guardrails)
	guardrailLine(d, "baseline: ", r.BaselineGuardrails)
	t := &document.Table{
		Title: "What guardrails kept from being done", In: document.Pages, Rank: rankLimits,
		Note:    "Calls that were denied, and trials that were killed at one. None of these calls was made.",
		Columns: document.Columns("scenario", "contract", "clause", ">denied", ">killed", ">trials", "example"),
	}
	for i := range r.Tests {
		test := &r.Tests[i]
		if test.Guardrails == nil {
			continue
		}
		for _, c := range test.Guardrails.Clauses {
			t.Add(
				document.Name(safe.Name(test.Name)), document.Name(safe.Name(c.Contract)), document.Name(safe.Name(c.Clause)),
				c.Denied, c.Killed, c.Trials, document.Name(safe.Text(c.Example)),
			)
		}
	}
	d.Table(t)
}

// guardrailLine says what was denied, and the clauses that denied most; nothing where no guard was on.
func guardrailLine(d *document.Document, side string, c *guardrails.Counts) {
	if c != nil {
		d.Line("guardrails", side+guardrailText(c)+guardrailClauses(d, c))
	}
}

// guardrailsOfBoth is what guards denied on both sides of a comparison.
func guardrailsOfBoth(d *document.Document, baseline, candidate *guardrails.Counts) {
	guardrailLine(d, "baseline: ", baseline)
	guardrailLine(d, "candidate: ", candidate)
}

// guardrailText is what was denied in trials, such as "3 calls denied in 2 of 40 trials".
func guardrailText(c *guardrails.Counts) string {
	share := fmt.Sprintf("%d of %s", c.Trials, prose.Count(c.Guarded, "trial"))
	switch {
	case c.Trials == 0:
		return "nothing denied in " + prose.Count(c.Guarded, "trial")
	case c.Killed == 0:
		return fmt.Sprintf("%s denied in %s", prose.Count(c.Denied, "call"), share)
	case c.Denied == 0:
		return fmt.Sprintf("%s killed at a call", share)
	}
	return fmt.Sprintf("%s denied and %s killed at a call, in %s", prose.Count(c.Denied, "call"),
		prose.Count(c.Killed, "trial"), share)
}

// guardrailClauses are the busiest clauses in parentheses, each with the calls that it forbade.
func guardrailClauses(d *document.Document, c *guardrails.Counts) string {
	const most = 3 // chosen: they fit on a line or two
	var words []string
	for _, x := range c.Clauses {
		words = append(words, fmt.Sprintf("%s: %s %d", shorten(d, x.Contract, 24), shorten(d, x.Clause, 24),
			x.Denied+x.Killed))
	}
	if words == nil {
		return ""
	}
	return " (" + prose.Some(words, most) + ")"
}
