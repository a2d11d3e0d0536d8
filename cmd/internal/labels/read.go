package labels

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// LabelledSheet is a sheet whose every row has a label.
type LabelledSheet struct {
	Key    Key
	Labels []bool // by row of the key: whether the person passed it
}

// Error says why a sheet, its key or a recording cannot be used, with the place.
type Error struct {
	File    string // the sheet or its key
	Line    int    // of the file, from 1; 0 is the whole of it
	Problem string
	Advice  string // what to do about it; may be ""
}

// Error is the message and the hint.
func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message says where it is, and what is wrong.
func (e *Error) Message() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", prose.FileName(e.File), e.Line, e.Problem)
	}
	return prose.FileName(e.File) + ": " + e.Problem
}

// Hint returns the advice.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *Error) ExitCode() int { return exit.Input }

// mostKeyBytes is the longest key that is read: a row takes some hundred bytes.
const mostKeyBytes = 4 << 20

// ParseKey reads the key of a sheet, which must be as it was written.
func ParseKey(file string, in io.Reader) (*Key, error) {
	const again = "tribunal judge label writes it beside the sheet"
	text, err := io.ReadAll(io.LimitReader(in, mostKeyBytes+1))
	if err != nil {
		return nil, err
	}
	var k Key
	switch err := json.Unmarshal(text, &k); {
	case len(text) > mostKeyBytes:
		return nil, &Error{file, 0, fmt.Sprintf("is longer than %d bytes, and no key of a sheet", mostKeyBytes), again}
	case err != nil || k.Schema != KeySchema:
		return nil, &Error{file, 0, "is no key of a sheet", again}
	case k.Digest != k.digest():
		return nil, &Error{file, 0, "was changed since it was written", "draw the sheet again with the same --seed"}
	}
	var failed [2]int
	seen := map[string]bool{}
	for _, r := range k.Rows {
		if failed[0]++; r.Passed {
			failed[0]--
			failed[1]++
		}
		if seen[r.ID] {
			return nil, &Error{file, 0, fmt.Sprintf("has the row %q twice", prose.Excerpt(r.ID)), again}
		}
		seen[r.ID] = true
	}
	if k.Passed < 0 || k.Judged < k.Passed || failed[1] > k.Passed || failed[0] > k.Judged-k.Passed {
		return nil, &Error{file, 0, "has more rows than there are trials", again}
	}
	return &k, nil
}

// Read reads a labelled sheet of the key. Every row must be there once, with a label that is pass or fail: a row
// without one says nothing of the judge, and the others alone would be no random sample.
func (k *Key) Read(file string, in io.Reader) (*LabelledSheet, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostSheetBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostSheetBytes {
		return nil, &Error{file, 0, fmt.Sprintf("is longer than %d bytes", mostSheetBytes), ""}
	}
	rows := &sheetReader{file: file, key: k, at: map[string]int{}, labels: make([]bool, len(k.Rows)),
		lines: make([]int, len(k.Rows))}
	for i, r := range k.Rows {
		rows.at[r.ID] = i
	}
	if err := rows.read(text); err != nil {
		return nil, err
	}
	return &LabelledSheet{*k, rows.labels}, nil
}

// mostSheetBytes is the longest sheet that is read: [twophase.MostLabels] rows of three full cells.
const mostSheetBytes = 256 << 20

// sheetReader reads the rows of a sheet.
type sheetReader struct {
	file    string
	key     *Key
	at      map[string]int // place of a row by its id
	labels  []bool
	lines   []int // on which a row stands; 0: not met
	missing int   // rows without a label
	first   int   // line of the first of them
}

func (s *sheetReader) refuse(line int, advice, format string, values ...any) error {
	return &Error{s.file, line, fmt.Sprintf(format, values...), advice}
}

func (s *sheetReader) read(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	in := csv.NewReader(bytes.NewReader(text))
	in.Comma, in.FieldsPerRecord, in.LazyQuotes = separator(text), -1, true
	header, err := in.Read()
	if err != nil {
		return s.unread(err)
	}
	id, label := -1, -1
	for i, name := range header {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "id":
			id = i
		case "label":
			label = i
		}
	}
	if id < 0 || label < 0 {
		return s.refuse(1, "tribunal judge label writes a sheet with them", "has no columns id and label")
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return s.complete()
		}
		if err != nil {
			return s.unread(err)
		}
		line, _ := in.FieldPos(0)
		cell := func(i int) string {
			if i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue // an empty row that a spreadsheet left
		}
		if err := s.row(line, cell(id), cell(label)); err != nil {
			return err
		}
	}
}

