package plain

import (
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// table is a CSV file that is being read.
//
//	scenario,trial,variant,outcome,score,duration_s,model,Team
//	refund,0,base,pass,1,2.5,m-1,blue
//
// The delimiter is a comma, a tab, or a semicolon, as spreadsheets write it where numbers
// have a decimal comma.
type table struct {
	in      *record.Input
	rows    *record.Rows
	columns []string // by their place; "" is a column without a name
}

// CSV decodes a table with a header that names scenario and outcome.
var CSV = record.Decoder{
	Read:  readCSV,
	Empty: "has a header and no rows", Hint: "was the program that wrote it stopped?",
}

// readCSV reads a table with a header. Columns are named as the fields of a trial
// are; all others become tags. An empty cell is unknown.
// Numbers are given only where the options ask for it: a table without the column trial may
// mean that no trial has one.
func readCSV(in *record.Input) error {
	t := &table{in: in}
	if err := t.open(); err != nil {
		return err
	}
	return record.Ahead(rowsAtOnce, t.next, t.parse, func(r *tableRow) error {
		if err := in.Sink.Identify(&r.trial); err != nil {
			return err
		}
		if err := t.judge(&r.trial, r.passed); err != nil {
			return err
		}
		return in.Sink.Deliver(&r.trial, record.NumberedIf(in.Options.Numbered))
	})
}

// rowsAtOnce is how many rows are handed over at once. It is chosen.
const rowsAtOnce = 256

// tableRow is a row and the trial that it says.
type tableRow struct {
	cells  []string // once they are parsed, they are empty
	places []place  // where each begins
	trial  trial.Trial
	passed trial.Optional[bool] // tells the outcome only once all columns are known, whatever their order
}

// columnName is the name of a column as its header cell means it.
func columnName(cell string) string { return strings.ToLower(strings.TrimSpace(cell)) }

// open reads the header.
// What is wrong with the header is said before any row is read.
func (t *table) open() error {
	// The delimiter has to be known before the reader is made: the line is looked at, not taken.
	header, err := t.in.FirstLine()
	if err != nil {
		return err
	}
	delimiter, ok := HeaderDelimiter(header)
	if !ok {
		return &trial.FieldError{
			Place: t.in.Place(1), Field: "header", Value: strconv.Quote(header), Problem: "has no column scenario",
			Advice: "begin the file with a line that names the columns, such as scenario,outcome",
		}
	}
	t.rows = record.NewRows(t.in, delimiter)
	cells, err := t.rows.Next()
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(cells))
	for _, cell := range cells {
		name := columnName(cell)
		// Two columns of one name would let the second one win without a word.
		if name != "" && seen[name] {
			return &trial.FieldError{Place: t.in.Place(t.rows.Line), Field: "column " + name, Problem: "is given twice",
				Advice: "name the columns apart"}
		}
		seen[name] = true
		if !isField(name) {
			name = strings.TrimSpace(cell) // tags keep their case
		}
		// The header's text would be kept whole for each name, else.
		t.columns = append(t.columns, strings.Clone(name))
	}
	// A rule will judge the trials, or nobody has to.
	if t.in.Options.LaterJudged {
		return nil
	}
	for _, telling := range []string{"outcome", "passed", "score"} {
		if slices.Contains(t.columns, telling) {
			return nil
		}
	}
	return &trial.FieldError{
		Place: t.in.Place(t.rows.Line), Field: "header", Problem: "has no column that tells the outcome",
		Advice: "add outcome (pass, fail or error), passed (true or false), or score with PassScore",
		About:  "PassScore",
	}
}

// isField reports whether a column sets a field of the trial.
func isField(name string) bool {
	switch name {
	case "outcome", "passed", "error", "error_type", "error_origin":
		return true
	}
	known, _ := record.SetField(new(trial.Trial), name, "")
	return known
}

// place is the line and the column where a cell begins, from 1.
type place struct{ line, column int }

