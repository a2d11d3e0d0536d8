package labels

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// columns of a sheet. Only id and label are read back.
var columns = []string{"id", "scenario", "trial", "variant", "input", "steps", "output", "label", "note"}

// WriteCSV writes the sheet: a row for each trial, with an empty label. No cell begins a formula.
func (s *Sheet) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for i, x := range s.items {
		cells := []string{
			s.Key.Rows[i].ID, x.Scenario, fmt.Sprint(x.Trial), x.Variant, x.input, x.steps, x.output, "", "",
		}
		for j, cell := range cells {
			cells[j] = inert(shown(cell))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Blank counts the rows without steps and output, by which nobody can judge.
func (s *Sheet) Blank() (n int) {
	for _, x := range s.items {
		if x.steps == "" && x.output == "" {
			n++
		}
	}
	return n
}

// inert is a text that no spreadsheet takes for a formula: one that begins like it, be it after blanks, gets an
// apostrophe before it. See OWASP, CSV Injection.
func inert(cell string) string {
	begins := strings.TrimLeft(cell, " \t\r\n\u00a0\ufeff")
	if strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell,
		"\r") || begins != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(begins)[0]) {
		return "'" + cell
	}
	return cell
}
