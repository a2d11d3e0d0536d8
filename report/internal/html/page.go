// Package html writes a document as a page for a browser: one file with its style, without a script.
//
// page.go has the page and its sections, cards.go what was judged with its trials, steps.go the steps of trials,
// bars.go and charts.go the drawings. page.html.tmpl and page.css are its template and its style.
package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// parsed is the template, read once: that takes longer than most pages.
var parsed = sync.OnceValues(func() (*template.Template, error) { return template.New("report").Parse(pageTemplate) })

// page is what the template page.html.tmpl shows. A part whose data are
// absent is empty, and has no section. The template escapes every text for its place;
// the few values of the types of html/template are built here of numbers and escaped
// texts, and are passed on as they are. Texts are clean before they come here.
type page struct {
	Title, Command, Subject, Headline string
	Word                              string // of the verdict, or the decision
	Colour                            string // of the verdict; "" is none
	Style                             template.CSS
	Lead                              string // what was seen and what that shows, in a sentence
	When, Commit, Against             string
	DoBefore, Do                      string
	Tiles                             []tile
	Reasons, Warnings                 []string
	// The rules of a gate: those that do not hold, what there was no room for, and those that hold.
	Checks     []check
	ChecksLeft string
	Held       []check
	HeldOpen   bool
	// What changed of the behaviour and of what trials take, above what was judged.
	Changed string
	Changes []string
	Amounts []table
	// What did not pass, the rest of it folded, and what passed, folded too where there is more to see.
	CardsTitle       string
	Cards, MoreCards []card
	Filter           bool // there are trials of both kinds that it can show and hide
	Fine             string
	Passed           []card
	PassedOpen       bool
	// What statisticians look up; each is a section within one that is folded.
	Statistics bool
	rates      scale.Scale // of the bars of the cards
	rest       []runs.Trial
	ids        map[string]bool // of the tables
	// The list of sections at the head of the page.
	Contents []link
	Site     []document.Link // of the header of the site around; nil is none
	Links    []document.Link // to other pages around
	// The table with a drawing in each row; nil where no table of the document is
	// drawn.
	Intervals *table
	Defs      template.HTML // boundaries of the designs
	Paths     []path
	// Operating characteristics with expected trials, and histograms.
	Curves, Spreads []drawing
	Pictures        []picture
	// All tables that document.None of the sections above has shown.
	Tables []table
	Main   []table   // those that the result is about
	Series []drawing // over time
	Flips  []flip
	Trials *trialList
	Facts  []document.Fact
}

// tile is a figure of the head of the page.
type tile struct{ Name, Value, Class string }

// link leads to a section by its ID, which is unique on the page.
type link struct{ ID, Title string }

// drawing is a drawing that follows the theme of the page, and what stands below
// it.
type drawing struct {
	Chart   template.HTML
	Caption string
}

// picture is a drawing in a frame of its own: its styles reach nothing else.
type picture struct {
	ID, Title, Text string
	Source          template.URL
}

// table is a section with rows. Count tells their number in the heading of one
// that is folded, and Left how many there was no room for.
type table struct {
	ID, Title, Note, Count, Left string
	Fold                         bool
	Columns                      []document.Column
	Rows                         [][]cell
}

// cell is a text with the class that aligns or colours it. Foreign is isolated,
// so that a text that runs from right to left moves nothing around it; Head names the
// row for readers of the screen, and Chart is a drawing in place of a text.
type cell struct {
	Text, Class   string
	Foreign, Head bool
	Chart         template.HTML
}

// path is a test between its boundaries. The first one is unfolded: Open.
type path struct {
	Name, Count, Caption, Outcomes string
	Verdict                        string // "" where nothing was judged
	Reasons                        []string
	Chart                          template.HTML
	Open                           bool
}

// flip is a pair of trials that ended differently, with both outputs and what both did. Class
// colours the outcome that the candidate had.
type flip struct {
	Name, What, Class, Before, After, Baseline, Candidate string
	Rows                                                  []stepRow
	Unlisted                                              string // of which steps nothing is shown
}

type trialList struct {
	Note string
	List []trialDetail
}

