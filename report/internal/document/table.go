package document

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Table is rows of figures. Each row is read from the result once; the formats differ
// in which columns they have room for, and in how they order and group the rows.
type Table struct {
	Title   string // its heading on pages
	Note    string // below the heading; may be ""
	In      Place  // the text has none of a table of pages
	Rank    int    // pages show tables by rank, the least first, and in their order within one
	Fold    bool   // on pages it need not be seen at first
	Columns []Column
	Rows    []*Row // the worst first
	// Groups are the tables into which pages split the rows by their verdicts; nil is one
	// table. A page that draws intervals shows one table all the same.
	Groups []Group
	// Spread says that a page which draws distributions shows these figures there.
	Spread bool
	Drawn  bool // a page draws the intervals of the rows
	Main   bool // a page has it unfolded: it is what the result is about
	// Lead are the columns that HTML shows above what was judged; all of them are in the table among the statistics.
	Lead   []int
	Carded bool // a page that shows findings and checks has its rows there

	// Listed are the rows that the text shows, in its order; nil is all of them.
	Listed []*Row
	Left   string // below the table of the text: what it does not show; may be ""
	Axes   []Axis // the scales of its bars; that of a row has its index
}

// Group is the rows of one verdict.
type Group struct {
	Verdict verdict.Verdict // of the rows
	Title   string          // its heading on pages
	Fold    bool            // it need not be seen at first
	Rank    int             // like that of a table
}

// Column is a column of a [Table].
type Column struct {
	Title string // on pages, and in the text unless Text.Header says another
	Right bool   // aligned to the right
	In    Place  // the formats that have the column
	Bar   bool   // draws the spans of the rows
	Plain bool   // without a title in the text
	Names bool   // its texts were written by others, such as names
	// Text is how the text lays the column out: which columns it drops first where there
	// is no room, and how narrow it may be.
	Text table.Column
	// Painted says that the text gives the column the colour of the row.
	Painted bool
	// Instead is what the text says below the table if it has no room for the column.
	Instead Line
}

// Row is one thing of which a table has figures.
type Row struct {
	In      Place           // a row of the text alone is a heading or a blank line
	Cells   []Cell          // one for each column; missing ones at the end are empty
	Verdict verdict.Verdict // its colour, and its group
	Span    *Span           // what its bar draws; nil is no bar
	Axis    int             // of the bar
	Scale   bool            // its bar is the scale of its axis, in the text
}

// Cell is one figure. A cell without facts speaks for itself: a case of its row takes it
// over as it is.
type Cell struct {
	Text string // ready to be read; "-" where it is unknown
	Unit string // pages add it: what the title of the column says in the text
	// Brief is its form in the text; "" is Text.
	Brief   string
	Foreign bool             // others wrote it
	Verdict *verdict.Verdict // the text is this verdict; nil is another text
	// Facts are the exact values that a case of the row has of it; not nil says that the
	// details of the case speak of it.
	Facts []Fact
}

// Span is an interval and its estimate.
type Span struct {
	Low      float64  // where it begins
	High     float64  // where it ends
	Estimate *float64 // within it; may be nil
	Mark     float64  // such as the threshold, in the drawing of a page
	Lower    float64  // what a Pass rules out, in the drawing of a page; 0 is nothing
	MarkName string   // what it marks; "" is the threshold
	Unmarked bool     // there is no mark
	Signed   bool     // it is a difference of rates: a page writes points, and marks where there is none
	Filled   bool     // a bar that is filled from the left up to High, of 1 in all
}

// Axis is the scale of bars. One that ends where it begins is not drawn.
type Axis struct {
	Least, Most float64   // nothing beyond is shown
	Marks       []float64 // such as the threshold, rising
	Percent     bool      // rates are written in per cent, as beside the bars
}

// Plain is a cell that speaks for itself.
func Plain(text string) Cell { return Cell{Text: text} }

// Told is a cell of which the case of its row speaks, with these exact values.
// An empty list of facts is not nil: the details of the case speak of the cell, and
// it has no exact value.
func Told(text string, facts ...Fact) Cell {
	if facts == nil {
		facts = []Fact{}
	}
	return Cell{Text: text, Facts: facts}
}

// Name is a cell with a name or a text that others wrote.
func Name(text string) Cell { return Cell{Text: text, Foreign: true, Facts: []Fact{}} }

// Verdict is a cell with a verdict.
func Verdict(v verdict.Verdict, facts ...Fact) Cell {
	cell := Told(v.String(), facts...)
	cell.Verdict = &v
	return cell
}

// InBrief returns the cell with another form for the text.
func (c Cell) InBrief(text string) Cell {
	c.Brief = text
	return c
}

// Columns are columns with these titles; one that begins with > is aligned to the right.
func Columns(titles ...string) []Column {
	list := make([]Column, len(titles))
	for i, title := range titles {
		if title != "" && title[0] == '>' {
			list[i] = Column{Title: title[1:], Right: true}
		} else {
			list[i] = Column{Title: title}
		}
	}
	return list
}

