package bench

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
)

// Report is what a benchmark found. As JSON it is a document with a schema.
type Report interface {
	Page() Page     // for people
	Records() Table // for programs: a row for each measurement, with every column
}

// Page is a report as people read it.
type Page struct {
	Title  string   // a sentence
	Tables []Table  // in this order
	Notes  []string // below the tables, a paragraph each
}

// Table is measurements in rows. Text and CSV are written from it.
type Table struct {
	Title   string   // may be ""
	Columns []Column // from left to right
	Rows    [][]Cell // a cell for each column; one that is missing at the end is empty
}

// Column describes one column of a [Table].
type Column struct {
	Name   string // in CSV, such as "expected_trials"
	Header string // in text, such as "trials"
	Words  bool   // words, not numbers
	Drop   int    // if positive, text without room leaves the column out, the highest first
	Least  int    // if positive, text without room shortens the column down to so many characters
}

// Cell is one value, as people and as programs read it.
type Cell struct {
	Text  string // for people
	Value string // for programs, a number with all of its digits
}

// Word is a cell of text.
func Word(s string) Cell { return Cell{s, s} }

// Number is a cell of a number, which people read with so many decimals. NaN and the
// infinities are unknown.
func Number(x float64, decimals int) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Unknown()
	}
	return Cell{strconv.FormatFloat(x, 'f', decimals, 64), strconv.FormatFloat(x, 'g', -1, 64)}
}

// Count is a cell of a whole number.
func Count(n int) Cell { return Word(strconv.Itoa(n)) }

// Percent is a cell of a share, which people read in percent. A share that is not 0 is
// not shown as one.
func Percent(x float64, decimals int) Cell {
	c := Number(100*x, decimals)
	if c == Unknown() {
		return c
	}
	if least := math.Pow10(-decimals); x > 0 && 100*x < least/2 {
		c.Text = "<" + strconv.FormatFloat(least, 'f', decimals, 64)
	}
	// Programs read the share itself, not the percentage.
	return Cell{c.Text + "%", strconv.FormatFloat(x, 'g', -1, 64)}
}

// Unknown is a cell without a value.
func Unknown() Cell { return Cell{Text: "-"} }

// WriteText writes a page in lines of at most so many columns.
//
// It is laid out in memory first, and written by one call: a page is written whole or not at all.
func (p Page) WriteText(w io.Writer, width int) error {
	const indent = 2
	var text bytes.Buffer
	paragraph := func(s string) {
		for _, line := range table.Wrap(s, width) {
			fmt.Fprintln(&text, line)
		}
	}
	paragraph(p.Title)
	for _, t := range p.Tables {
		fmt.Fprintln(&text)
		if t.Title != "" {
			paragraph(t.Title)
		}
		lines, err := t.layout(width, indent)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintln(&text, line)
		}
	}
	for _, note := range p.Notes {
		fmt.Fprintln(&text)
		paragraph(note)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// layout returns the lines of the table: words to the left, numbers to the right, each column as
// wide as its cells, and narrower as [Column] allows where there is no room.
func (t *Table) layout(width, indent int) ([]string, error) {
	laid := table.Table{Width: width, Indent: indent, Ellipsis: "..."}
	for _, c := range t.Columns {
		column := table.Column{Header: c.Header, Align: table.Right, Drop: c.Drop, Least: c.Least}
		if c.Words {
			column.Align = table.Left
		}
		laid.Columns = append(laid.Columns, column)
	}
	for _, row := range t.Rows {
		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.Text
		}
		laid.Rows = append(laid.Rows, texts)
	}
	return laid.Lines()
}

// WriteCSV writes the names of the columns and the rows (RFC 4180, with line feeds).
// Words that a spreadsheet would take for a formula are quoted by an apostrophe.
func (t Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = c.Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i := range record {
			record[i] = ""
			if i < len(row) {
				record[i] = row[i].Value
			}
			// Words alone: a negative number is no formula.
			if t.Columns[i].Words && strings.IndexAny(record[i], "=+-@\t\r") == 0 {
				record[i] = "'" + record[i]
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