// trialDetail is a trial with its steps. More tells of steps for which the result had
// no room.
type trialDetail struct {
	Name, Outcome, About, Text, Input, Output, More, Stderr string
	Number                                                  int
	Evaluators                                              []evaluator
	MoreEvaluators                                          string
	Steps                                                   []step
}

// Page is a document as one page that needs no network and runs no script: the
// verdict and its reasons, intervals against the threshold, the path of each test between
// its boundaries, the operating characteristic, tables, distributions and trials with
// their steps. What a model, a tool or a file name wrote is text in it and nothing else.
func Page(d *document.Document) ([]byte, error) {
	p := newPage(d)
	p.checks(d)
	p.cards(d)
	p.intervals(d)
	p.paths(d)
	for _, x := range d.Series() {
		if chart := seriesChart(x); chart.Chart != "" {
			p.Series = append(p.Series, chart)
		}
	}
	for _, c := range d.Curves {
		p.Curves = append(p.Curves, curveFigures(c)...)
	}
	for _, s := range d.Spreads {
		p.Spreads = append(p.Spreads, spreadFigure(s))
	}
	for _, x := range d.Pictures {
		p.picture(x)
	}
	p.tables(d)
	p.flips(d)
	p.trials(d)
	// A result of scenarios has them as cards, and its drawings and tables are looked up.
	p.Statistics = p.carded() || len(p.Main) > 0
	// What stands below need not stand in the head as well.
	if len(p.Checks)+len(p.Held) > 0 || len(p.Reasons) == 1 && strings.Contains(p.Headline, p.Reasons[0]) {
		p.Reasons = nil
	}
	p.contents()
	t, err := parsed()
	if err != nil {
		return nil, fmt.Errorf("the template of the report: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, p); err != nil {
		return nil, fmt.Errorf("result cannot be written as HTML: %w", err)
	}
	return text.Bytes(), nil
}

// What of a long list is shown.
const (
	// Chosen, to bound the size of a page: beyond so many rows it names their number.
	mostTableRows = 2000
	// Warnings, and flipped pairs with their outputs.
	mostListed = 200 // reasons and warnings
	mostCell   = 600 // characters of a cell
	// Bytes of a name that never breaks within a word. Chosen: the names of operators and tools are shorter.
	mostUnbroken = 24
)

// newPage fills the parts that every kind of result has. The exit code is the
// last of the facts: it is what a build server has seen.
func newPage(d *document.Document) *page {
	p := &page{
		Command: schemaCommand(d.Schema), Subject: prose.CutRunes(safe.Name(cmp.Or(d.Heading, d.Subject)), 300),
		Headline: safe.Text(d.Headline),
		Colour:   colourOf(d), Style: template.CSS(pageStyle), Word: safe.Text(d.Word),
	}
	p.Title = document.TitleOf(p.Word, p.Subject)
	// The heading names the subject already.
	p.Reasons = reasonLines(d.Reasons)
	p.Lead = p.Headline
	if rest, named := strings.CutPrefix(p.Headline, p.Subject+": "); named || strings.HasPrefix(rest, "pass rate ") {
		p.Lead = prose.Capitalised(rest)
	}
	// Of one reason, the reason says the most.
	if strings.HasPrefix(d.Schema, "tribunal/verdict") && len(p.Reasons) == 1 {
		p.Lead = prose.Capitalised(p.Reasons[0])
		p.Reasons = nil
	}
	for _, l := range d.Links {
		l.Title = safe.Text(l.Title)
		if l.Site {
			p.Site = append(p.Site, l)
		} else {
			p.Links = append(p.Links, l)
		}
	}
	p.Changed, p.Changes = safe.Text(d.Changed), d.Changes
	p.When, p.Commit = d.When, prose.CutRunes(safe.Text(d.Commit), 12)
	p.Against, p.DoBefore, p.Do = safe.Text(d.Against), safe.Text(d.DoBefore), safe.Text(d.Do)
	if p.Do == "" {
		p.DoBefore = prose.Capitalised(p.DoBefore)
	}
	for _, t := range d.Tiles {
		x := tile{Name: safe.Text(t.Name), Value: safe.Text(t.Value)}
		if t.Verdict != nil {
			x.Class = t.Verdict.String()
		}
		p.Tiles = append(p.Tiles, x)
	}
	p.CardsTitle = "What did not pass"
	if strings.HasPrefix(d.Schema, "tribunal/compare") {
		p.CardsTitle = "What passed less often"
	}
	if strings.HasPrefix(d.Schema, "tribunal/mutation") {
		p.CardsTitle = "What survived"
	}
	for i, text := range d.Notes {
		if i == mostListed {
			p.Warnings = append(p.Warnings, fmt.Sprintf("and %d more", len(d.Notes)-i))
			break
		}
		p.Warnings = append(p.Warnings, safe.Text(text))
	}
	for _, f := range d.Facts() {
		if p.heads(f) {
			continue
		}
		p.Facts = append(p.Facts, document.Fact{Name: safe.Text(f.Name), Value: safe.Text(f.Value)})
	}
	p.Facts = append(p.Facts, document.Fact{Name: "exit code", Value: fmt.Sprint(d.ExitCode)})
	return p
}

// heads reports whether the head of the page has a fact already.
func (p *page) heads(f document.Fact) bool {
	shown := func(t tile) bool { return t.Name == f.Name && t.Value == f.Value }
	return slices.ContainsFunc(p.Tiles, shown) || f.Name == "decision" && f.Value == p.Word ||
		f.Name == "commit" && f.Value == p.Commit
}

// colourOf is the class of a document's colour: what was not judged is not green.
func colourOf(d *document.Document) string {
	if !d.Judged && d.Colour == verdict.Pass {
		return ""
	}
	return d.Colour.String()
}

// reasonLines are the texts of reasons, made safe.
func reasonLines(reasons []verdict.Reason) (lines []string) {
	for _, r := range reasons {
		lines = append(lines, safe.Text(r.Text))
	}
	return lines
}

// schemaCommand is the command of a schema, mostly the middle of tribunal/run/v1.
func schemaCommand(schema string) string {
	parts := strings.Split(schema, "/")
	if len(parts) == 3 {
		return safe.Text(cmp.Or(commands[parts[1]], parts[1]))
	}
	return safe.Text(schema)
}

// commands are those whose schema has another name.
var commands = map[string]string{
	"compare-runs": "compare", "compare-anytime": "compare", "compare-proxy": "compare", "behaviour": "compare",
	"rank": "compare rank", "verdict-score": "verdict", "sequential": "verdict", "plan-baseline": "plan",
	"plan-sizes": "plan", "plan-behaviour": "plan", "forecast": "plan month", "history": "store history",
	"mutation": "run mutants", "mutation-checks": "run mutants", "checks": "run mutants", "relations": "run relations",
	"race": "improve race", "ratchet": "improve ratchet", "contract": "check contract", "coverage": "check coverage",
}

// intervals is the table with the drawing of intervals among the statistics.
func (p *page) intervals(d *document.Document) {
	for _, part := range d.Parts {
		if t, is := part.(*document.Table); is && t.Drawn && !t.Main {
			p.Intervals = drawnTable(t)
			p.Intervals.ID = "intervals"
		}
	}
}

// drawnTable is a table with a drawing in its rows: its first column names the row, and the drawing follows the second.
func drawnTable(t *document.Table) *table {
	// The page shows other columns than the text does, and in another order:
	// first the name and the verdict, then the drawing, then the figures.
	var order []int
	bar := -1
	for i, column := range t.Columns {
		switch {
		case column.Bar:
			bar = i
		case column.In != document.Text && column.In != document.Nowhere:
			order = append(order, i)
		}
	}
	order = append(order[:2:2], append([]int{bar}, order[2:]...)...)
	x := &table{Title: safe.Text(t.Title), Note: safe.Text(t.Note)}
	for _, i := range order {
		x.Columns = append(x.Columns, pageColumn(t.Columns[i]))
	}
	on := scalesOf(t)
	for _, row := range t.Rows {
		if row.In != document.Text {
			x.Rows = append(x.Rows, drawnRow(row, order, x.Columns, on))
		}
		if s := row.Span; s != nil && s.Signed && !s.Unmarked {
			x.Note += " The dashed lines are the baseline's rate less delta, and delta below no difference, the solid one."
		}
	}
	return x
}

// scalesOf are those of the axes of a table, by their place; a table without axes has rates alone.
func scalesOf(t *document.Table) []scale.Scale {
	axes := t.Axes
	if len(axes) == 0 {
		axes = []document.Axis{{Most: 1}}
	}
	list := make([]scale.Scale, len(axes))
	for i, a := range axes {
		if !(a.Most > a.Least) {
			a = document.Axis{Most: 1} // nothing is drawn on it
		}
		var spans []document.Span
		for _, row := range t.Rows {
			if row.Axis == i && row.Span != nil {
				spans = append(spans, *row.Span)
			}
		}
		list[i] = scale.Of(spans, a.Least, a.Most, append(slices.Clone(a.Marks), scale.MarksOf(spans)...)...)
	}
	return list
}

// pageColumn is a column of figures as a page aligns it.
func pageColumn(c document.Column) document.Column {
	c.Title, c.Right = safe.Text(c.Title), c.Right || c.Title == "interval"
	return c
}

// drawnRow is a row with its drawing, if its interval is known. The first cell names
// it.
func drawnRow(row *document.Row, order []int, columns []document.Column, on []scale.Scale) []cell {
	cells := make([]cell, len(order))
	for k, i := range order {
		if i < len(row.Cells) {
			cells[k] = pageCell(row.Cells[i], columns[k])
		}
		if columns[k].Bar && row.Span != nil {
			cells[k].Chart = intervalChart(*row.Span, on[row.Axis])
		}
	}
	cells[0].Head = true
	return cells
}

// pageCell is a cell as the page shows it: a verdict in its colour, figures to the
// right, and texts that others wrote, or that are long, in a column that may wrap.
func pageCell(c document.Cell, column document.Column) cell {
	cell := cell{Text: safe.Text(prose.CutRunes(c.Full(), mostCell)), Foreign: c.Foreign}
	switch {
	case c.Verdict != nil:
		cell.Class = "word " + c.Verdict.String()
	case column.Right:
		cell.Class = "right"
	case c.Foreign && len(c.Text) <= mostUnbroken:
		cell.Class = "name"
	case c.Foreign || len(c.Text) > 60:
		cell.Class = "long"
	}
	if cell.Text == document.None {
		cell.Class = strings.TrimSpace(cell.Class + " none")
	}
	return cell
}

// tables are the sections that nothing else on the page shows.
func (p *page) tables(d *document.Document) {
	p.ids = map[string]bool{}
	for _, s := range d.Sections() {
		// Another section has these figures beside a drawing.
		if t := s.Table; t != nil && (t.Drawn && !t.Main && p.Intervals != nil || t.Spread && p.Spreads != nil ||
			t.Carded && p.carded()) {
			continue
		}
		if t := s.Table; t != nil && t.Drawn && t.Main {
			x := drawnTable(t)
			x.ID = anchor("table", s.Title, p.ids)
			p.Main = append(p.Main, *x)
			continue
		}
		if t := s.Table; t != nil && t.Lead != nil {
			p.Amounts = append(p.Amounts, leadTable(t))
		}
		x := table{
			ID: anchor("table", s.Title, p.ids), Title: safe.Text(s.Title), Note: safe.Text(s.Note), Fold: s.Fold,
			Count: prose.Count(len(s.Rows), "row"),
		}
		for _, column := range s.Columns {
			column.Title = safe.Text(column.Title)
			x.Columns = append(x.Columns, column)
		}
		for k, row := range s.Rows {
			if k == mostTableRows {
				x.Left = fmt.Sprintf("%d more are in the saved result.", len(s.Rows)-k)
				break
			}
			cells := make([]cell, len(x.Columns))
			for c, cell := range s.Cells(row) {
				cells[c] = pageCell(cell, x.Columns[c])
			}
			x.Rows = append(x.Rows, cells)
		}
		if t := s.Table; t != nil && t.Main {
			p.Main = append(p.Main, x)
		} else {
			p.Tables = append(p.Tables, x)
		}
	}
}

// leadTable has the columns of a table that stand above what was judged. Figures lose zeros at their ends, as people
// write them.
func leadTable(t *document.Table) table {
	x := table{Title: safe.Text(t.Title) + " in short"} // another name than that of the whole table
	for _, i := range t.Lead {
		x.Columns = append(x.Columns, pageColumn(t.Columns[i]))
	}
	for _, row := range t.Rows {
		var cells []cell
		for k, i := range t.Lead {
			c := pageCell(row.Cells[i], x.Columns[k])
			if number, unit, _ := strings.Cut(c.Text, " "); strings.Contains(number, ".") && x.Columns[k].Right {
				c.Text = strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(number, "0"), ".") + " " + unit)
			}
			cells = append(cells, c)
		}
		cells[0].Head = true
		x.Rows = append(x.Rows, cells)
	}
	return x
}

