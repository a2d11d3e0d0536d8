package report

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildSuitePlan is what a run of a suite will take: a row for each test, and the totals
// in trials and money.
func buildSuitePlan(d *document.Document, p *plan.Suite) {
	d.Begin(p.Header(), p.Suite)
	d.Word = "valid"
	d.Colour = verdict.Pass
	d.Headline = fmt.Sprintf("%s: %s, %s, %d at a time", clean(p.Suite), prose.Count(p.Scenarios, "scenario"),
		prose.Count(len(p.Tests), "test"), p.Concurrency)
	d.Break()
	plannedTests(d, p)
	d.Break()
	e := p.Total.Expected
	d.Linef("trials", "%d at worst; expected %s if all trials pass, %s if every rate is at its threshold",
		p.Total.MaxTrials, trials(e.Perfect), trials(e.Threshold))
	d.Line("cost", plannedCost(p.Total))
	d.Line("digest", shortDigest(p.Digest))
	d.Warn(p.Warnings)
	d.Outputs = []document.Fact{count("tests", len(p.Tests)), count("max_trials", p.Total.MaxTrials)}
}

func plannedTests(d *document.Document, p *plan.Suite) {
	right := func(header string, drop int) document.Column {
		return document.Column{Title: header, Right: true, Text: table.Column{Drop: drop}}
	}
	t := &document.Table{Title: "Tests", Columns: []document.Column{
		{Title: "test", Text: table.Column{Least: 10}}, {Title: "design", Text: table.Column{Drop: 4}},
		right("θ", 0), right("δ", 0), right("false Fail", 2), right("false Pass", 2), right("least", 3),
		right("at p=1", 0), right("at θ", 0), right("at θ-δ", 1), right("most", 0),
	}}
	if d.Detail.ASCII {
		for i, header := range map[int]string{2: "theta", 3: "delta", 8: "at theta", 9: "at theta-delta"} {
			t.Columns[i].Text.Header = header
		}
	}
	for _, test := range p.Tests {
		e := test.ExpectedAt
		row := t.Add(
			document.Name(nameOf(test.Name)), test.Kind,
			document.Told(brief(test.Threshold), number("threshold", test.Threshold)),
			document.Told(brief(test.Delta), number("delta", test.Delta)),
			exactChance(test.Alpha), exactChance(test.Beta), min(test.LeastPass, test.LeastFail),
			trials(e.Perfect), trials(e.Threshold), trials(e.Lower), test.MaxTrials,
		)
		d.Cases = append(d.Cases, document.Case{
			Scenario: test.Name, Name: "design", Status: document.Passed, Table: t, Row: row,
			Message: fmt.Sprintf("%s design, at most %s: threshold %s, delta %s", test.Kind,
				prose.Count(test.MaxTrials, "trial"), brief(test.Threshold), brief(test.Delta)),
		})
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

func plannedCost(total plan.SuiteTotal) string {
	text := "not bounded"
	if total.WorstUSD != nil {
		text = money(*total.WorstUSD) + " at worst"
		if b := total.BudgetUSD; b != nil && math.Abs(*b-*total.WorstUSD) < 1e-9 {
			text += " (the budget)"
		}
	}
	if x := total.ExpectedUSD; x != nil {
		return text + fmt.Sprintf("; expected %s if all trials pass, %s if every rate is at its threshold",
			money(x.Perfect), money(x.Threshold))
	}
	return text + "; what is expected needs budget.price_per_trial"
}
