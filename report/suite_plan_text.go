package report

import (
	"fmt"
	"io"
	"math"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// SuitePlan writes what a run of a suite will take as text: a row for each test, and
// the totals in trials and money.
func SuitePlan(w io.Writer, p *plan.Suite, o TextOptions) error {
	if p == nil {
		return ErrNoResult
	}
	t := newPage(o.withDefaults(defaultScenarios))
	t.title(verdict.Pass, "VALID", fmt.Sprintf("%s: %s, %s, %d at a time", clean(p.Suite), plural(p.Scenarios, "scenario"), plural(len(p.Tests), "test"), p.Concurrency))
	t.blank()
	right := func(header string, drop int) table.Column {
		return table.Column{Header: header, Align: table.Right, Drop: drop}
	}
	tab := table.Table{Columns: []table.Column{
		{Header: "test", Least: 10}, {Header: "design", Drop: 4}, right("θ", 0), right("δ", 0), right("false Fail", 2),
		right("false Pass", 2), right("least", 3), right("at p=1", 0), right("at θ", 0), right("at θ-δ", 1), right("most", 0),
	}}
	if t.options.ASCII {
		for i, header := range map[int]string{2: "theta", 3: "delta", 8: "at theta", 9: "at theta-delta"} {
			tab.Columns[i].Header = header
		}
	}
	for i, test := range p.Tests {
		if i == t.options.Scenarios {
			break
		}
		tab.Rows = append(tab.Rows, []string{
			nameOf(test.Name), test.Kind, brief(test.Threshold), brief(test.Delta), exactChance(test.Alpha), exactChance(test.Beta),
			fmt.Sprint(min(test.LeastPass, test.LeastFail)), trials(test.ExpectedAt.Perfect), trials(test.ExpectedAt.Threshold), trials(test.ExpectedAt.Lower), fmt.Sprint(test.MaxTrials),
		})
	}
	t.table(tab)
	if left := len(p.Tests) - t.options.Scenarios; left > 0 {
		t.note(fmt.Sprintf("and %d more, which --scenarios lists", left))
	}
	t.blank()
	e := p.Total.Expected
	t.labelled("trials", fmt.Sprintf("%d at worst; expected %s if all trials pass, %s if every rate is at its threshold", p.Total.MaxTrials, trials(e.Perfect), trials(e.Threshold)))
	worst := "not bounded"
	if p.Total.WorstUSD != nil {
		worst = money(*p.Total.WorstUSD) + " at worst"
	}
	if b := p.Total.BudgetUSD; b != nil && p.Total.WorstUSD != nil && math.Abs(*b-*p.Total.WorstUSD) < 1e-9 {
		worst += " (the budget)"
	}
	if x := p.Total.ExpectedUSD; x != nil {
		worst += fmt.Sprintf("; expected %s if all trials pass, %s if every rate is at its threshold", money(x.Perfect), money(x.Threshold))
	} else {
		worst += "; what is expected needs budget.price_per_trial"
	}
	t.labelled("cost", worst)
	t.labelled("digest", shortDigest(p.Digest))
	t.warnings(p.Warnings)
	return t.flush(w)
}
