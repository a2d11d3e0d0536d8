package score

import (
	"context"
	"regexp"
	"slices"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Source says what the share of an axis is that has no parts.
type Source string

// The sources.
const (
	Tests      Source = "tests"      // tests that passed, of a report that the agent left
	Evaluators Source = "evaluators" // the mean score of the scenario's evaluators
	Contracts  Source = "contracts"  // clauses of contracts that are kept
	Limits     Source = "limits"     // limits that are kept
)

// Sources are all of them.
func Sources() []Source { return []Source{Tests, Evaluators, Contracts, Limits} }

// Axis is one thing that trials have points for. It has a source or parts.
type Axis struct {
	Digest string  // of what a suite says of it, 16 hexadecimal digits; "" is not known
	Name   string  // as conditions write it: a small letter, then small letters, digits and underscores
	Points float64 // that a share of 1 is worth; above 0
	From   Source  // "" where there are parts

	// Report is the file of [Tests], from the folder of the agent; {id} stands for the name of the attempt.
	Report string
	// Tests is how many tests there are; 0: as many as the report has. With it a report of a part of them is no way to
	// more points.
	Tests int

	Parts  []Part     // of equal weight
	OnlyIf *Condition // without it the axis is always scored
}

// Part is a part of an axis: a judge or an expression.
type Part struct {
	Name string

	Judge oracle.Evaluator // whose score is the share; nil where there is an expression
	// Levels are what a judge may say, in ascending order from 0: its score times the last one must be one of them. Nil:
	// any score.
	Levels []float64

	// Regexp is looked for, line by line, in the files, or where there are none in the output. What is found is a mistake:
	// the share is 1 where it is found nowhere.
	Regexp *regexp.Regexp
	Wanted bool     // the reverse: the share is 1 where it is found
	Files  []string // patterns, from the folder of the agent; {id} stands for the name of the attempt
}

// Judged reports whether a judge has a say.
func (a Axis) Judged() bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Judge != nil })
}

// Left are the files and patterns that the axis looks for in the folder of the agent.
func (a Axis) Left() (files []string) {
	if a.Report != "" {
		files = append(files, a.Report)
	}
	for _, p := range a.Parts {
		files = append(files, p.Files...)
	}
	return files
}

// Axes are what trials are scored on.
type Axes []Axis

// Of are axes in the order in which they are scored: those without judges first.
func Of(axes []Axis) Axes {
	ordered := slices.Clone(axes)
	slices.SortStableFunc(ordered, func(a, b Axis) int {
		switch {
		case a.Judged() == b.Judged():
			return 0
		case b.Judged():
			return -1
		}
		return 1
	})
	return ordered
}

// Report is what a report of tests says.
type Report struct {
	Passed int // tests
	Tests  int // all of them but those that were skipped
}

// Evidence is what a trial is scored by.
type Evidence struct {
	oracle.Evidence
	Judgement oracle.Judgement // what evaluators and limits found

	Folder string // of the agent, where it left its files; "" is not known, as of a recording
	ID     string // of the attempt
	// Read reads a report of tests; the error of a file that is not there is [io/fs.ErrNotExist].
	Read func(ctx context.Context, file string) (Report, error)
}