// paths are those of the tests between their boundaries, which are drawn once for each
// design.
func (p *page) paths(d *document.Document) {
	// Tests of one design share its drawing, by the digest: a suite of thousands of
	// scenarios has a handful of designs, and a path refers to its own by the ID.
	designs := map[string]string{}
	var defs strings.Builder
	for _, x := range d.Paths() {
		id := designs[x.Digest]
		if id == "" {
			id = fmt.Sprintf("design-%d", len(designs)+1)
			designs[x.Digest] = id
			defs.WriteString(boundaryGroup(id, x.Boundaries))
		}
		word := ""
		if d.Judged { // a plan has no verdict
			word = x.Verdict.String()
		}
		p.Paths = append(p.Paths, path{
			Name: x.Name, Verdict: word, Count: x.Count, Chart: pathChart(id, x.Boundaries, x.Marks, x.Title),
			Caption: safe.Text(x.Caption),
			Reasons: reasonLines(x.Reasons), Open: len(p.Paths) == 0, Outcomes: safe.Text(figure.Outcomes(x.Outcomes)),
		})
	}
	p.Defs = template.HTML(defs.String())
}

// picture adds a drawing, unless there is nothing to draw: the tables say what there is.
func (p *page) picture(x document.Picture) {
	var b bytes.Buffer
	if x.Draw(&b) != nil {
		return
	}
	// As the source of an image, an SVG runs no script and its style sheet reaches
	// nothing of the page.
	source := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	p.Pictures = append(p.Pictures, picture{x.ID, x.Title, safe.Text(x.Text), template.URL(source)})
}

