package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/rank"
)

// buildRank is a table of the results by axis, which of them no other beats in everything, and the steps of an
// improvement where one was asked for.
func buildRank(d *document.Document, r *rank.Result) {
	d.Begin(r.Header(), "rank")
	if r.Improvement == nil {
		d.Word, d.Colour = "rank", verdict.Pass
		d.Headline = fmt.Sprintf("%d results on %d axes, with the intervals of their ranks at %s", len(r.Results),
			len(r.Axes), figure.Level(1-r.Alpha))
	} else {
		d.Headline = safe.Text(reasonsText(r.Reasons))
	}
	d.Break()
	rankTable(d, r)
	d.Break()
	if m := r.Improvement; m != nil {
		for _, s := range m.Steps {
			d.Line("step", safe.Text(s.Text))
		}
	}
	d.Warn(r.Warnings)
	c := document.Case{Scenario: "rank", Name: "ranks", Status: document.Passed, Message: d.Headline}
	if r.Improvement != nil {
		c.Name = "improvement"
		c.Status = statusOf(r.Verdict, r.Reasons)
	}
	d.Cases = []document.Case{c}
}

// rankTable is a row for each result on each axis, with the ranks that it may have, and one for each result.
func rankTable(d *document.Document, r *rank.Result) {
	t := &document.Table{
		Title: "Ranks by axis", Columns: document.Columns("axis", "result", ">mean", ">of", ">ranks"),
		Note: "The ranks of an axis hold for all results at once.",
	}
	for _, a := range r.Axes {
		for i, e := range r.Results {
			mean := "-"
			if x := a.Ranks[i].Mean; x != nil {
				mean = fmt.Sprintf("%.3g", *x)
			}
			ranks := fmt.Sprint(a.Ranks[i].Low)
			if a.Ranks[i].High > a.Ranks[i].Low {
				ranks = fmt.Sprintf("%d to %d", a.Ranks[i].Low, a.Ranks[i].High)
			}
			t.Add(document.Name(safe.Name(a.Name)), document.Name(safe.Name(e.Name)), mean, fmt.Sprintf("%.3g", a.Max), ranks)
		}
	}
	d.Table(t)
	d.Break()
	all := &document.Table{
		Title: "Results", Columns: document.Columns("result", ">trials", ">points", ">cost a trial", ">time a trial",
			"unbeaten"),
		Note: "Unbeaten is which no other beats in points, cost and time together. The sum of points is never tested alone.",
	}
	for _, e := range r.Results {
		sum, cost, time, unbeaten := "-", "-", "-", ""
		if e.Points != nil {
			sum = points(*e.Points)
		}
		if e.CostUSD != nil {
			cost = figure.Money(*e.CostUSD)
		}
		if e.Duration != nil {
			time = figure.Duration(*e.Duration)
		}
		if e.Efficient {
			unbeaten = "yes"
		}
		all.Add(document.Name(safe.Name(e.Name)), e.Trials, sum, cost, time, unbeaten)
	}
	d.Table(all)
}
