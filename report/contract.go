package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// mostContractViolations is how many violations of a clause the text lists.
const mostContractViolations = 3

// buildContract is how trials keep a contract: a row for each clause, the first
// violations with their evidence, and what is promised of further trials.
func buildContract(d *document.Document, r *compliance.Result) {
	n := r.Trials
	d.Begin(r.Header(), r.Contract)
	d.Headline = fmt.Sprintf("%s: %s, %d kept, %d violated, %d not judged", safe.Name(r.Contract),
		prose.Count(n.Trials, "trial"), n.Kept, n.Violated, n.Unjudged)
	d.Break()
	clauses(d, r)
	d.Break()
	violations(d, r)
	satisfaction(d, r)
	d.Fact("digest", figure.ShortDigest(r.Digest))
	d.Warn(r.Warnings)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), reasonsText(r.Reasons)))
	d.Outputs = []document.Fact{count("trials", n.Trials), count("violated", n.Violated)}
}

// clauses is a row and a case for each clause: violated ones first, hard before soft.
func clauses(d *document.Document, r *compliance.Result) {
	t := &document.Table{
		Title: "Clauses",
		Columns: []document.Column{
			{Title: "clause", Text: table.Column{Least: 12}},
			{Title: "kind", Text: table.Column{Drop: 3}},
			{Title: "severity", Text: table.Column{Drop: 2}},
			{Title: "judged", Right: true},
			{Title: "violated", Right: true, Painted: true},
			{Title: "unjudged", Right: true, Text: table.Column{Drop: 4}},
			{Title: "kept", Right: true},
			{Title: figure.Level(1-r.Alpha) + " interval", Right: true, Text: table.Column{Drop: 1}},
		},
	}
	// The worst first: hard clauses that are violated, then soft ones, then those
	// that some trials did not settle, and last what was kept. Within a group the
	// contract's order stays.
	for _, group := range []func(c *compliance.Clause) bool{
		func(c *compliance.Clause) bool { return c.Violated > 0 && c.Severity == contract.Hard },
		func(c *compliance.Clause) bool { return c.Violated > 0 && c.Severity != contract.Hard },
		func(c *compliance.Clause) bool { return c.Violated == 0 && c.Unjudged > 0 },
		func(c *compliance.Clause) bool { return c.Violated == 0 && c.Unjudged == 0 },
	} {
		for i := range r.Clauses {
			if c := &r.Clauses[i]; group(c) {
				row := clauseRow(c)
				t.Rows = append(t.Rows, row)
				d.Cases = append(d.Cases, clauseCase(c, t, row))
			}
		}
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Clauses") })
	d.Table(t)
}

// clauseRow is a row of counts of trials: "judged" are those that kept the clause or
// violated it, and "unjudged" those that do not record what it takes. The rate is of
// the judged ones; the interval holds whatever became of the others.
func clauseRow(c *compliance.Clause) *document.Row {
	kept := document.Told(none)
	if c.Interval != nil {
		kept = intervalCell(c.Interval.Low, c.Interval.High, "")
	}
	return &document.Row{Verdict: clauseVerdict(c), Cells: []document.Cell{
		document.Name(safe.Name(c.Name)),
		document.Plain(string(c.Kind)),
		document.Plain(string(c.Severity)),
		document.Told(fmt.Sprint(c.Kept+c.Violated), count("kept", c.Kept)),
		document.Told(fmt.Sprint(c.Violated), count("violated", c.Violated)),
		document.Told(fmt.Sprint(c.Unjudged), count("unjudged", c.Unjudged)),
		numberCell("rate", c.Rate, figure.Rate),
		kept,
	}}
}

// clauseCase is the case of a clause, with the place and the evidence of each
// violation that the result lists.
func clauseCase(c *compliance.Clause, parent *document.Table, row *document.Row) document.Case {
	x := document.Case{
		Scenario: c.Name, Name: "clause", Status: statusOf(clauseVerdict(c), nil), Table: parent, Row: row,
		Message: fmt.Sprintf("%d kept, %d violated, %d not judged of %s", c.Kept, c.Violated, c.Unjudged,
			prose.Count(c.Trials, "trial")),
	}
	if c.Interval != nil {
		x.Details = append(x.Details, fmt.Sprintf("kept %s, interval %s", figure.Optional(c.Rate, figure.Rate),
			figure.IntervalText(c.Interval)))
	}
	if c.Problem != "" {
		x.Details = append(x.Details, c.Problem)
	}
	for _, v := range c.Violations {
		x.Details = append(x.Details, violationPlace(v, safe.Name)+": "+orUnknown(v.Evidence))
	}
	return x
}

// clauseVerdict gives a clause a colour and a status: only a hard clause can fail. A
// soft one that is violated stays open, as does one that no trial kept or violated.
func clauseVerdict(c *compliance.Clause) verdict.Verdict {
	switch {
	case c.Violated > 0 && c.Severity == contract.Hard:
		return verdict.Fail
	case c.Violated > 0 || c.Kept == 0:
		return verdict.Inconclusive
	}
	return verdict.Pass
}

// violations is a row for the first of each clause, hard ones first; the text has lines
// for fewer of them.
func violations(d *document.Document, r *compliance.Result) {
	t := &document.Table{Title: "Violations", In: document.Pages,
		Columns: document.Columns("clause", "severity", "where", "evidence")}
	// Hard ones first, so that those survive where a format cuts a long table.
	for _, severity := range []contract.Severity{contract.Hard, contract.Soft} {
		for _, c := range r.Clauses {
			if c.Severity != severity {
				continue
			}
			for i, v := range c.Violations {
				t.Add(
					document.Name(safe.Name(c.Name)), string(severity), document.Name(violationPlace(v, safe.Name)),
					document.Name(orUnknown(v.Evidence)),
				)
				name := shorten(d, c.Name, 30)
				place := violationPlace(v, func(text string) string { return shorten(d, text, 24) })
				switch {
				// The result lists the first violations of a clause; Places counts
				// all of them.
				case i == mostContractViolations:
					d.TextLinef("", "%s: and %d more", name, c.Places-i)
				case i < mostContractViolations:
					d.TextLinef(string(severity), "%s: %s: %s", name, place, orUnknown(v.Evidence))
				}
			}
		}
	}
	d.Table(t)
}

// violationPlace says where a clause is violated, with names as they are to be shown.
func violationPlace(v compliance.Violation, show func(string) string) string {
	parts := []string{show(v.Scenario)}
	if v.Trial != nil {
		parts = append(parts, fmt.Sprintf("trial %d", *v.Trial))
	} else if v.Place != "" {
		parts = append(parts, v.Place)
	}
	if v.Step != nil {
		step := fmt.Sprintf("step %d", *v.Step)
		if v.Tool != "" {
			step += " (" + show(v.Tool) + ")"
		}
		parts = append(parts, step)
	}
	return strings.Join(parts, ", ")
}

// satisfaction is the part on (p, delta, k)-satisfaction, where the contract asks for
// it: the share of trials that kept the contract with its exact lower limit, the
// promise itself (of k trials in a row, so many keep it), how the windows of k trials
// of the recording did, and what follows for the next k trials. All of it is in the
// result.
func satisfaction(d *document.Document, r *compliance.Result) {
	s := r.Satisfaction
	if s == nil {
		return
	}
	confidence := figure.Level(1 - r.Alpha)
	d.Linef("satisfied", "%d of %s: %s, at least %s at %s confidence (exact)",
		s.Kept, prose.Count(r.Trials.Kept+r.Trials.Violated, "judged trial"), figure.Rate(s.Rate), figure.Rate(s.Low),
		confidence)
	d.Linef("promise", "(p %s, delta %s, k %d): %d of %s in a row", figure.Brief(s.P), figure.Brief(s.Delta), s.K,
		s.Needed,
		prose.Count(s.K, "trial"))
	if s.Windows.Count > 0 {
		d.Linef("recorded", "%d of %d windows of %s satisfy it; the worst share is %s",
			s.Windows.Satisfied, s.Windows.Count, prose.Count(s.K, "trial"), figure.Rate(s.Windows.Worst))
	}
	d.Linef(fmt.Sprintf("next %d", s.K), "satisfy it with a chance of %s or more, "+
		"and reach a share of %s with %s or more, at that lower limit",
		figure.ExactChance(s.Chance), figure.Brief(s.Reached), confidence)
}