// flips sets the outputs of the pairs that flipped side by side.
func (p *page) flips(d *document.Document) {
	for _, f := range d.Flips[:min(len(d.Flips), mostListed)] {
		// Of a scenario with several trials the name alone would not say which.
		name := safe.Name(f.Scenario)
		if f.Trial != nil {
			name += fmt.Sprintf(", trial %d", *f.Trial)
		}
		flip := flip{
			Name: name, What: "broke", Class: "fail", Before: "pass", After: "fail",
			Baseline: safe.Lines(f.BaselineOutput), Candidate: safe.Lines(f.CandidateOutput),
			Rows: flipSteps(f), Unlisted: notListed(f),
		}
		if f.To == "pass" {
			flip.What, flip.Class, flip.Before, flip.After = "fixed", "pass", "fail", "pass"
		}
		p.Flips = append(p.Flips, flip)
	}
}

// trials is the list of trials for which the result had room.
func (p *page) trials(d *document.Document) {
	switch {
	case len(d.Trials) == 0:
		return
	case len(p.rest) > 0:
		p.Trials = &trialList{Note: fmt.Sprintf("%s, those that did not pass first; texts are cut.",
			prose.Count(len(p.rest), "trial"))}
	case d.TrialsOmitted > 0:
		p.Trials = &trialList{Note: "The trials stand with their scenarios; texts are cut."}
	default:
		return
	}
	if d.TrialsOmitted > 0 {
		p.Trials.Note += fmt.Sprintf(" There is no room for %d more.", d.TrialsOmitted)
	}
	for _, t := range p.rest {
		p.Trials.List = append(p.Trials.List, pageTrial(t))
	}
}