// next reads a row; io.EOF after the last.
func (t *table) next(r *tableRow) error {
	cells, err := t.rows.Next()
	if err != nil {
		return err
	}
	*r = tableRow{cells: append(r.cells[:0], cells...), places: r.places[:0]}
	for i := range cells {
		line, column := t.rows.CellPlace(i)
		r.places = append(r.places, place{line, column})
	}
	r.trial.Place = t.in.Place(t.rows.Line)
	return nil
}

// parse sets what the cells of a row say.
func (t *table) parse(r *tableRow) error {
	for i, cell := range r.cells {
		if err := t.set(&r.trial, &r.passed, t.columns[i], strings.TrimSpace(cell)); err != nil {
			if e, ok := errors.AsType[*trial.FieldError](err); ok {
				e.Line, e.Column = r.places[i].line, r.places[i].column
			}
			return err
		}
	}
	clear(r.cells)
	return nil
}

// judge sets the outcome. A trial that nothing tells the outcome of goes on if it may
// be judged later.
// told is whether any column tells the outcome. Without a scenario the trial is wrong in any
// case, and [trial.Trial.Judge] says so.
func (t *table) judge(x *trial.Trial, passed trial.Optional[bool]) error {
	passScore := t.in.Options.PassScore
	told := x.Outcome != trial.Unjudged || passed.Known || x.Score.Known && passScore.Known
	if !told && x.Scenario != "" && t.in.Options.LaterJudged {
		return nil
	}
	return x.Judge(passed, passScore)
}

// set sets what the cell of a column says.
// known fields first, then those that only a table has; any other column is a tag. An empty
// cell says nothing.
func (t *table) set(x *trial.Trial, passed *trial.Optional[bool], name, cell string) error {
	if known, err := record.SetField(x, name, cell); known || err != nil || cell == "" || name == "" {
		return err
	}
	switch name {
	case "outcome":
		outcome, ok := trial.ParseOutcome(cell)
		if !ok {
			return wordError(x, name, cell, "is not one of pass, fail, error", outcomeHint(cell))
		}
		x.Outcome = outcome
	case "passed":
		truth, ok := truthOf(cell)
		if !ok {
			return wordError(x, name, cell, "must be true, false, 1 or 0", "")
		}
		*passed = trial.Some(truth == 1)
	case "error", "error_type", "error_origin":
		setCause(x, name, strings.Clone(cell))
	default:
		record.AddTag(x, name, cell) // no two columns have one name
	}
	return nil
}

// outcomeHint says what may have been meant by a word that is no outcome.
func outcomeHint(cell string) string {
	if _, ok := LineOutcome(cell); ok {
		return "words are lower case here; a column of true, false, 1 or 0 is called passed"
	}
	return trial.OutcomeHint(cell)
}

// wordError is the error of a word that is none of those that are known. A mapping reads others.
func wordError(x *trial.Trial, column, cell, problem, advice string) error {
	return &trial.FieldError{Place: x.Place, Field: column, Value: strconv.Quote(cell), Problem: problem, Advice: advice,
		About: "Map"}
}

// setCause sets a part of why the trial failed; its text outlives the row.
func setCause(x *trial.Trial, name, text string) {
	if x.Error == nil {
		x.Error = &trial.Cause{}
	}
	switch name {
	case "error":
		x.Error.Message = text
	case "error_type":
		x.Error.Type = text
	case "error_origin":
		x.Error.Origin = trial.Origin(text)
	}
}

// HeaderDelimiter returns what separates the columns of a CSV header.
// A header is what has a cell named scenario when it is cut at the delimiter.
func HeaderDelimiter(header string) (delimiter rune, ok bool) {
	for _, d := range []rune{',', ';', '\t'} {
		r := csv.NewReader(strings.NewReader(header))
		r.Comma = d
		if cells, err := r.Read(); err == nil && slices.ContainsFunc(cells,
			func(c string) bool { return columnName(c) == "scenario" }) {
			return d, true
		}
	}
	return 0, false
}
