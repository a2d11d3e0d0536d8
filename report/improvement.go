package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// buildImprovement is what became of the attempts of a loop: a row for each with the champion's line, and the money.
func buildImprovement(d *document.Document, r *improvement.Result) {
	d.Begin(r.Header(), r.Name)
	reasons := r.Reasons
	if len(r.Attempts) == 0 && r.Stop == "" {
		d.Word, reasons = "no trials yet", []verdict.Reason{{Text: "no candidate was tried"}}
	}
	d.Headline = safe.Text(r.Name) + ": " + safe.Text(reasonsText(reasons))
	d.Break()
	attemptRows(d, r)
	d.Break()
	moneyRows(d, r)
	d.Break()
	d.Linef("averted", "%s, worse than the current version", prose.Count(r.Averted, "attempt"))
	if len(r.Flaky) > 0 {
		d.Linef("flaky", "%s: %s", prose.Count(len(r.Flaky), "test"), safe.Text(prose.Some(r.Flaky, mostFlaky)))
	}
	d.Statf("another", "improves with a chance of %s, by those so far (uniform prior)", figure.Chance(r.Chance))
	if r.Asked.By == improvement.ByPairs {
		levelLines(d, r)
	}
	d.Fact("stopped by", string(r.Stop))
	d.Fact("seed", fmt.Sprint(r.Seed))
	d.Warn(r.Warnings)
	d.Tile("current version", attemptName(r.Champion), &r.Verdict)
	if last := len(r.Attempts) - 1; last >= 0 && r.Attempts[last].Judged.Best != nil {
		best := r.Attempts[last].Judged.Best
		d.Tile("tests pass", fmt.Sprintf("%d of %d", best.Passes, best.Tests()), nil)
	}
	d.Tile("averted", fmt.Sprint(r.Averted), nil)
	d.Tile("cost", figure.Money(r.CostUSD()), nil)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), safe.Text(reasonsText(reasons[:1]))))
	d.Outputs = []document.Fact{count("champion", r.Champion), count("attempts", len(r.Attempts)),
		count("averted", r.Averted)}
}

// mostFlaky is how many flaky tests are named. Chosen, for a line or two.
const mostFlaky = 5

// attemptName is a number of an attempt for a person.
func attemptName(number int) string {
	switch {
	case number < 0:
		return document.None
	case number == 0:
		return "start"
	}
	return fmt.Sprint(number)
}

// attemptRows is a row for each attempt, and one case for all: an attempt that was reverted is no failure of the loop.
func attemptRows(d *document.Document, r *improvement.Result) {
	t := &document.Table{Title: "Attempts", Rank: 1, Columns: []document.Column{
		{Title: "attempt", Right: true},
		{Title: "decision", Painted: true},
	}}
	if r.Asked.By == improvement.ByCount {
		t.Columns = append(t.Columns, document.Columns(">pass", ">fail", ">error")...)
		t.Columns = append(t.Columns, document.Column{Title: "flaky", Right: true, Text: table.Column{Drop: 2}},
			document.Column{Title: "current version", Right: true}, document.Column{Title: "its passes", Right: true,
				Text: table.Column{Header: "passes"}})
	} else {
		t.Columns = append(t.Columns, document.Columns(">pairs", ">broke", ">mended", ">level", ">current")...)
	}
	t.Columns = append(t.Columns, document.Column{Title: "note", Text: table.Column{Least: 10, Drop: 1}})
	for _, a := range r.Attempts {
		v := decisionVerdict(a)
		word := a.Judged.Decision.String()
		if a.State != improvement.Tried {
			word = string(a.State)
		}
		cells := []any{attemptName(a.Number), document.Cell{Text: safe.Text(word)}}
		cells = append(cells, attemptCells(r, a)...)
		row := t.Add(append(cells, document.Name(safe.Text(a.Problem)))...)
		row.Verdict = v
	}
	d.Cases = append(d.Cases, document.Case{Scenario: safe.Name(r.Name), Name: "ratchet", Status: statusOf(r.Verdict, nil),
		Message: safe.Text(reasonsText(r.Reasons))})
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// attemptCells are the figures of an attempt.
func attemptCells(r *improvement.Result, a improvement.Attempt) []any {
	if r.Asked.By == improvement.ByCount {
		cells := []any{document.None, document.None, document.None, document.None}
		if c := a.Judged.Counts; c != nil {
			cells = []any{c.Passes, c.Failures, c.Errors, c.Flaky}
		}
		best := document.None
		if a.Judged.Best != nil {
			best = fmt.Sprint(a.Judged.Best.Passes)
		}
		return append(cells, attemptName(a.Judged.Champion), best)
	}
	cells := []any{document.None, document.None, document.None, document.None}
	if t := a.Judged.Tally; t != nil {
		cells = []any{t.Pairs, t.Broke, t.Mended, figure.Brief(a.Judged.Level)}
	}
	return append(cells, attemptName(a.Judged.Champion))
}

// decisionVerdict is in which colour an attempt stands.
func decisionVerdict(a improvement.Attempt) verdict.Verdict {
	switch {
	case a.State != improvement.Tried:
		return verdict.Inconclusive
	case a.Judged.Decision == keep.Keep:
		return verdict.Pass
	case a.Judged.Decision == keep.Revert:
		return verdict.Fail
	}
	return verdict.Inconclusive
}

// moneyRows is what calls took, by stage and model.
func moneyRows(d *document.Document, r *improvement.Result) {
	t := &document.Table{Title: "Money by stage and model", Rank: 2, Columns: []document.Column{
		{Title: "stage"}, {Title: "model", Text: table.Column{Least: 8}}, {Title: "calls", Right: true},
		{Title: "input", Right: true, Text: table.Column{Drop: 2}},
		{Title: "output", Right: true, Text: table.Column{Drop: 2}},
		{Title: "cost", Right: true},
	}}
	for _, p := range r.Spending {
		cost := "unknown"
		if p.Priced > 0 {
			cost = figure.Money(p.CostUSD)
		}
		if p.Priced > 0 && p.Priced < p.Calls {
			cost += fmt.Sprintf(" of %d", p.Priced)
		}
		model := document.Plain(document.None)
		if p.Model != "" {
			model = document.Name(safe.Name(p.Model))
		}
		t.Add(document.Name(safe.Name(p.Stage)), model, p.Calls, p.InputTokens, p.OutputTokens, cost)
	}
	d.Table(t)
}

// levelLines say what a session by pairs promises.
func levelLines(d *document.Document, r *improvement.Result) {
	q := r.Asked.Question.Complete()
	promise := "of a false keep in all of the session"
	if r.Asked.Spending != nil && *r.Asked.Spending == keep.LORD {
		promise = "of what is kept is expected to be false"
	}
	d.Linef("level", "at most %s %s", figure.Brief(r.Asked.Alpha), promise)
	d.Statf("detects", "a gain of %s at a rate of %s, with a power of %s", figure.Gap(q.Gain), figure.Brief(q.Rate),
		figure.Brief(q.Power))
	if s := r.Asked.Sets; s != nil {
		d.Linef("scenarios", "%d to search, %d held out, %d for the end", s.Search, s.HeldOut, s.Final)
	}
}
