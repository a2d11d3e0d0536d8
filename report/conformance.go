package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Where pages show what is said by capability and kind: before the tables of single tests.
const (
	rankMatrix      = -2
	rankReliability = -1
)

// noCapability stands for scenarios that name none.
const noCapability = "(none named)"

// runConformance is the matrix of capabilities and kinds, the figures of its cells, what attacks came to, and what is
// to be done.
func runConformance(d *document.Document, c *runs.Conformance) {
	if c == nil {
		return
	}
	conformanceMatrix(d, c)
	conformanceCells(d, c)
	if a := c.Attacks; a != nil {
		d.Line("attacks", attacksText(a))
	}
	if len(c.Backlog) > 0 {
		d.Break()
		backlogTable(d, c)
	}
	d.Break()
}

// conformanceMatrix is a row for each capability with a column for each kind.
func conformanceMatrix(d *document.Document, c *runs.Conformance) {
	t := &document.Table{
		Title: "Capabilities", Rank: rankMatrix,
		Note:    "Tests of scenarios that passed, of those that there are, by what they are to show.",
		Columns: []document.Column{{Title: "capability", Text: table.Column{Least: 12}}},
	}
	for _, kind := range c.Kinds {
		t.Columns = append(t.Columns, document.Column{Title: safe.Text(kind)})
	}
	for _, name := range capabilitiesOf(c) {
		row := t.Add(document.Name(capabilityName(name)))
		row.Verdict = verdict.Pass
		for _, kind := range c.Kinds {
			at := slices.IndexFunc(c.Cells, func(x runs.ConformanceCell) bool { return x.Capability == name && x.Kind == kind })
			if at < 0 {
				row.Cells = append(row.Cells, document.Plain("-"))
				continue
			}
			x := c.Cells[at]
			row.Cells = append(row.Cells, document.Plain(fmt.Sprintf("%s %d/%d", x.Verdict, x.Passed, x.Tests)))
			row.Verdict = worseOf(row.Verdict, x.Verdict)
		}
	}
	d.Table(t)
	d.Break()
}

// conformanceCells is a row for each cell, with what its trials came to.
func conformanceCells(d *document.Document, c *runs.Conformance) {
	k := commonK(c)
	t := &document.Table{
		Title: "Reliability by capability", Rank: rankReliability, Fold: true,
		Note: "The interval is for the mean of the pass rates of the scenarios, and covers it in 95% of runs at the least; " +
			"errors count as failures in pass^k.",
		Columns: []document.Column{
			{Title: "capability", Text: table.Column{Least: 12}},
			{Title: "kind"},
			{Title: "passes", Right: true},
			{Title: "errors", Right: true, Text: table.Column{Drop: 2}},
			{Title: fmt.Sprintf("pass^%d", k), Right: true},
			{Title: "interval", Text: table.Column{Align: table.Right, Drop: 1}},
			{Title: "cost per success", Right: true, Text: table.Column{Header: "$/success", Drop: 3}},
		},
	}
	for _, x := range c.Cells {
		hat, interval := "-", "-"
		if p, known := x.PassHatK[fmt.Sprint(k)]; known {
			hat = figure.Rate(p)
		}
		if x.Interval != nil {
			interval = figure.Interval(figure.Rate(x.Interval.Low), figure.Rate(x.Interval.High))
		}
		row := t.Add(document.Name(capabilityName(x.Capability)), safe.Text(x.Kind),
			fmt.Sprintf("%d/%d", x.Passes, x.Passes+x.Fails+x.Errors), x.Errors, hat, interval,
			figure.Optional(x.CostPerSuccess, figure.Money))
		row.Verdict = x.Verdict
	}
	d.Table(t)
}

// attacksText says how many attacks were resisted, and what that rules out.
func attacksText(a *runs.Attacks) string {
	text := fmt.Sprintf("%d of %s resisted", a.Resisted, prose.Count(a.Tests, "attack"))
	if a.RulesOut != nil {
		text += fmt.Sprintf(": for each of them, success in %s of trials or more is ruled out", figure.Level(*a.RulesOut))
	}
	text += fmt.Sprintf("; %s, %d let through", prose.Count(a.Trials, "trial"), a.Through)
	if a.Errors > 0 {
		text += fmt.Sprintf(", %s that %s as resisted", prose.Count(a.Errors, "error"),
			prose.Form(a.Errors, "does not count", "do not count"))
	}
	return text
}

// backlogTable is what did not pass, the most urgent first.
func backlogTable(d *document.Document, c *runs.Conformance) {
	t := &document.Table{
		Title: "Backlog", Rank: rankReliability, Note: "What did not pass: attacks first, then faults, then the work itself.",
		Columns: []document.Column{
			{Title: "scenario", Text: table.Column{Header: "backlog", Least: 16}},
			{Title: "capabilities", Text: table.Column{Drop: 1}},
			{Title: "verdict", Painted: true},
			{Title: "estimate", Right: true},
			{Title: "why", Text: table.Column{Least: 10, Most: 60, Drop: 2}},
		},
	}
	for _, x := range c.Backlog {
		var names []string
		for _, name := range x.Capability {
			names = append(names, safe.Name(name))
		}
		why := x.Why
		if why == "" {
			why = "-"
		}
		row := t.Add(document.Name(safe.Name(x.Test)), document.Name(strings.Join(names, ", ")), x.Verdict,
			figure.Optional(x.Estimate, figure.Rate), document.Name(why))
		row.Verdict = x.Verdict
	}
	d.Table(t)
}

// capabilitiesOf are the names of the rows, in their order.
func capabilitiesOf(c *runs.Conformance) (names []string) {
	for _, x := range c.Cells {
		if !slices.Contains(names, x.Capability) {
			names = append(names, x.Capability)
		}
	}
	return names
}

// capabilityName is the name of a row. Of a variant alone it has the space before its brackets.
func capabilityName(name string) string {
	switch {
	case name == "":
		return noCapability
	case strings.HasPrefix(name, " ["):
		return noCapability + safe.Name(name)
	}
	return safe.Name(name)
}

// commonK is the largest of some usual k that every cell that has ended tells of.
func commonK(c *runs.Conformance) int {
	for _, k := range []int{8, 5, 3, 2} {
		if !slices.ContainsFunc(c.Cells, func(x runs.ConformanceCell) bool {
			_, known := x.PassHatK[fmt.Sprint(k)]
			return len(x.PassHatK) > 0 && !known
		}) {
			return k
		}
	}
	return 1
}

// worseOf is the worse of two verdicts.
func worseOf(a, b verdict.Verdict) verdict.Verdict {
	for _, v := range worstFirst {
		if a == v || b == v {
			return v
		}
	}
	return a
}