// pageTrial is a trial with all of its texts made safe; amounts that are not known
// are not mentioned.
func pageTrial(t runs.Trial) trialDetail {
	var about []string
	if t.Baseline {
		about = append(about, "of the baseline")
	}
	if t.CostUSD != nil {
		about = append(about, figure.Money(*t.CostUSD))
	}
	if t.Duration != nil {
		about = append(about, figure.Duration(*t.Duration))
	}
	if !t.Judged {
		about = append(about, "after the decision")
	}
	if ending := t.Process.String(); ending != "" {
		about = append(about, safe.Text(ending))
	}
	v := trialDetail{
		Name: safe.Name(t.Scenario), Number: t.Trial, Outcome: safe.Text(t.Outcome), About: strings.Join(about, ", "),
		Text: safe.Text(t.Text), Input: safe.Lines(indented(t.Input)), Output: safe.Lines(indented(t.Output)),
	}
	if t.Process != nil {
		v.Stderr = safe.Lines(t.Process.Stderr)
	}
	v.Evaluators = pageEvaluators(t.Evaluators)
	if t.EvaluatorsOmitted > 0 {
		v.MoreEvaluators = prose.Count(t.EvaluatorsOmitted, "further evaluator")
	}
	for _, s := range t.Steps {
		v.Steps = append(v.Steps, pageStep(s))
	}
	if t.StepsOmitted > 0 {
		v.More = prose.Count(t.StepsOmitted, "further step")
	}
	return v
}

