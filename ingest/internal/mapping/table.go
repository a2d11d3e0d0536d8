package mapping

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// rows reads a table: each row is a record, whose members are called like the columns. A cell that holds an object or a
// list of JSON is that.
func (r *mappedFile) rows() error {
	header, err := r.in.FirstLine()
	if err != nil {
		return err
	}
	delimiter := r.mapping.delimiter
	if delimiter == 0 {
		delimiter = likelyDelimiter(header)
	}
	rows := record.NewRows(r.in, delimiter)
	cells, err := rows.Next()
	if err == io.EOF {
		return &trial.FileError{File: r.in.File, Problem: "has no header"}
	}
	if err != nil {
		return err
	}
	columns := make([]string, len(cells))
	seen := map[string]bool{}
	for i, cell := range cells {
		columns[i] = strings.Clone(strings.TrimSpace(cell))
		if columns[i] != "" && seen[columns[i]] {
			return &trial.FieldError{Place: r.in.Place(rows.Line), Field: "column " + columns[i], Problem: "is given twice",
				Advice: "name the columns apart"}
		}
		seen[columns[i]] = true
	}
	for {
		cells, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		object := make(map[string]any, len(cells))
		for i, cell := range cells {
			if columns[i] != "" {
				object[columns[i]] = cellValue(strings.TrimSpace(cell))
			}
		}
		r.records++
		s := &scope{value: record.Node{Value: object}, index: r.records - 1, file: r.in.File, line: rows.Line,
			number: r.records, table: true}
		if err := r.trial(s); err != nil {
			return err
		}
	}
}

// cellValue is what a cell holds; its text outlives the row.
func cellValue(cell string) any {
	if cell != "" && (cell[0] == '{' || cell[0] == '[') {
		return record.Node{Value: strings.Clone(cell)}.Parsed().Value
	}
	return strings.Clone(cell)
}

// likelyDelimiter returns what cuts a header into most cells.
func likelyDelimiter(header string) rune {
	best, most := ',', 1
	for _, d := range []rune{',', ';', '\t', '|'} {
		r := csv.NewReader(strings.NewReader(header))
		r.Comma = d
		if cells, err := r.Read(); err == nil && len(cells) > most {
			best, most = d, len(cells)
		}
	}
	return best
}
