package report

import (
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// Comparison writes a comparison as text: a headline, both rates and their
// difference, the tests, the pairs that flipped, the size of the effect and what
// could have been found, scenarios and metrics, and a closing sentence. Every line
// is at most as wide as the options say, and every write error is returned.
func Comparison(w io.Writer, r *compare.Result, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	c := comparisonPage{page: newPage(o.withDefaults(defaultScenariosComparison)), result: r}
	c.headline(r.Verdict, c.about())
	c.names()
	c.blank()
	c.sides()
	c.blank()
	c.tests()
	c.pairs()
	c.blank()
	c.effect()
	c.reliabilities()
	c.blank()
	c.scenarios()
	c.blank()
	c.metrics()
	c.behaviour(r.Behaviour)
	c.errors(r.Baseline.Errors+r.Candidate.Errors, r.Warnings, r.Errors)
	c.warnings(r.Warnings)
	c.blank()
	c.paragraph(c.sentence())
	return c.flush(w)
}

type comparisonPage struct {
	*page
	result *compare.Result
}

// names says what was compared, where that has names of its own.
func (c *comparisonPage) names() {
	b, k := c.result.Baseline.Name, c.result.Candidate.Name
	if (b == "" || b == "baseline") && (k == "" || k == "candidate") {
		return
	}
	room := max((c.options.Width-len("baseline , candidate ")-indent)/2, 8)
	c.lines = append(c.lines, fmt.Sprintf("  baseline %s, candidate %s", c.shorten(b, room), c.shorten(k, room)))
}

// sides is the table of both rates and of their difference, with its own scale.
func (c *comparisonPage) sides() {
	r := c.result
	var drawn []span
	var rows [][]string
	for _, side := range []struct {
		label string
		compare.Side
	}{{"baseline", r.Baseline}, {"candidate", r.Candidate}} {
		interval := none
		if i := side.Interval; i != nil {
			interval = rateLimits(i)
			drawn = append(drawn, span{i.Low, i.High, side.Rate})
		}
		rows = append(rows, []string{side.label, fmt.Sprintf("%d/%d", side.Passes, side.Trials), fmt.Sprint(side.Errors), rateOf(side.Rate), interval})
	}
	bars := sideBars{strokes: c.strokes(), rates: newAxis(drawn, 0, 1), sides: drawn}
	d := r.Difference
	if d.Value != nil {
		bars.difference = span{d.Low, d.High, d.Value}
		bars.drop = newAxis([]span{bars.difference}, -1, 1, -r.Delta, 0)
		rows = append(rows, []string{"", "", "", "", level(d.Level) + " " + clean(d.Method)},
			[]string{"difference", "", "", signed(*d.Value), limits(signed(d.Low), signed(d.High))})
	}
	columns := []table.Column{
		{}, {Header: "passes", Align: table.Right}, {Header: "errors", Align: table.Right},
		{Header: "rate", Align: table.Right}, {Header: sideIntervalHeader(r), Least: 18},
		{Least: 8, Most: 40, Drop: 1, Draw: bars.draw},
	}
	if r.Baseline.Errors == 0 && r.Candidate.Errors == 0 {
		columns, rows = withoutColumn(columns, rows, "errors")
	}
	c.table(table.Table{Columns: columns, Rows: rows})
}

func sideIntervalHeader(r *compare.Result) string {
	for _, i := range []*verdict.Interval{r.Baseline.Interval, r.Candidate.Interval} {
		if i != nil {
			return level(i.Level) + " " + clean(i.Method)
		}
	}
	return "interval"
}

// sideBars draws the bar column of the table of sides.
type sideBars struct {
	strokes     strokes
	rates, drop axis
	sides       []span // both, or none is drawn
	difference  span
}

func (b sideBars) draw(row, width int) string {
	switch {
	case row < 0 && len(b.sides) == 2:
		return b.rates.scale(width)
	case row >= 0 && row < len(b.sides) && len(b.sides) == 2:
		return b.rates.draw(b.sides[row], width, b.strokes)
	case row == 2:
		return b.drop.scale(width)
	case row == 3:
		return b.drop.draw(b.difference, width, b.strokes)
	}
	return ""
}
