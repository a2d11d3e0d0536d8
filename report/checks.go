package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// buildChecks is what recorded trials came to with changed evaluators: those that none would miss first.
func buildChecks(d *document.Document, r *mutants.Checks) {
	d.Begin(r.Header(), r.Suite)
	scoreAlone(d)
	d.Headline = safe.Text(r.Suite) + ": " + reasonsText(r.Reasons)
	d.Break()
	t := &document.Table{
		Title: "Changed evaluators", Rank: 1,
		Note: "Where no outcome changes, no recorded trial would miss the check.",
		Columns: []document.Column{
			{Title: "scenario", Text: table.Column{Least: 12}},
			{Title: "evaluator"},
			{Title: "change", Text: table.Column{Least: 10}},
			{Title: "outcomes changed", Right: true, Painted: true, Text: table.Column{Header: "changed"}},
			{Title: "trials", Right: true, Text: table.Column{Drop: 2}},
			{Title: "place", Text: table.Column{Drop: 1}},
		},
	}
	for _, noticed := range []bool{false, true} {
		for _, c := range r.Checks {
			if (c.Changed > 0) != noticed {
				continue
			}
			row := t.Add(document.Name(safe.Name(c.Scenario)), document.Name(safe.Name(c.Evaluator)),
				document.Name(safe.Text(c.Change)),
				c.Changed, len(c.Before), document.Name(safe.Text(c.Place)))
			row.Verdict = verdict.Pass
			message := fmt.Sprintf("%d of %s come out otherwise", c.Changed, prose.Count(len(c.Before), "trial"))
			if !noticed {
				row.Verdict, message = verdict.Inconclusive, "no recorded trial would miss it"
				if r.Verdict == verdict.Fail {
					row.Verdict = verdict.Fail
				}
			}
			d.Cases = append(d.Cases, document.Case{Scenario: c.Scenario, Name: c.Evaluator + " " + c.Change,
				Status: statusOf(row.Verdict, nil), Table: t, Row: row, Message: message})
		}
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
	d.Break()
	d.Tile("noticed", figure.Optional(r.Score, phrase.Percent), judgedVerdict(d))
	d.Tile("changes", fmt.Sprint(r.Changes), nil)
	d.Fact("digest", figure.ShortDigest(r.Digest))
	d.Warn(r.Warnings)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), reasonsText(r.Reasons)))
	d.Outputs = []document.Fact{count("noticed", r.Noticed), count("changes", r.Changes)}
}
