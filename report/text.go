package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
)

// writeText writes a document for a terminal or a log: what stands first with its colour,
// then the parts in their order.
func writeText(w io.Writer, d *document.Document, o Options) error {
	p := newPage(d.Detail.Width, o)
	if d.Word == "" {
		p.list(d)
	} else {
		p.title(d, strings.ToUpper(safe.Text(d.Word)))
	}
	p.all(d)
	return p.flush(w)
}

// list begins what has no word: its parts stand below the headline, or at the edge where there is none. Labels are as
// wide as the longest, and names are whole.
func (p *page) list(d *document.Document) {
	p.word = p.width
	if d.Headline != "" {
		p.paragraph(d.Headline)
	} else {
		p.margin, p.labels = 0, 0
	}
	for _, part := range d.Parts {
		if line, is := part.(document.Line); is && line.In.InText() {
			p.labels = max(p.labels, table.Width(safe.Text(line.Name))+indent)
		}
	}
}

// all writes the parts, with the findings in their place.
func (p *page) all(d *document.Document) {
	for i, part := range d.Parts {
		if _, is := part.(document.FindingList); is {
			p.findings(d)
			continue
		}
		p.parts(d.Parts[i : i+1])
	}
}

// besides is what no case of a document says, as text.
func besides(d *document.Document) []string {
	p := newPage(d.Detail.Width, Options{})
	p.parts(d.Besides())
	for len(p.lines) > 0 && p.lines[len(p.lines)-1] == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
	return p.lines
}

// parts writes what the text shows of each part, in the order of the builder. A fact
// is skipped: its figure stands in a line or a table of the text already.
func (p *page) parts(parts []document.Part) {
	for _, part := range parts {
		switch x := part.(type) {
		case document.Line:
			if x.In.InText() {
				p.line(x)
			}
		case *document.Table:
			if x.In.InText() && len(x.Rows) > 0 {
				p.table(x)
			}
		case *document.Path:
			if x.In.InText() {
				p.chart(newBoundaryChart(x.Boundaries, x.Shown).along(x.Failures))
			}
		case *document.Histogram:
			p.histogram(x)
		case *document.Series:
			p.series(x)
		case document.Break:
			p.blank()
		case document.CauseList:
			p.causes(x)
		case document.Note:
			p.note(string(x))
		case document.ClosingText:
			p.paragraph(string(x))
		}
	}
}

// line is a value beside its label.
// A line at the edge has its name in the margin, in colour, as the outcomes of the
// rules of a gate: "broken" beside the rule.
func (p *page) line(l document.Line) {
	if l.Edge == nil {
		p.labelled(l.Name, l.Value)
		return
	}
	word := safe.Text(l.Name)
	blanks := strings.Repeat(" ", max(l.Edge.Width+indent-table.Width(word), 1))
	if v := l.Edge.Verdict; v != nil {
		word = p.paint(*v, word)
	}
	start := word + blanks
	for _, line := range p.wrap(l.Value, p.width-2*indent-l.Edge.Width) {
		p.lines = append(p.lines, strings.Repeat(" ", indent)+start+line)
		start = strings.Repeat(" ", l.Edge.Width+indent)
	}
}

// table lays out a table between the margins, with its bars and colours.
func (p *page) table(t *document.Table) {
	// Pages have all rows, the text those that the builder has listed.
	rows := t.Listed
	if rows == nil {
		rows = t.Rows
	}
	// The colour of a row is that of its verdict; the header (row -1) has none.
	paint := func(row int, text string) string {
		if row < 0 {
			return text
		}
		return p.paint(rows[row].Verdict, text)
	}
	// The columns of the text, with what the layout has to know of each. The places
	// of those that are left out are skipped in every row below.
	laid := table.Table{Width: p.width, Indent: p.margin, Ellipsis: p.ellipsis()}
	var shown []int
	for i, column := range t.Columns {
		hasSpan := func(r *document.Row) bool { return r.Span != nil }
		if !column.In.InText() || column.Bar && !slices.ContainsFunc(rows, hasSpan) {
			continue
		}
		shown = append(shown, i)
		c := column.Text
		if c.Header == "" && !column.Plain {
			c.Header = safe.Text(column.Title)
		}
		if column.Right {
			c.Align = table.Right
		}
		if column.Painted {
			c.Paint = paint
		}
		if column.Bar {
			c.Draw = bars{axes: axesOf(t.Axes, rows), rows: rows, strokes: p.strokes()}.draw
		}
		laid.Columns = append(laid.Columns, c)
	}
	for _, row := range rows {
		cells := make([]string, len(shown))
		for k, i := range shown {
			if i < len(row.Cells) {
				cells[k] = textCell(row.Cells[i])
			}
		}
		laid.Rows = append(laid.Rows, cells)
	}
	// An error of the layout is kept until the page is written: see flush.
	lines, err := laid.Lines()
	if err != nil && p.err == nil {
		p.err = err
	}
	titled := slices.ContainsFunc(laid.Columns, func(c table.Column) bool { return c.Header != "" })
	if len(lines) > len(laid.Rows) && titled {
		lines[0] = p.dim(lines[0])
	}
	p.lines = append(p.lines, lines...)
	// What a column that was dropped would have said stands below the table, if the
	// builder gave a line for that.
	for k, fits := range laid.Shown() {
		if instead := t.Columns[shown[k]].Instead; !fits && instead.Value != "" {
			p.labelled(instead.Name, instead.Value)
		}
	}
	if t.Left != "" {
		p.note(t.Left)
	}
}

// textCell is a cell in the text: its brief form if it has one, without the unit,
// which stands in the title of the column.
func textCell(c document.Cell) string {
	if c.Brief != "" {
		return safe.Text(c.Brief)
	}
	return safe.Text(c.Text)
}

// bars draws the column of bars of a table.
type bars struct {
	// The scales of the column, by the index that a row has of its own.
	axes []axis
	// The rows that the text shows, in its order.
	rows    []*document.Row
	strokes strokes
}

// axesOf are the scales that hold the spans of the rows.
func axesOf(list []document.Axis, rows []*document.Row) []axis {
	axes := make([]axis, len(list))
	for i, a := range list {
		var spans []document.Span
		for _, row := range rows {
			if row.Axis == i && row.Span != nil {
				spans = append(spans, *row.Span)
			}
		}
		// One that ends where it begins stays empty, without a label: it is not
		// drawn.
		if a.Most > a.Least {
			axes[i] = newAxis(spans, a.Least, a.Most, a.Marks...)
			if a.Percent {
				axes[i].label = func(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) }
			}
		}
	}
	return axes
}

// draw is the cell of a row: a bar, the scale itself in a row that is a heading, or
// nothing. The header of the column (row -1) is the first scale.
func (b bars) draw(row, width int) string {
	if row < 0 {
		return b.scale(0, width)
	}
	r := b.rows[row]
	switch {
	case r.Scale:
		return b.scale(r.Axis, width)
	case r.Span == nil:
		return ""
	case r.Span.Filled:
		return filled(r.Span.High, width, b.strokes)
	case r.Axis < len(b.axes) && b.axes[r.Axis].label != nil:
		return b.axes[r.Axis].draw(*r.Span, width, b.strokes)
	}
	return ""
}

// scale is the line with the numbers of an axis; "" for one that is not drawn.
func (b bars) scale(axis, width int) string {
	if axis >= len(b.axes) || b.axes[axis].label == nil {
		return ""
	}
	return b.axes[axis].header(width)
}
