package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/relations"
)

// mostShownViolations is of how many violated relations the text shows an example. It is chosen, for a screen.
const mostShownViolations = 3

// buildRelations is what became of every relation in every scenario: those that are violated, each with an example, and
// a row for all.
func buildRelations(d *document.Document, r *relations.Result) {
	d.Begin(r.Header(), r.Suite)
	if !d.Judged {
		d.Word, d.Colour = "recorded", verdict.Pass
	}
	d.Headline = safe.Text(r.Suite) + ": " + reasonsText(r.Reasons)
	d.Break()
	if d.Judged {
		violatedRelations(d, r)
		d.Parts = append(d.Parts, document.FindingList{})
	}
	relationRows(d, r)
	d.Break()
	d.Linef("pairs", "%d, of two executions each%s", r.Pairs, controlsOf(r))
	d.Statf("errors", "alpha %s for all relations and scenarios together; beta %s for each", figure.Brief(r.Asked.Alpha),
		figure.Brief(r.Asked.Beta))
	if r.Run != nil {
		if cost := r.Run.Spent.CostUSD; cost != nil {
			d.Line("cost", figure.Money(*cost))
		}
		d.Fact("seed", fmt.Sprint(r.Run.Seed))
	}
	d.Fact("digest", figure.ShortDigest(r.Digest))
	d.Warn(r.Warnings)
	counts := map[verdict.Verdict]int{}
	for _, j := range r.Relations {
		counts[j.Verdict]++
	}
	d.Tile("violated", fmt.Sprint(counts[verdict.Fail]), &r.Verdict)
	d.Tile("hold", fmt.Sprint(counts[verdict.Pass]), nil)
	d.Tile("undecided", fmt.Sprint(counts[verdict.Inconclusive]), nil)
	d.Tile("pairs", fmt.Sprint(r.Pairs), nil)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), reasonsText(r.Reasons[:1])))
	d.Outputs = []document.Fact{count("violated", counts[verdict.Fail]), count("hold", counts[verdict.Pass]),
		count("undecided", counts[verdict.Inconclusive])}
}

// controlsOf says what the controls are.
func controlsOf(r *relations.Result) string {
	switch {
	case r.Asked.Baseline != "":
		return "; controls are the follow-ups of " + safe.Text(r.Asked.Baseline)
	case r.Asked.Recorded > 0:
		return ""
	}
	return "; controls are pairs of equal inputs"
}

// violatedRelations are the relations that are violated, in the order of the suite, and those that are open behind
// them.
func violatedRelations(d *document.Document, r *relations.Result) {
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive} {
		for _, j := range r.Relations {
			for _, c := range j.Scenarios {
				if c.Verdict != v {
					continue
				}
				f := document.Finding{Name: safe.Name(cellName(j, c)), Verdict: v, Sentence: reasonsText(c.Reasons)}
				if v == verdict.Fail && len(d.Findings) < mostShownViolations {
					f.More = append([]string{"it claims: " + j.Text}, exampleLines(c)...)
				}
				d.Findings = append(d.Findings, f)
			}
		}
	}
}

// cellName is a relation in a scenario.
func cellName(j relations.JudgedRelation, c relations.Cell) string { return j.Name + "/" + c.Scenario }

// exampleLines show a pair that violates a relation.
func exampleLines(c relations.Cell) []string {
	if len(c.Example) == 0 {
		return nil
	}
	x := c.Example[0]
	return []string{
		fmt.Sprintf("pair %d: %s", x.Trial, safe.Text(x.Why)),
		fmt.Sprintf("source:    %s -> %s", safe.Text(x.Source.Input), safe.Text(x.Source.Output)),
		fmt.Sprintf("follow-up: %s -> %s", safe.Text(x.FollowUp.Input), safe.Text(x.FollowUp.Output)),
	}
}

// relationRows is a row and a case for each relation in each scenario.
func relationRows(d *document.Document, r *relations.Result) {
	t := &document.Table{
		Title: "Relations", Rank: 1,
		Columns: []document.Column{
			{Title: "relation", Text: table.Column{Least: 10}},
			{Title: "scenario", Text: table.Column{Least: 10, Most: 30}},
			{Title: "verdict", Painted: true},
			{Title: "violated by", Right: true, Text: table.Column{Header: "violated"}},
			{Title: "controls", Right: true},
			{Title: "excess", Right: true, Text: table.Column{Drop: 2}},
			{Title: "95% interval", Right: true, Text: table.Column{Drop: 3}},
			{Title: "p", Right: true, Text: table.Column{Drop: 1}},
			{Title: "kind", In: document.Pages},
			{Title: "rate, 95%", In: document.Pages},
			{Title: "controls, 95%", In: document.Pages},
		},
	}
	for _, j := range r.Relations {
		for _, c := range j.Scenarios {
			control, controlRate := document.None, document.None
			if c.Control != nil {
				control, controlRate = ofPairs(*c.Control), figure.Interval(figure.Rate(c.Control.Low), figure.Rate(c.Control.High))
			}
			excess, interval, p := document.None, document.None, document.None
			if x := c.Excess; x != nil {
				excess, interval = figure.Points(x.Estimate), figure.Interval(figure.Signed(x.Low), figure.Signed(x.High))
			}
			if c.P != nil {
				p = figure.PValue(*c.P)
			}
			row := t.Add(document.Name(safe.Name(j.Name)), document.Name(safe.Name(c.Scenario)), document.Verdict(c.Verdict),
				ofPairs(c.FollowUp), control, excess, interval, p, string(j.Kind)+" ("+j.Paper+")",
				figure.Interval(figure.Rate(c.FollowUp.Low), figure.Rate(c.FollowUp.High)), controlRate)
			row.Verdict = c.Verdict
			x := document.Case{Scenario: cellName(j, c), Name: string(j.Kind), Status: statusOf(c.Verdict, c.Reasons), Table: t,
				Row:     row,
				Message: reasonsText(c.Reasons)}
			if c.Verdict != verdict.Pass {
				x.Details = exampleLines(c)
			}
			d.Cases = append(d.Cases, x)
		}
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// ofPairs is such as "3 of 20", with the errors beside it.
func ofPairs(r relations.Rate) string {
	text := fmt.Sprintf("%d of %d", r.Violations, r.Pairs)
	if r.Errors > 0 {
		text += " (" + prose.Count(r.Errors, "error") + ")"
	}
	return text
}
