package report

import (
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// PlanCompare writes the tests of a plan side by side: the fixed sample, Wald's
// test without a limit and cut off, and the design.
func PlanCompare(w io.Writer, p *plan.Plan, o TextOptions) error {
	if p == nil {
		return ErrNoResult
	}
	t := planPage{page: newPage(o.withDefaults(defaultScenarios)), plan: p}
	t.head()
	t.blank()
	t.sideBySide()
	t.blank()
	t.warnings(p.Warnings)
	t.blank()
	t.paragraph(t.comparison())
	return t.flush(w)
}

// comparedTest is a column of the comparison.
type comparedTest struct {
	name   string
	drop   int // when there is no room, see [table.Column]
	limit  string
	gates  bool
	design plan.DesignPlan
	fixed  bool // always the same number of trials
}

// compared are the columns; those of Wald's test go first where there is no room.
func (t *planPage) compared() []comparedTest {
	p := t.plan
	var tests []comparedTest
	if f := p.Fixed; f != nil {
		tests = append(tests, comparedTest{"fixed n", 1, fmt.Sprint(f.Trials), true, plan.DesignPlan{Alpha: f.Alpha, Beta: f.Beta}, true})
	}
	if u := p.WaldUncut; u != nil {
		tests = append(tests, comparedTest{"Wald", 3, "none", u.Gates, *u, false})
	}
	name := clean(p.Design.Kind)
	if c := p.Wald; c != nil {
		tests = append(tests, comparedTest{"Wald, cut off", 2, fmt.Sprint(c.MaxTrials), c.Gates, *c, false})
	} else {
		name = "Wald, cut off"
	}
	return append(tests, comparedTest{name, 0, fmt.Sprint(p.Design.MaxTrials), p.Design.Gates, p.Design, false})
}

// comparedRow writes a row's cell for a test.
type comparedRow struct {
	label string
	write func(comparedTest) string
}

// sideBySide is the table: limits and errors, then the ladder of rates twice.
func (t *planPage) sideBySide() {
	empty := func(comparedTest) string { return "" }
	rows := []comparedRow{
		{"most trials", func(test comparedTest) string { return test.limit }},
		{"exact alpha", func(test comparedTest) string { return exactChance(test.design.Alpha) }},
		{"exact beta", func(test comparedTest) string { return exactChance(test.design.Beta) }},
		{"within targets", func(test comparedTest) string {
			if test.gates {
				return "yes"
			}
			return "NO"
		}},
		{"", empty}, {"expected trials", empty},
	}
	rows = append(rows, t.ladderRows(func(test comparedTest) string { return test.limit }, func(point design.Point) string { return trials(point.ASN) })...)
	rows = append(rows, comparedRow{"", empty}, comparedRow{"Inconclusive", empty})
	rows = append(rows, t.ladderRows(func(comparedTest) string { return "0%" }, func(point design.Point) string { return computed(point.Inconclusive) })...)

	tests := t.compared()
	columns := []table.Column{{}}
	for _, test := range tests {
		columns = append(columns, table.Column{Header: fmt.Sprintf("%9s", test.name), Align: table.Right, Drop: test.drop})
	}
	var cells [][]string
	for _, row := range rows {
		line := []string{row.label}
		for _, test := range tests {
			line = append(line, row.write(test))
		}
		cells = append(cells, line)
	}
	t.table(table.Table{Columns: columns, Rows: cells})
}

// ladderRows has a row for each rate of the ladder.
func (t *planPage) ladderRows(fixed func(comparedTest) string, write func(design.Point) string) []comparedRow {
	var rows []comparedRow
	for i, point := range t.plan.Design.Points {
		rows = append(rows, comparedRow{"  at " + t.rung(point.P), func(test comparedTest) string {
			switch {
			case test.fixed:
				return fixed(test)
			case i >= len(test.design.Points):
				return none
			}
			return write(test.design.Points[i])
		}})
	}
	return rows
}

// comparison says in words what the table shows where nothing is broken.
func (t *planPage) comparison() string {
	p := t.plan
	for i, point := range p.Design.Points {
		if point.P != 1 {
			continue
		}
		text := fmt.Sprintf("When nothing is broken, the %s design takes %s trials on average", clean(p.Design.Kind), quantity(point.ASN))
		if p.Wald != nil && i < len(p.Wald.Points) {
			text += fmt.Sprintf(", Wald's test %s", quantity(p.Wald.Points[i].ASN))
		}
		if p.Fixed != nil {
			text += fmt.Sprintf(", the fixed sample always %d", p.Fixed.Trials)
		}
		return text + "."
	}
	return "The design does not say what it does when nothing is broken."
}