// evaluator is what one evaluator found, with those that it combines.
type evaluator struct {
	Mark, Outcome, Name, Score, Text string
	Parts                            []evaluator
}

// pageEvaluators are results with their texts made safe.
func pageEvaluators(results []oracle.Result) (list []evaluator) {
	marks := map[trial.Outcome]string{trial.Pass: "✓", trial.Fail: "✗"}
	for _, r := range results {
		v := evaluator{
			Mark: cmp.Or(marks[r.Outcome], "?"), Outcome: r.Outcome.String(), Name: safe.Text(r.Evaluator),
			Text:  safe.Text(r.Text),
			Parts: pageEvaluators(r.Parts),
		}
		// 0 and 1 are what the mark says.
		if s := r.Score; s.Known && s.Value != 0 && s.Value != 1 {
			v.Score = "score " + figure.Brief(s.Value)
		}
		list = append(list, v)
	}
	return list
}

// contents links to the sections that there are, in their order.
func (p *page) contents() {
	// The IDs are those that the template gives its sections. What is folded into the statistics is found from there.
	add := func(id, title string, there bool) {
		if there {
			p.Contents = append(p.Contents, link{id, title})
		}
	}
	add("series", "Over time", len(p.Series) > 0)
	add("changes", "What changed", p.Changed != "" || len(p.Amounts) > 0)
	add("rules", "Checks", len(p.Checks)+len(p.Held) > 0)
	add("findings", p.CardsTitle, len(p.Cards) > 0)
	add("passed", "What passed", len(p.Passed) > 0)
	for _, t := range p.Main {
		add(t.ID, t.Title, true)
	}
	if !p.Statistics {
		add("intervals", p.intervalsTitle(), p.Intervals != nil)
		add("paths", "Tests", len(p.Paths) > 0)
		add("curves", "Design", len(p.Curves) > 0)
		for _, x := range p.Pictures {
			add(x.ID, x.Title, true)
		}
		for _, t := range p.Tables {
			add(t.ID, t.Title, true)
		}
		add("spreads", "Cost and time", len(p.Spreads) > 0)
	}
	add("flips", "Flipped trials side by side", len(p.Flips) > 0)
	add("trials", "Trials", p.Trials != nil)
	add("warnings", "Warnings", len(p.Warnings) > 0)
	add("statistics", "Statistics", p.Statistics)
	add("facts", "Facts", true)
}

// carded reports whether the page has cards or rules: tables of the same are left out.
func (p *page) carded() bool { return len(p.Cards)+len(p.Passed)+len(p.Checks)+len(p.Held) > 0 }

// intervalsTitle is the heading of the table with drawings.
func (p *page) intervalsTitle() string {
	if p.Intervals == nil {
		return ""
	}
	return p.Intervals.Title
}