// unread is what is wrong with a table that cannot be read.
func (s *sheetReader) unread(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return s.refuse(e.Line, "", "cannot be read as CSV: %v", e.Err)
	}
	return s.refuse(0, "", "is empty")
}

// separator is what a spreadsheet put between the cells, which differs by country.
func separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	for _, c := range ",;\t" {
		if bytes.ContainsRune(header, c) {
			return c
		}
	}
	return ','
}

// row takes in the label of a row.
func (s *sheetReader) row(line int, id, label string) error {
	at, known := s.at[id]
	switch {
	case !known:
		return s.refuse(line, "its rows are those that tribunal judge label wrote", "the row %q is not one of this sheet",
			prose.Excerpt(id))
	case s.lines[at] > 0:
		return s.refuse(line, "leave one of them", "the row %s stands on line %d already", id, s.lines[at])
	}
	s.lines[at] = line
	switch strings.ToLower(label) {
	case "pass":
		s.labels[at] = true
	case "fail":
	case "":
		if s.missing++; s.missing == 1 {
			s.first = line
		}
	default:
		return s.refuse(line, "it must be pass or fail", "the label is %q", prose.Excerpt(label))
	}
	return nil
}

// complete refuses a sheet of which a part is missing.
func (s *sheetReader) complete() error {
	const advice = "label every row: those that are easy to label are no random sample of all"
	all := len(s.labels)
	gone := 0
	for _, line := range s.lines {
		if line == 0 {
			gone++
		}
	}
	switch {
	case gone > 0:
		return s.refuse(0, advice, "%d of %s %s missing", gone, prose.Count(all, "row"), prose.Form(gone, "is", "are"))
	case s.missing > 0:
		return s.refuse(s.first, advice, "%d of %s %s no label", s.missing, prose.Count(all, "row"),
			prose.Form(s.missing, "has", "have"))
	}
	return nil
}

// Check returns an [Error] unless a recording is the one that the sheet was drawn from, judged as it was then.
func (k *Key) Check(sheet string, r *Recording) error {
	const advice = "labels say what a judge is worth on the trials that they were drawn from: draw a sheet of this " +
		"recording"
	judges := r.judgeDigests()
	judged, passed := r.Judged()
	switch {
	case sum(r.content) != k.Recording:
		return &Error{sheet, 0, fmt.Sprintf("is the sheet of another recording, of %s", prose.Count(k.Judged,
			"judged trial")),
			advice}
	case !slices.Equal(judges, k.Judges):
		return &Error{sheet, 0, fmt.Sprintf("the judge changed since the sheet was drawn: it was %s, and is %s",
			brief(k.Judges), brief(judges)), advice}
	case sum(r.verdicts) != k.Verdicts, judged != k.Judged, passed != k.Passed, r.errors != k.Errors:
		return &Error{sheet, 0,
			fmt.Sprintf("the judge's verdicts changed since the sheet was drawn: it passed %d of %d then, "+
				"and %d of %d now", k.Passed, k.Judged, passed, judged), advice}
	}
	return nil
}

// brief are the beginnings of digests.
func brief(digests []string) string {
	const digits = len("sha256:") + 8
	var list []string
	for _, d := range digests {
		if d == "" {
			d = "one without a digest"
		} else {
			d = d[:min(len(d), digits)]
		}
		list = append(list, d)
	}
	return prose.And(list)
}

// Sample is the two-phase sample of the labels.
func (l *LabelledSheet) Sample() twophase.Sample {
	s := twophase.Sample{Judged: l.Key.Judged, Passed: l.Key.Passed}
	for i, r := range l.Key.Rows {
		counts := &s.OfFailed
		if r.Passed {
			counts = &s.OfPassed
		}
		counts.Trials++
		if l.Labels[i] {
			counts.Passes++
		}
	}
	return s
}
