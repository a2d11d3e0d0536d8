package inspecting

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
)

// behaviourSide is the trials of a side, and who they are.
type behaviourSide struct {
	// "baseline" or "candidate", as the column side has it.
	name string
	// As messages show it, with what does not print escaped.
	file string
	// Of the last trial; a side has one variant, or trials that name none.
	variant string
	sample  fingerprint.Sample
	// In the same order as the vectors of the sample, which know no numbers.
	trials []trialName // of the sample
}

// trialName is what tells a trial from the others of its scenario.
type trialName struct {
	// Unknown in recordings that do not number their trials.
	number  trial.Optional[int]
	variant string
}

// add adds a trial, unless it is of no use for the sample. A sample leaves out trials that
// ended in an error, and counts them; here nothing is noted of them, so that both lists
// stay as long as each other.
func (s *behaviourSide) add(t *trial.Trial) {
	before := s.sample.Len()
	s.sample.Add(t)
	if s.sample.Len() > before {
		s.variant = t.Variant
		s.trials = append(s.trials, trialName{t.Index, t.Variant})
	}
}

// title returns what the side is called: its variant, or else its file.
func (s *behaviourSide) title() string {
	if s.variant != "" {
		return s.variant
	}
	return s.file
}

// behaviourTable is the vectors of one side or two, with the columns of both together.
type behaviourTable []*behaviourSide

// vocabulary returns the columns of all sides together: what one side alone has done, such
// as calling a tool, is a column of the other as well.
func (t behaviourTable) vocabulary() *fingerprint.Vocabulary {
	var samples []*fingerprint.Sample
	for _, side := range t {
		samples = append(samples, &side.sample)
	}
	return fingerprint.NewVocabulary(samples...)
}

// fingerprintSchema names the document that [behaviourTable.document] returns. The end is
// its version.
const fingerprintSchema = "tribunal/fingerprint/v1"

// behaviourDocument is the JSON of the command fingerprint.
type behaviourDocument struct {
	Schema  string               `json:"schema"`
	Sides   []sideDocument       `json:"sides"`
	Columns []fingerprint.Column `json:"columns"`
	Vectors []vectorDocument     `json:"vectors"`
}

// sideDocument says what a side was read from, and how much of it there is.
type sideDocument struct {
	Side   string `json:"side"`
	File   string `json:"file"`
	Trials int    `json:"trials"`
	Errors int    `json:"errors"` // trials that were left out
}

// vectorDocument is one trial: its values stand in the order of the columns.
type vectorDocument struct {
	Side     string `json:"side"`
	Scenario string `json:"scenario"`
	// Null where the recording has no number.
	Trial   *int       `json:"trial"`
	Variant string     `json:"variant"`
	Values  []*float64 `json:"values"` // null is unknown
}

// document returns the vectors with the names of their columns, all sides in one list.
func (t behaviourTable) document() behaviourDocument {
	v := t.vocabulary()
	d := behaviourDocument{Schema: fingerprintSchema, Columns: v.Columns()}
	for _, side := range t {
		d.Sides = append(d.Sides, sideDocument{side.name, side.file, side.sample.Len(), side.sample.Errors()})
		for i, vector := range v.Each(&side.sample) {
			one := vectorDocument{
				Side: side.name, Scenario: vector.Scenario, Variant: side.trials[i].variant,
				Values: make([]*float64, len(vector.Values)),
			}
			if number := side.trials[i].number; number.Known {
				// The number is a copy of this round of the loop, so the pointer stays its
				// own.
				one.Trial = &number.Value
			}
			for j := range vector.Values {
				if vector.Values[j].Known {
					one.Values[j] = &vector.Values[j].Value
				}
			}
			d.Vectors = append(d.Vectors, one)
		}
	}
	return d
}

// means is a short table for a person: what a trial of each side has on average, where anything of it is known.
func (t behaviourTable) means() *report.Document {
	d := new(report.Document).Listing(fingerprintSchema, "", t.document())
	columns := []string{"a trial, on average"}
	v := t.vocabulary()
	names := v.Columns()
	var all [][]string
	for _, side := range t {
		columns = append(columns, fmt.Sprintf(">%s, %s", side.name, prose.Count(side.sample.Len(), "trial")))
		sums, known := make([]float64, len(names)), make([]int, len(names))
		for _, vector := range v.Each(&side.sample) {
			for j, x := range vector.Values {
				if x.Known {
					sums[j], known[j] = sums[j]+x.Value, known[j]+1
				}
			}
		}
		cells := make([]string, len(names))
		for j := range names {
			cells[j] = "-"
			if known[j] > 0 {
				cells[j] = strconv.FormatFloat(sums[j]/float64(known[j]), 'g', 4, 64)
			}
		}
		all = append(all, cells)
	}
	rows := d.NewTable("Behaviour", columns...)
	pairs := 0
	for j, c := range names {
		if strings.HasPrefix(c.Name, "pair.") {
			pairs++
			continue
		}
		row := []any{prose.Printable(c.Name)}
		for _, cells := range all {
			row = append(row, cells[j])
		}
		rows.Add(row...)
	}
	if pairs > 0 {
		d.Linef("besides", "%s of tools, in --csv", prose.Count(pairs, "pair"))
	}
	return d
}

// writeCSV writes the vectors as a table with a heading.
func (t behaviourTable) writeCSV(w io.Writer) error {
	v := t.vocabulary()
	out := csv.NewWriter(w)
	heading := []string{"side", "scenario", "trial", "variant"}
	for _, c := range v.Columns() {
		heading = append(heading, harmless(c.Name))
	}
	out.Write(heading)
	// One row is filled anew for each trial: every cell has to be set, also those that are
	// unknown.
	row := make([]string, len(heading))
	for _, side := range t {
		for i, vector := range v.Each(&side.sample) {
			row[0], row[1], row[2], row[3] = side.name, harmless(vector.Scenario), "", harmless(side.trials[i].variant)
			if number := side.trials[i].number; number.Known {
				row[2] = strconv.Itoa(number.Value)
			}
			for j, x := range vector.Values {
				row[4+j] = ""
				if x.Known {
					// The shortest text that reads as the same number again.
					row[4+j] = strconv.FormatFloat(x.Value, 'g', -1, 64)
				}
			}
			out.Write(row)
		}
	}
	// The writer keeps the first error of all rows.
	out.Flush()
	return out.Error()
}

// harmless returns the text as a cell that no spreadsheet takes for a formula, and no
// terminal for a command: with an apostrophe before what begins like a formula, unless it
// is a number, and escape sequences for what does not print. The full-width forms of the
// four characters begin a formula for some spreadsheets as well.
func harmless(text string) string {
	text = prose.Printable(text)
	// Spreadsheets pass over leading blanks.
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	if strings.ContainsRune("=+-@＝＋－＠", first) && !isNumber(text) {
		return "'" + text
	}
	return text
}

// isNumber reports whether the text is a decimal number that is finite. Hexadecimal digits
// and underscores, which ParseFloat reads, are Go's and no spreadsheet's.
func isNumber(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && !strings.ContainsAny(text, "xX_")
}
