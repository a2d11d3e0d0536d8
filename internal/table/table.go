package table

import (
	"strings"

	"github.com/olekukonko/tablewriter/tw"
)

// Align says on which side of its column text stands.
type Align uint8

// The sides. The zero value is Left.
const (
	Left  Align = iota // for texts
	Right              // for numbers
)

// Column describes one column of a [Table].
type Column struct {
	Header string // its title; where all are empty the table has no header
	Align  Align  // of the texts and of the header
	// Least, if positive, lets text be shortened down to so many columns, though
	// not below the header. Of a drawing it is the least width.
	Least int
	// Drop, if positive, lets the column be left out where the table is too wide,
	// the highest first, equal ones together.
	Drop int
	// Draw fills the column in place of the rows' texts: with a drawing that is
	// exactly so wide, or with text at most so wide. Row -1 is the header.
	Draw func(row, width int) string
	Most int // the greatest width of a drawing
	// Paint colours a finished text. It must not change its width.
	Paint func(row int, text string) string
}

// Table is text in columns. The texts hold no control characters; only Paint may
// add colour sequences.
type Table struct {
	Columns  []Column   // from left to right
	Rows     [][]string // missing texts at the end are empty
	Width    int        // no line is wider, unless the columns are one character each
	Indent   int        // blanks before every line
	Ellipsis string     // stands where text was shortened
}

// Shown returns which columns the table has room for.
func (t *Table) Shown() []bool { return t.fit().shown }

// Lines returns the header, unless all headers are empty, and the rows, without
// line ends or blanks at the end.
func (t *Table) Lines() ([]string, error) {
	l := t.fit()
	// tablewriter knows of the columns that are shown alone.
	widths, aligns := tw.NewMapper[int, int](), []tw.Align{}
	for i, shown := range l.shown {
		if shown {
			widths.Set(len(aligns), l.widths[i]+gap)
			aligns = append(aligns, alignments[t.Columns[i].Align])
		}
	}
	// Without a column there is nothing to lay out.
	if len(aligns) == 0 {
		return nil, nil
	}
	first := -1
	// A drawing may have a header too: its scale.
	if strings.Join(t.texts(l, first), "") == "" {
		first = 0
	}
	var drawn strings.Builder
	writer := newWriter(&drawn, widths, aligns)
	var clusters []*strings.Replacer
	for i := first; i < len(t.Rows); i++ {
		texts, back := measured(t.texts(l, i))
		clusters = append(clusters, back)
		if err := writer.Append(texts); err != nil {
			return nil, err
		}
	}
	if len(clusters) == 0 {
		return nil, nil
	}
	if err := writer.Render(); err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(drawn.String(), "\n"), "\n")
	for i, line := range lines {
		// The blank before the first column is none of a gap.
		line = strings.Repeat(" ", t.Indent) + strings.TrimPrefix(clusters[i].Replace(line), " ")
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines, nil
}

// texts are the finished texts of a row, or of the header if row is -1.
func (t *Table) texts(l layout, row int) []string {
	var texts []string
	for i, column := range t.Columns {
		if !l.shown[i] {
			continue
		}
		text := column.Header
		switch {
		case column.Draw != nil:
			text = column.Draw(row, l.widths[i])
		case row >= 0 && i < len(t.Rows[row]):
			text = t.Rows[row][i]
		case row >= 0:
			text = ""
		}
		// Colour comes after the shortening, so that no sequence is cut.
		text = Shorten(text, l.widths[i], t.Ellipsis)
		if column.Paint != nil {
			text = column.Paint(row, text)
		}
		texts = append(texts, text)
	}
	return texts
}
