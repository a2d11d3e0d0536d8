package record

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Rows are the rows of a table in CSV, each as long as the first, with errors in the words of who
// wrote the table.
type Rows struct {
	Line int // of the last row, from 1

	in      *Input
	reader  *csv.Reader
	limited *LimitedReader
}

// NewRows begins to read a table.
func NewRows(in *Input, delimiter rune) *Rows {
	limited := &LimitedReader{Source: in.Text, Limit: in.Options.MaxLineBytes}
	r := &Rows{in: in, reader: csv.NewReader(limited), limited: limited}
	r.reader.Comma = delimiter
	r.reader.TrimLeadingSpace = delimiter != '\t'
	r.reader.ReuseRecord = true
	return r
}

// FirstLine returns the first line that is not blank, without taking it.
func (in *Input) FirstLine() (string, error) {
	prefix, err := in.Text.Peek(PrefixBytes)
	if err != nil && err != io.EOF {
		return "", err
	}
	first, _, _ := strings.Cut(strings.TrimLeft(string(prefix), "\r\n"), "\n")
	return strings.TrimRight(first, "\r"), nil
}

// CellPlace is the line and the column where a cell of the last row begins, from 1.
func (r *Rows) CellPlace(cell int) (line, column int) { return r.reader.FieldPos(cell) }

// Next returns the cells of the next row, valid until the one after it; io.EOF after the last.
func (r *Rows) Next() ([]string, error) {
	r.limited.Next()
	start := r.reader.InputOffset()
	cells, err := r.reader.Read()
	if err == nil {
		r.Line, _ = r.reader.FieldPos(0)
		// The limited reader is generous by what a decoder reads ahead; this is exact.
		if r.reader.InputOffset()-start > int64(r.limited.Limit)+int64(len("\r\n")) {
			return nil, r.in.TooLong("row", r.Line)
		}
		return cells, nil
	}
	p, ok := errors.AsType[*csv.ParseError](err)
	switch {
	// The row did not end within the limit: an open quote, most likely.
	case errors.Is(err, ErrLong):
		return nil, r.in.TooLong("row", r.Line+1)
	case !ok:
		return nil, err
	}
	e := &trial.SyntaxError{Place: trial.Place{File: r.in.File, Line: p.Line, Column: p.Column}, Problem: p.Err.Error()}
	// The words of encoding/csv are for programmers; these are for who wrote the table.
	switch p.Err {
	case csv.ErrFieldCount:
		e.Place = r.in.Place(p.StartLine)
		columns := strconv.Itoa(r.reader.FieldsPerRecord)
		e.Problem = "the row has " + strconv.Itoa(len(cells)) + " cells, and the header " + columns
		e.Advice = "a cell that holds the delimiter stands in double quotes"
	case csv.ErrQuote:
		e.Problem, e.Advice = "a quoted cell does not end where it should",
			`a quote inside a quoted cell is doubled: ""`
	case csv.ErrBareQuote:
		e.Problem, e.Advice = "a double quote inside a cell that is not quoted",
			`quote the cell, and double the quote: ""`
	}
	return nil, e
}
