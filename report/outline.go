package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Outline is a result in a form that every document for a pipeline is written from:
// Markdown, JUnit XML, test events and HTML. A kind of result that has an outline has
// all of these. It holds numbers as text, and texts as they are in the result: what
// writes a document escapes them.
type Outline struct {
	Schema   string
	Subject  string // what was judged: the name of the suite, or what the command is called
	Headline string // beside the verdict
	Verdict  verdict.Verdict
	ExitCode int
	Reasons  []verdict.Reason
	Warnings []string
	Sections []Section // the most important first
	Cases    []Case
	Facts    []Fact // about all of it: totals, seed, version
}

// Section is a table with a title.
type Section struct {
	Title   string
	Note    string // below the title; may be ""
	Columns []Column
	Rows    [][]Cell
	Fold    bool // it need not be seen at first
	Drawn   bool // a page that draws intervals shows these rows there
}

// Column is a column of a [Section].
type Column struct {
	Title string
	Right bool // aligned to the right
}

// Cell is one value. A name or a text that others wrote is Foreign.
type Cell struct {
	Text    string
	Foreign bool
	Verdict *verdict.Verdict // the text is this verdict
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// Status is how a [Case] ended.
type Status uint8

// The statuses of a case. The zero value is CaseOpen, so that one that nobody set is
// never read as passed.
const (
	CaseOpen   Status = iota // Inconclusive
	CasePassed               // Pass
	CaseFailed               // Fail
	CaseBroken               // the agent could not be run, or errors kept the test from a verdict
)

// Case is one criterion of one scenario.
type Case struct {
	Scenario string
	Name     string // of the criterion, such as verdict
	Status   Status
	Message  string   // one sentence
	Details  []string // lines of the statistics and the trials that did not pass
	Facts    []Fact
}

// OutlineError says that a result has no outline.
type OutlineError struct{ Result any }

func (e *OutlineError) Error() string {
	return fmt.Sprintf("there is no such document of %T", e.Result)
}

// OutlineOf returns the outline of a result: of a [runs.Result],
// [gate.Result],
// [verdict.ThresholdResult], [compare.Result], [sequential.Result] or
// [behaviour.Result]. Any other is an [OutlineError].
func OutlineOf(result any) (*Outline, error) {
	switch r := result.(type) {
	case *runs.Result:
		if r != nil {
			return outlineRun(r), nil
		}
	case *gate.Result:
		if r != nil && r.Run != nil {
			return outlineGate(r), nil
		}
	case *verdict.ThresholdResult:
		if r != nil {
			return outlineThreshold(r), nil
		}
	case *compare.Result:
		if r != nil {
			return outlineComparison(r), nil
		}
	case *sequential.Result:
		if r != nil {
			return outlineSequential(r), nil
		}
	case *behaviour.Result:
		if r != nil && r.Behaviour != nil {
			return outlineBehaviour(r), nil
		}
	default:
		return nil, &OutlineError{result}
	}
	return nil, ErrNoResult
}

func textCell(text string) Cell    { return Cell{Text: text} }
func foreignCell(text string) Cell { return Cell{Text: text, Foreign: true} }
func numberCell(n int) Cell        { return Cell{Text: fmt.Sprint(n)} }

func verdictCell(v verdict.Verdict) Cell { return Cell{Text: v.String(), Verdict: &v} }

// columns are those of a section; a title that begins with > is aligned to the right.
func columns(titles ...string) []Column {
	list := make([]Column, len(titles))
	for i, title := range titles {
		if title != "" && title[0] == '>' {
			list[i] = Column{title[1:], true}
		} else {
			list[i] = Column{Title: title}
		}
	}
	return list
}

func (o *Outline) add(s Section) {
	if len(s.Rows) > 0 {
		o.Sections = append(o.Sections, s)
	}
}

func (o *Outline) fact(name, value string) {
	if value != "" && value != none {
		o.Facts = append(o.Facts, Fact{name, value})
	}
}

func (o *Outline) warn(list []verdict.Warning, of string) {
	for _, w := range list {
		text := w.Text
		if of != "" {
			text = nameOf(of) + ": " + text
		}
		o.Warnings = append(o.Warnings, text)
	}
}

// statusOf is the status of a verdict, and of one that errors kept open.
func statusOf(v verdict.Verdict, reasons []verdict.Reason) Status {
	switch {
	case v == verdict.Pass:
		return CasePassed
	case v == verdict.Fail:
		return CaseFailed
	case hasReason(reasons, verdict.CodeErrorsMatter):
		return CaseBroken
	}
	return CaseOpen
}

func reasonLines(reasons []verdict.Reason) (lines []string) {
	for _, r := range reasons {
		lines = append(lines, r.Text)
	}
	return lines
}
