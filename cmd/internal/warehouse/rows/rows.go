// Package rows reads what a query of package warehouse gives: a row for each variant and scenario, as CSV or as
// JSON, and makes of it what judges take.
//
//	all, err := rows.Read(file, "rows.csv")
//	tallies, err := all.Tallies("candidate")
//	r, err := all.Recording("candidate")
//
// Where to look: rows.go has the rows and their variants; header.go what columns mean; read.go the files.
package rows

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Row is what is known of the trials of a variant and a scenario.
type Row struct {
	Variant  string // "" is a variant too: that of trials that name none
	Unjudged int    // trials that nothing told the outcome of
	recording.Group
	Sample []string // ids of trials that were drawn
	line   int      // of the file
}

// Rows are those of a file, or of a query.
type Rows struct {
	Source string // for messages: the name of the file, or of the database without its password
	list   []Row
}

// MostRows bounds the rows of a source. Chosen: some thousand scenarios of some hundred variants.
const MostRows = 1_000_000

// Error says what of the rows cannot be used, and where.
type Error struct {
	Source  string
	Line    int // from 1; 0 is that of no line
	Problem string
	Advice  string // what to do; may be ""
}

func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message is the error without advice.
func (e *Error) Message() string {
	where := prose.FileName(e.Source)
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	return where + ": " + e.Problem
}

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of unusable input.
func (e *Error) ExitCode() int { return exit.Input }

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.list) }

// Append adds the rows of another source. A variant and scenario may be in both: their counts are added up.
func (r *Rows) Append(more *Rows) { r.list = append(r.list, more.list...) }

// Variants are the names of the variants, in the order in which they come.
func (r *Rows) Variants() (names []string) {
	seen := map[string]bool{}
	for i := range r.list {
		if v := r.list[i].Variant; !seen[v] {
			seen[v] = true
			names = append(names, v)
		}
	}
	return names
}

// Variant finds the one that is meant: the one that is named, or the only one for "". The flag is named in the advice.
func (r *Rows) Variant(named, flag string) (string, error) {
	all := r.Variants()
	problem := ""
	switch {
	case len(all) == 0:
		return "", nil
	case named == "" && len(all) == 1:
		return all[0], nil
	case named == "":
		problem = fmt.Sprintf("there are rows of %s: %s", prose.Count(len(all), "variant"), phrase.Names(all))
	default:
		for _, v := range all {
			if v == named {
				return v, nil
			}
		}
		problem = fmt.Sprintf("there is no row of the variant %s, but of %s", prose.Quote(named), phrase.Names(all))
	}
	return "", &Error{Source: r.Source, Problem: problem, Advice: "name one with --" + flag}
}

// groups are those of a variant.
func (r *Rows) groups(variant string) (groups []recording.Group, lines []int, err error) {
	for i := range r.list {
		row := &r.list[i]
		if row.Variant != variant {
			continue
		}
		if row.Unjudged > 0 {
			return nil, nil, &Error{Source: r.Source, Line: row.line,
				Problem: fmt.Sprintf("nothing tells the outcome of %s of %s", prose.Count(row.Unjudged, "trial"),
					prose.Quote(row.Scenario)),
				Advice: "tribunal import sql finds it with --outcome-column, or with --score-column and --pass-score"}
		}
		if row.Trials() == 0 {
			continue
		}
		groups, lines = append(groups, row.Group), append(lines, row.line)
	}
	return groups, lines, nil
}

// Recording is that of a variant.
func (r *Rows) Recording(variant string) (*recording.Recording, error) {
	groups, lines, err := r.groups(variant)
	if err != nil {
		return nil, err
	}
	made, err := recording.OfGroups(variant, groups)
	if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
		return nil, r.unlike(d, lines)
	}
	return made, err
}

// unlike says of which row a number is wrong.
func (r *Rows) unlike(d *verdict.DifferenceError, lines []int) error {
	place, path, _ := strings.Cut(strings.TrimPrefix(d.Path, "["), "].")
	at, line := 0, 0
	if _, err := fmt.Sscan(place, &at); err == nil && at >= 0 && at < len(lines) {
		line = lines[at]
	}
	path = strings.TrimPrefix(strings.TrimPrefix(path, "metrics."), "columns.")
	return &Error{Source: r.Source, Line: line, Problem: prose.Excerpt(path) + " is " + d.Have,
		Advice: "it must be " + d.Want}
}

// Tallies are the counts of a variant by scenario.
func (r *Rows) Tallies(variant string) ([]verdict.Tally, error) {
	made, err := r.Recording(variant)
	if err != nil {
		return nil, err
	}
	return made.Tallies(), nil
}

// Samples are the ids that were drawn of a variant, by row.
func (r *Rows) Samples(variant string) (ids []string) {
	for i := range r.list {
		if r.list[i].Variant == variant {
			ids = append(ids, r.list[i].Sample...)
		}
	}
	return ids
}
