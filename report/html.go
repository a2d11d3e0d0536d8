package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

//go:embed page/report.html.tmpl
var pageTemplate string

//go:embed page/report.css
var pageStyle string

// htmlPage is what the template shows. A part whose data are absent is empty, and has
// no section.
type htmlPage struct {
	Title, Command, Subject, Headline string
	Word                              string // of the verdict, or the decision
	Verdict                           verdict.Verdict
	Style                             template.CSS
	Reasons, Warnings                 []string
	Contents                          []htmlLink
	Intervals                         *htmlIntervals
	Defs                              template.HTML // boundaries of the designs
	Paths                             []htmlPath
	Curves, Spreads                   []htmlFigure
	Pictures                          []htmlPicture
	Tables                            []htmlTable
	Flips                             []htmlFlip
	Trials                            *htmlTrials
	Facts                             []Fact
}

type htmlLink struct{ ID, Title string }

type htmlFigure struct {
	Chart   template.HTML
	Caption string
}

type htmlTable struct {
	ID, Title, Note, Count, Left string
	Fold                         bool
	Columns                      []Column
	Rows                         [][]htmlCell
}

type htmlCell struct {
	Text, Class string
	Foreign     bool
}

// HTML writes a result as one document that needs no network and runs no script: the
// verdict and its reasons, intervals against the threshold, the path of each test
// between its boundaries, the operating characteristic, tables, distributions and
// trials with their steps. What a model, a tool or a file name wrote is text in it and
// nothing else.
func HTML(w io.Writer, result any) error {
	o, err := OutlineOf(result)
	if err != nil {
		return err
	}
	p := newHTMLPage(o)
	switch r := result.(type) {
	case *runs.Result:
		p.run(r)
	case *gate.Result:
		p.Word, p.Headline = r.Decision.String(), gateCounts(r)
		p.Title = fmt.Sprintf("%s: %s", strings.ToUpper(p.Word[:1])+p.Word[1:], p.Subject)
		p.run(r.Run)
		p.behaviourMap(r.Behaviour, "baseline", "candidate")
		p.coverageRadar(r.Coverage)
	case *behaviour.Result:
		p.behaviourMap(r.Behaviour, r.Baseline, r.Candidate)
	case *verdict.ThresholdResult:
		p.threshold(r)
	case *compare.Result:
		p.comparison(r)
		p.behaviourMap(r.Behaviour, r.Baseline.Name, r.Candidate.Name)
	case *sequential.Result:
		p.sequential(r)
	}
	p.tables(o.Sections)
	p.contents()
	t, err := template.New("report").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("the template of the report: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, p); err != nil {
		return fmt.Errorf("result cannot be written as HTML: %w", err)
	}
	return write(w, text.Bytes())
}

// What of a long list is shown.
const (
	mostTableRows = 2000
	mostListed    = 200 // reasons and warnings
)

func newHTMLPage(o *Outline) *htmlPage {
	p := &htmlPage{
		Command: schemaCommand(o.Schema), Subject: cut(nameOf(o.Subject), 300), Headline: clean(o.Headline), Verdict: o.Verdict, Style: template.CSS(pageStyle),
		Word: o.Verdict.String(),
	}
	p.Title = fmt.Sprintf("%s: %s", capitalised(o.Verdict), p.Subject)
	for _, line := range reasonLines(o.Reasons) {
		p.Reasons = append(p.Reasons, clean(line))
	}
	for i, text := range o.Warnings {
		if i == mostListed {
			p.Warnings = append(p.Warnings, fmt.Sprintf("and %d more", len(o.Warnings)-i))
			break
		}
		p.Warnings = append(p.Warnings, clean(text))
	}
	for _, f := range o.Facts {
		p.Facts = append(p.Facts, Fact{f.Name, clean(f.Value)})
	}
	p.Facts = append(p.Facts, Fact{"exit code", fmt.Sprint(o.ExitCode)})
	return p
}

// schemaCommand is the middle of tribunal/run/v1.
func schemaCommand(schema string) string {
	parts := strings.Split(schema, "/")
	if len(parts) == 3 {
		return clean(parts[1])
	}
	return clean(schema)
}

// tables are the sections that nothing else on the page shows.
func (p *htmlPage) tables(sections []Section) {
	for i, s := range sections {
		if s.Drawn && p.Intervals != nil || p.Spreads != nil && s.Title == spreadTitle {
			continue
		}
		t := htmlTable{
			ID: fmt.Sprintf("table-%d", i+1), Title: clean(s.Title), Note: clean(s.Note), Columns: s.Columns, Fold: s.Fold, Count: plural(len(s.Rows), "row"),
		}
		for k, row := range s.Rows {
			if k == mostTableRows {
				t.Left = fmt.Sprintf("%d more are in the saved result.", len(s.Rows)-k)
				break
			}
			t.Rows = append(t.Rows, htmlRow(row, s.Columns))
		}
		p.Tables = append(p.Tables, t)
	}
}

func htmlRow(row []Cell, columns []Column) []htmlCell {
	cells := make([]htmlCell, len(row))
	for i, c := range row {
		cells[i] = htmlCell{Text: clean(cut(c.Text, mostCell)), Foreign: c.Foreign}
		switch {
		case c.Verdict != nil:
			cells[i].Class = "word " + c.Verdict.String()
		case i < len(columns) && columns[i].Right:
			cells[i].Class = "right"
		case c.Foreign || len(c.Text) > 60:
			cells[i].Class = "long"
		}
	}
	return cells
}

// mostCell is how many characters of a cell are shown.
const mostCell = 600

// contents links to the sections that there are, in their order.
func (p *htmlPage) contents() {
	add := func(id, title string, there bool) {
		if there {
			p.Contents = append(p.Contents, htmlLink{id, title})
		}
	}
	add("reasons", "Reasons", true)
	if p.Intervals != nil {
		add("intervals", p.Intervals.Title, true)
	}
	add("paths", "Tests", len(p.Paths) > 0)
	add("curves", "Design", len(p.Curves) > 0)
	for _, x := range p.Pictures {
		add(x.ID, x.Title, true)
	}
	for _, t := range p.Tables {
		add(t.ID, t.Title, true)
	}
	add("flips", "Flipped trials", len(p.Flips) > 0)
	add("spreads", "Cost and time", len(p.Spreads) > 0)
	add("trials", "Trials", p.Trials != nil)
	add("warnings", "Warnings", len(p.Warnings) > 0)
	add("facts", "Facts", true)
}

// lines makes a text of several lines safe, and keeps its lines.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i, line := range list {
		list[i] = clean(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(list, "\n")
}
