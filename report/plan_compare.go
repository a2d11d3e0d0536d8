package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// comparedTest is a column of the comparison of a plan's tests.
type comparedTest struct {
	// Of the test, in the head of its column.
	name string
	drop int // when there is no room, see [table.Column]
	// The most trials that it takes, or "none".
	limit string
	// Its exact errors keep to the targets, so that a gate may rest on it.
	gates bool
	// Its exact errors, and what it does at each rung; of the fixed sample the errors
	// alone.
	design plan.DesignPlan
	fixed  bool // always the same number of trials
}

// comparedTests are the columns; those of Wald's test go first where there is no room.
func comparedTests(p *plan.Plan) []comparedTest {
	var tests []comparedTest
	if f := p.Fixed; f != nil {
		tests = append(tests, comparedTest{"fixed n", 1, fmt.Sprint(f.Trials), true,
			plan.DesignPlan{Alpha: f.Alpha, Beta: f.Beta}, true})
	}
	if u := p.WaldUncut; u != nil {
		tests = append(tests, comparedTest{"Wald", 3, "none", u.Gates, *u, false})
	}
	// Where Wald's test cut off is the design itself, it is one column and not two.
	name := safe.Text(p.Design.Kind)
	if c := p.Wald; c != nil {
		tests = append(tests, comparedTest{"Wald, cut off", 2, fmt.Sprint(c.MaxTrials), c.Gates, *c, false})
	} else {
		name = "Wald, cut off"
	}
	return append(tests, comparedTest{name, 0, fmt.Sprint(p.Design.MaxTrials), p.Design.Gates, p.Design, false})
}

// sideBySide is the tests of a plan: limits and errors, then the ladder of rates twice.
func sideBySide(d *document.Document, p *plan.Plan, in document.Place) {
	tests := comparedTests(p)
	t := &document.Table{Title: "The tests side by side", In: in, Fold: true,
		Columns: []document.Column{{Title: "test", Plain: true}}}
	for _, test := range tests {
		t.Columns = append(t.Columns, document.Column{
			// Padded to nine columns, so that those of short names are not narrower
			// than others.
			Title: test.name, Right: true, Text: table.Column{Header: fmt.Sprintf("%9s", test.name), Drop: test.drop},
		})
	}
	// A row of the table: what is written of each test.
	add := func(label string, write func(comparedTest) string) {
		row := t.Add(label)
		for _, test := range tests {
			row.Cells = append(row.Cells, document.Plain(write(test)))
		}
	}
	// In the text a blank line and a heading set the groups of rows apart; pages
	// leave the blank one out.
	heading := func(label string) {
		t.Add().In = document.Text
		t.Add(label)
	}
	// One row for each pass rate of the ladder. The fixed sample does the same at
	// every rate.
	rungs := func(fixed func(comparedTest) string, write func(design.Point) string) {
		for i, point := range p.Design.Points {
			add("  at "+rung(p, point.P), func(test comparedTest) string {
				switch {
				case test.fixed:
					return fixed(test)
				case i >= len(test.design.Points):
					return none
				}
				return write(test.design.Points[i])
			})
		}
	}
	limit := func(test comparedTest) string { return test.limit }
	add("most trials", limit)
	add("exact alpha", func(test comparedTest) string { return figure.ExactChance(test.design.Alpha) })
	add("exact beta", func(test comparedTest) string { return figure.ExactChance(test.design.Beta) })
	add("within targets", func(test comparedTest) string {
		if test.gates {
			return "yes"
		}
		return "NO"
	})
	// The two questions that the tests differ in: how many trials they take, and how
	// often they end without an answer. A fixed sample always answers.
	heading("expected trials")
	rungs(limit, func(point design.Point) string { return figure.Trials(point.ASN) })
	heading("Inconclusive")
	rungs(func(comparedTest) string { return "0%" },
		func(point design.Point) string { return figure.Computed(point.Inconclusive) })
	d.Table(t)
}

// comparedSentence says in words what the table shows where nothing is broken.
func comparedSentence(p *plan.Plan) string {
	for i, point := range p.Design.Points {
		// Nothing is broken where every trial passes.
		if point.P != 1 {
			continue
		}
		text := fmt.Sprintf("When nothing is broken, the %s design takes %s trials on average", safe.Text(p.Design.Kind),
			figure.Quantity(point.ASN))
		if p.Wald != nil && i < len(p.Wald.Points) {
			text += fmt.Sprintf(", Wald's test %s", figure.Quantity(p.Wald.Points[i].ASN))
		}
		if p.Fixed != nil {
			text += fmt.Sprintf(", the fixed sample always %d", p.Fixed.Trials)
		}
		return text + "."
	}
	return "The design does not say what it does when nothing is broken."
}