// Names says that columns have names or texts that others wrote, which the text may shorten to so many columns.
func (t *Table) Names(least int, titles ...string) *Table {
	for i := range t.Columns {
		if slices.Contains(titles, t.Columns[i].Title) {
			t.Columns[i].Names, t.Columns[i].Text.Least = true, least
		}
	}
	return t
}

// Dropping names columns that a text without room for all leaves out, the first one first.
func (t *Table) Dropping(titles ...string) *Table {
	for i := range t.Columns {
		if at := slices.Index(titles, t.Columns[i].Title); at >= 0 {
			t.Columns[i].Text.Drop = len(titles) - at
		}
	}
	return t
}

// Section is a table as a page shows it.
type Section struct {
	Title   string   // its heading
	Note    string   // below the heading; may be ""
	Fold    bool     // it need not be seen at first
	Columns []Column // those that pages show
	Rows    []*Row   // see [Section.Cells]
	Table   *Table   // of which it shows rows; nil for the figures of the lines
	// The index of each in the cells of the rows, which have cells for all columns.
	columns []int
}

// Cells are the cells of a row that the section shows.
func (s *Section) Cells(row *Row) []Cell {
	cells := make([]Cell, len(s.columns))
	for k, i := range s.columns {
		if i < len(row.Cells) {
			cells[k] = row.Cells[i]
		}
	}
	return cells
}

// Ranks of the tables of pages that stand before or after all others.
const (
	// Chosen: builders count their own ranks from 1.
	First = -100
	Last  = 100
)

// Sections are the tables of a page: by rank, and in the order of the parts within a
// rank. The figures of the lines come last where there is a verdict, whose tables
// matter more, and first where there is none: of a plan or a forecast they are what
// matters.
func (d *Document) Sections() []Section {
	type rankedSection struct {
		Section
		rank int
	}
	var list []rankedSection
	for _, part := range d.Parts {
		t, is := part.(*Table)
		if !is || !t.In.OnPages() {
			continue
		}
		// A table with groups is a section for each verdict; one without rows is
		// dropped below.
		if t.Groups == nil {
			list = append(list, rankedSection{t.section(t.Title, t.Note, t.Fold, t.Rows), t.Rank})
		}
		for _, g := range t.Groups {
			list = append(list, rankedSection{t.section(g.Title, "", g.Fold, t.Of(g.Verdict)), g.Rank})
		}
	}
	rank := Last
	if !d.Judged {
		rank = First
	}
	list = append(list, rankedSection{d.figures(), rank})
	slices.SortStableFunc(list, func(a, b rankedSection) int { return cmp.Compare(a.rank, b.rank) })
	var sections []Section
	for _, s := range list {
		if len(s.Rows) > 0 {
			sections = append(sections, s.Section)
		}
	}
	return sections
}

// figures are the lines that appear everywhere.
func (d *Document) figures() Section {
	t := &Table{Columns: Columns("figure", "value")}
	for _, part := range d.Parts {
		if line, is := part.(Line); is && line.In.Figure() {
			t.Add(line.Name, line.Value)
		}
	}
	s := t.section("Figures", "", d.Judged, t.Rows)
	// It is no table of the document that a writer could have drawn elsewhere.
	s.Table = nil
	return s
}

// List lets the text show the first rows alone, and say how many more there are.
func (t *Table) List(most int, left func(int) string) {
	if more := len(t.Rows) - most; more > 0 {
		t.Listed, t.Left = t.Rows[:most], left(more)
	}
}

// Add adds a row. Texts and whole numbers are cells that speak for themselves, or names in a column of these.
func (t *Table) Add(cells ...any) *Row {
	row := &Row{}
	for i, cell := range cells {
		x, is := cell.(Cell)
		if !is {
			x = Plain(fmt.Sprint(cell))
			x.Foreign = i < len(t.Columns) && t.Columns[i].Names
		}
		row.Cells = append(row.Cells, x)
	}
	t.Rows = append(t.Rows, row)
	return row
}

// Of are the rows of a verdict.
func (t *Table) Of(v verdict.Verdict) (rows []*Row) {
	for _, row := range t.Rows {
		if row.Verdict == v {
			rows = append(rows, row)
		}
	}
	return rows
}

// section is some rows of the table, with the columns and rows that pages show. A column of which nothing is known is
// left out.
func (t *Table) section(title, note string, fold bool, rows []*Row) Section {
	s := Section{Title: title, Note: note, Fold: fold, Table: t}
	for i, column := range t.Columns {
		known := slices.ContainsFunc(rows, func(row *Row) bool {
			return i >= len(row.Cells) || row.Cells[i].Text != "" && row.Cells[i].Text != None
		})
		if column.In.OnPages() && !column.Bar && (known || i == 0) {
			s.Columns = append(s.Columns, column)
			s.columns = append(s.columns, i)
		}
	}
	for _, row := range rows {
		if row.In.OnPages() {
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

// Full is the text of a cell with its unit.
func (c Cell) Full() string {
	if c.Unit == "" {
		return c.Text
	}
	return c.Text + " " + c.Unit
}
