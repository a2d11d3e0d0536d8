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
	// A plan of a suite has no verdict: that it could be made at all says that the
	// suite is valid, so its word stands in the colour of a Pass.
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

// plannedTests is the table of the tests: the threshold θ and the tolerance δ, the
// exact errors of the design, the fewest trials after which it can end ("least"), the
// expected trials at three true pass rates (1, θ and θ-δ) and the most it can take.
//
// Each test is a case as well, which has passed: there is nothing that a plan could
// fail.
func plannedTests(d *document.Document, p *plan.Suite) {
	right := func(header string, drop int) document.Column {
		return document.Column{Title: header, Right: true, Text: table.Column{Drop: drop}}
	}
	t := &document.Table{Title: "Tests", Columns: []document.Column{
		{Title: "test", Text: table.Column{Least: 10}}, {Title: "design", Text: table.Column{Drop: 4}},
		right("θ", 0), right("δ", 0), right("false Fail", 2), right("false Pass", 2), right("least", 3),
		right("at p=1", 0), right("at θ", 0), right("at θ-δ", 1), right("most", 0),
	}}
	// The keys are places in the list of columns above.
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
	// A suite may have thousands of tests: the text ends after the first rows, and
	// says how many more there are.
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// plannedCost is what a run may cost at worst, with a word if that is where the
// budget stops it, and what it is expected to cost. Nothing bounds the cost where the
// suite has neither a budget nor a price or a limit of the cost of every trial; and
// without a price of a trial nothing is expected.
func plannedCost(total plan.SuiteTotal) string {
	text := "not bounded"
	if total.WorstUSD != nil {
		text = money(*total.WorstUSD) + " at worst"
		// Both went through floating point, so they are equal up to its noise.
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
