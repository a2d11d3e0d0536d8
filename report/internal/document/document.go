// Package document holds results in the form from which every format is written. A
// builder for each kind of result says what there is to show; a writer for each
// format says how. Whatever a builder adds without saying where appears everywhere:
// in text, Markdown, HTML, JUnit XML and the events of go test.
//
//	d := &document.Document{Detail: detail}
//	d.Begin(result.Header(), "checkout")        // the verdict, and what was judged
//	d.Linef("passes", "%d of %d", passes, n)    // a figure, in all formats
//	d.Fact("seed", seed)                        // one that the text shows elsewhere
//	d.Table(t)                                  // rows, see Table
//	d.Cases = append(d.Cases, c)                // a criterion that passed, failed or is open
//	d.Warn(result.Warnings)
//
// The text follows the order of [Document.Parts]. Pages (Markdown and HTML) take the
// tables in the order of [Document.Sections], and collect the facts with
// [Document.Facts]. JUnit XML and the events of go test write the cases, with what
// their rows say besides, and then [Document.Besides]; annotations name the cases that
// did not pass.
//
// This file has the document and its parts; table.go has tables, and how pages split
// and order them; series.go what a chart shows.
//
// A document holds numbers as texts that are ready to be read. Names and texts that
// others wrote stand in it as they are: who writes a document escapes them.
package document

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Document is what there is to say about a result.
type Document struct {
	Detail Detail // for which it was built

	verdict.Header                 // what every result has
	Subject        string          // what was judged: the name of the suite, or what the command is called
	Heading        string          // what a page calls it; "" is the subject
	Word           string          // what stands first: the verdict, the decision of a gate, or "plan"
	Colour         verdict.Verdict // in whose colour the word stands
	Plain          bool            // the word has no colour
	Headline       string          // beside the word
	Notes          []string        // all warnings, for formats that list them in one place
	Do             string          // the command that is next; "" is nothing
	DoBefore       string          // what stands before it, with what joins both, or what it takes; "" is nothing
	Told           bool            // headline and findings say what a comment needs: the rest is folded there
	Tiles          []Tile          // the few figures that a reader looks for first
	Findings       []Finding       // what did not pass and why, the worst first
	Fine           string          // what passed, in one line; "" is nothing
	Undecided      []Finding       // what did not pass and no finding is about, for pages
	Passed         []Finding       // what passed, for pages: each has its place there
	Checks         []Check         // the rules of a gate, in their order
	When           string          // when the result was made, as a person writes it; "" is not known
	Commit         string          // of what was run; "" is not known
	Against        string          // what it was held against and what changed since, for pages; "" is nothing
	Links          []Link          // of a page, to those around it; nil is none
	Value          any             // whose JSON is that of the document

	Parts []Part // in the order of the text
	Cases []Case // in the order of the result

	Curves   []Curve             // of the designs, each once
	Spreads  []runs.Distribution // of cost, tokens and duration
	Pictures []Picture           // drawings in frames of their own
	Flips    []compare.Flip      // pairs with their outputs, to be set side by side
	Changed  string              // whether the behaviour changed, in a sentence, for HTML; "" is not known
	Changes  []string            // what of it changed, in words, for HTML
	Trials   []runs.Trial
	// TrialsOmitted is how many trials more there are, for which there was no room.
	TrialsOmitted int

	Outputs []Fact  // what scripts are told besides the verdict
	Seconds float64 // that the work took; 0 where it is not known
	Metrics any     // what the trials took, as the format of that name has it; nil where that is not told

	// See [Document.Tell].
	told map[verdict.Code]bool // warnings whose text stands elsewhere in the text
}

// Detail is how much a document is to say in its text, and in what room.
type Detail struct {
	Width    int    // columns of the text, at least 40
	Ellipsis string // stands where a name was shortened
	Rows     int    // most rows of a table in the text; 0 is what is usual for the kind
	Explain  bool   // every rule of a gate, in the text
	Compare  bool   // the tests of a plan side by side, in place of its design alone
	ASCII    bool   // the text has no letters beyond those of ASCII
	Chart    bool   // the boundaries of a plan, below the text

	Rest    func(option string) string // how what is left out is seen; nil is not said
	Subject string                     // what was judged, of a result that does not know; "" is not known
}

// Place says in which formats something appears. The zero value is all of them.
type Place uint8

// The places of a part, a column or a row.
const (
	Everywhere Place = iota
	Text             // the text alone, where others say the same as a fact or in a table
	Pages            // all but the text, where it is said in other words
	Drawing          // HTML alone, in a table with a drawing
	Nowhere          // a column of which no row has anything
	Explained        // everywhere but in the text, which has statistics where it is to explain them
)

// InText reports whether the text shows what has this place.
func (p Place) InText() bool { return p == Everywhere || p == Text }

// OnPages reports whether Markdown and the tables of HTML show what has this place.
func (p Place) OnPages() bool { return p == Everywhere || p == Pages || p == Explained }

// Figure reports whether a line with this place is a figure of pages, and of cases.
func (p Place) Figure() bool { return p == Everywhere || p == Explained }

// TextIf is the place of what the pages always show, and the text if told to.
func TextIf(shown bool) Place {
	if shown {
		return Everywhere
	}
	return Pages
}

// Part is a piece of a document: a [Line], a [*Table], a [*Path], a [*Histogram], a [*Series], a [Break], a [Note], a
// [ClosingText], a [FindingList] or a [CauseList].
type Part interface{ part() }

// Line is a named value.
type Line struct {
	Name  string // such as "seed"; "" continues the line above
	Value string // never empty
	In    Place  // a fact is a line of the pages alone
	// Edge sets the name of a rule's outcome beside the rule, in the colour of a verdict;
	// nil is an ordinary line.
	Edge *Edge
}

// Edge says how a name stands at the edge of the text.
type Edge struct {
	Width   int              // of the names
	Verdict *verdict.Verdict // its colour; nil is none
}

// Break separates parts of the text by a blank line.
type Break struct{}

// Note is a sentence below a table of the text.
type Note string

// ClosingText is the paragraph at the end of the text.
type ClosingText string

// FindingList is where the text has the findings of the document, and what is fine.
type FindingList struct{}

// CauseList is why trials did not pass that no finding is about; HTML has it beside each test.
type CauseList []Cause

func (Line) part()        {}
func (Break) part()       {}
func (Note) part()        {}
func (ClosingText) part() {}
func (FindingList) part() {}
func (CauseList) part()   {}
func (*Table) part()      {}
func (*Path) part()       {}
func (*Histogram) part()  {}

// Fact is a named value for a program: an exact number in place of a rounded one.
type Fact struct {
	Name  string // such as "cost_usd"
	Value string // with as many digits as the number has
}

// Tile is a figure for the head of a page, such as "4 failed" or "$0.40".
type Tile struct {
	Name    string           // under the figure, such as "cost"
	Value   string           // the figure
	Verdict *verdict.Verdict // in whose colour the figure stands; nil is none
}

// Link leads from a page to another one.
type Link struct {
	Title, URL string
	Site       bool // it is of the header that all pages of a site have
	Here       bool // the page is of what it leads to
}

// Finding is one thing that was judged, as a reader asks about it: a scenario, a rule of a
// gate, a side of the behaviour. It stands once, with all that belongs to it.
type Finding struct {
	Name    string          // never shortened: a reader copies it
	Test    string          // the name of the test whose trials are its own; "" has none
	Verdict verdict.Verdict // of this finding alone
	// what was seen and what that shows, such as "4 of 9 passed (44 %): below the 90 % you require"
	Sentence string
	More     []string // further sentences, such as those of other rules
	Do       string   // what to do next; "" is nothing
	Span     *Span    // the rate with its interval and marks, as a bar; nil is none
	Marks    string   // the outcomes of the judged trials: P, F and E; "" is not known
	Causes   []Cause  // why trials did not pass, the most frequent first
	// A trial of each side of a comparison, which HTML sets side by side, and which of them there is none of.
	Pair     *compare.Flip
	Unpaired string
}

// Check is a rule of a gate and what came of it.
type Check struct {
	Name     string           // of the rule
	Scenario string           // "" is a rule of the whole run
	Word     string           // what came of it
	Verdict  *verdict.Verdict // in whose colour it stands; nil is one that decides nothing
	Text     string           // why
}

// Cause is why trials of a finding did not pass, each text once.
type Cause struct {
	Count  int      // of the trials, among those that are known
	Among  int      // of how many trials that did not pass the cause is known
	Of     int      // how many did not pass
	Text   string   // such as `reply does not contain "cancelled"`
	Trials []string // the names of the trials by which they can be run again, such as "refund#2"
}

// MostCauseTrials is how many trials of a cause are named: a person runs one or two of them again. Chosen.
const MostCauseTrials = 3

// Names lists the first trials, and says how many more there are.
func (c *Cause) Names(most int) string {
	text := strings.Join(c.Trials[:min(len(c.Trials), most)], ", ")
	if left := c.Count - most; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	if c.Among < c.Of {
		text += fmt.Sprintf(" (of the first %d that did not pass, of %d)", c.Among, c.Of)
	}
	return text
}

// Status is how a [Case] ended.
type Status uint8

// The statuses of a case. The zero value is Open, so that one that nobody set is never
// read as passed.
const (
	Open   Status = iota // Inconclusive
	Passed               // Pass
	Failed               // Fail
	Broken               // the agent could not be run, or errors kept the test from a verdict
	Aside                // quarantined: it did not pass, and decides nothing
)

// Case is one criterion of one scenario.
type Case struct {
	Scenario string   // or "all", "recording" and the like where there is none
	Name     string   // of the criterion, such as verdict
	Status   Status   // how it ended
	Message  string   // one sentence
	Details  []string // lines of the statistics and the trials that did not pass
	Why      []string // the first reasons of those trials, each text once, for formats without room for details
	Facts    []Fact   // exact values
	File     string   // of the suite in which the scenario stands, with slashes; "" is not known
	Line     int      // in that file, from 1; 0 where it is not known
	Seconds  float64  // that its trials took, all in all; 0 where it is not known
	// Weight orders cases of one status where there is not room for all: those with the largest come first.
	Weight float64
	// Table and Row are where the case stands in the tables; nil where it does not. What
	// a cell says that the case does not say itself is added to the details and facts.
	Table *Table
	Row   *Row
}

// Path is the way of a test between the boundaries of its design.
type Path struct {
	In         Place             // a page draws it in any case
	Name       string            // of the test
	Verdict    verdict.Verdict   // in whose colour the test stands
	Count      string            // such as "45 of 50 trials passed"
	Title      string            // says in words what the drawing shows
	Caption    string            // of the drawing: the design in words
	Digest     string            // of the design: a page draws each once
	Boundaries design.Boundaries // of the design, by the number of trials
	// Marks are the outcomes of the judged trials: P, F and E. A plan has none.
	Marks string
	// Failures are their number after each judged trial, as the text draws them; nil
	// where the text draws boundaries alone.
	Failures []int
	Shown    int              // how many trials the text draws
	Outcomes string           // of all trials; "" where a page does not list them
	Reasons  []verdict.Reason // of the verdict of the test; may be empty
}

// Histogram is a distribution that the text draws; pages have a picture of it.
type Histogram struct {
	Name      string    // of what is distributed, a difference of two rates
	Low, High float64   // of the range
	Shares    []float64 // probability of each of equal parts of the range
	From, To  float64   // an interval within it
	Inner     string    // its level, such as "95%"
	Marks     []float64 // with ticks, where they are in the range
}

// Curve is what a design promises at every true pass rate.
type Curve struct {
	Points    []design.Point // by rising pass rate
	Threshold float64        // the least rate that is good enough
	LowerRate float64        // the largest rate that is too low
	Alpha     float64        // exact probability of a Fail at the threshold
	Beta      float64        // exact probability of a Pass at the lower rate
	MaxTrials int            // of the design
}

// Picture is a drawing in a frame of its own.
type Picture struct {
	ID    string                // of its section on a page
	Title string                // its heading
	Text  string                // says what it shows
	Draw  func(io.Writer) error // writes it as SVG; an error says that there is nothing to draw
}

// Tile adds a figure to the head of pages, in the colour of a verdict or, with nil, in none.
func (d *Document) Tile(name, value string, v *verdict.Verdict) {
	d.Tiles = append(d.Tiles, Tile{Name: name, Value: value, Verdict: v})
}

// Begin takes over what every result has, and says what was judged. The verdict stands
// first.
func (d *Document) Begin(h verdict.Header, subject string) {
	d.Header = h
	d.Subject = subject
	d.Word = h.Verdict.String()
	d.Colour = h.Verdict
}

// Listing begins the document of what judges nothing, and returns it. The value is its JSON. Pages say what it is of;
// the text of one without a word has its parts below the headline, or at the edge where there is none.
func (d *Document) Listing(schema, subject string, value any) *Document {
	d.Schema, d.Subject, d.Value = schema, subject, value
	d.Colour = verdict.Pass
	return d
}

// Line adds a line that appears everywhere, unless its value is empty.
func (d *Document) Line(name, value string) { d.add(name, value, Everywhere) }

// Linef adds a line that appears everywhere, and formats its value.
func (d *Document) Linef(name, format string, values ...any) {
	d.Line(name, fmt.Sprintf(format, values...))
}

// TextLine adds a line to the text: its figures are facts, or stand in a table.
func (d *Document) TextLine(name, value string) { d.add(name, value, Text) }

// TextLinef adds a line to the text, and formats its value.
func (d *Document) TextLinef(name, format string, values ...any) {
	d.TextLine(name, fmt.Sprintf(format, values...))
}

// Next says which command is next, and what stands before it.
func (d *Document) Next(before, command string) {
	d.DoBefore, d.Do = before, command
	d.TextLine("next", before+command)
}

// Stat adds a line of statistics: the text has it where it explains.
func (d *Document) Stat(name, value string) { d.add(name, value, d.Statistics()) }

// Statf adds a line of statistics, and formats its value.
func (d *Document) Statf(name, format string, values ...any) {
	d.Stat(name, fmt.Sprintf(format, values...))
}

// StatLine adds a line of statistics to the text alone: pages have its figures elsewhere.
func (d *Document) StatLine(name, value string) {
	if d.Detail.Explain {
		d.TextLine(name, value)
	}
}

// FactStat adds a fact that is a line of statistics as well.
func (d *Document) FactStat(name, value string) {
	d.Fact(name, value)
	d.StatLine(name, value)
}

// Statistics is the place of what the text has where it explains.
func (d *Document) Statistics() Place {
	if d.Detail.Explain {
		return Everywhere
	}
	return Explained
}

// Fact adds a fact about all of the result: its totals, seed, version.
func (d *Document) Fact(name, value string) { d.add(name, value, Pages) }

// add leaves out what says nothing: an empty value anywhere, and a dash as a fact. A
// line of the text may be a dash, for a reader who looks for the figure.
func (d *Document) add(name, value string, in Place) {
	if value != "" && (in != Pages || value != None) {
		d.Parts = append(d.Parts, Line{Name: name, Value: value, In: in})
	}
}

// None stands where a number is unknown or undefined.
const None = "-"

// Table adds a table, unless it has no rows.
func (d *Document) Table(t *Table) {
	if len(t.Rows) > 0 {
		d.Parts = append(d.Parts, t)
	}
}

// NewTable adds a table whose rows come later; see [Columns].
func (d *Document) NewTable(title string, columns ...string) *Table {
	t := &Table{Title: title, Columns: Columns(columns...)}
	d.Parts = append(d.Parts, t)
	return t
}

// Headed is NewTable below a heading of the text.
func (d *Document) Headed(title string, columns ...string) *Table {
	d.Close(title)
	return d.NewTable(title, columns...)
}

// Break adds a blank line to the text.
func (d *Document) Break() { d.Parts = append(d.Parts, Break{}) }

// Note adds a sentence below a table of the text.
func (d *Document) Note(text string) { d.Parts = append(d.Parts, Note(text)) }

// Below adds a sentence below a table of the text, which pages have above its rows.
func (d *Document) Below(t *Table, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	d.Note(text)
	if t.Note != "" {
		text = t.Note + "; " + text
	}
	t.Note = text
}

// Close adds the paragraph at the end of the text.
func (d *Document) Close(text string) { d.Parts = append(d.Parts, Break{}, ClosingText(text)) }

// FactLine adds a fact that is a line of the text as well.
func (d *Document) FactLine(name, value string) {
	d.Fact(name, value)
	d.TextLine(name, value)
}

// Tell says that the text has told of warnings in another place.
func (d *Document) Tell(codes ...verdict.Code) {
	if d.told == nil {
		d.told = map[verdict.Code]bool{}
	}
	for _, code := range codes {
		d.told[code] = true
	}
}

// Warn adds warnings. The text shows those of which it has not told yet.
func (d *Document) Warn(list []verdict.Warning) {
	for _, w := range list {
		d.Notes = append(d.Notes, w.Text)
		if !d.told[w.Code] {
			d.TextLine("warning", w.Text)
		}
	}
}

// Said is the headline for a format that shows the verdict elsewhere: the decision of a
// gate is part of it. Without a headline it is the subject.
func (d *Document) Said() string {
	if !d.Judged || d.Word == d.Verdict.String() {
		return cmp.Or(d.Headline, d.Subject)
	}
	return d.Word + ": " + d.Headline
}

// Facts are the facts, in their order.
func (d *Document) Facts() (facts []Fact) {
	for _, part := range d.Parts {
		if line, is := part.(Line); is && line.In == Pages {
			facts = append(facts, Fact{Name: line.Name, Value: line.Value})
		}
	}
	return facts
}

// Paths are the paths that a page draws.
func (d *Document) Paths() (paths []*Path) {
	for _, part := range d.Parts {
		if path, is := part.(*Path); is {
			paths = append(paths, path)
		}
	}
	return paths
}

// Besides is what no case says: the lines that appear everywhere, and the tables without
// rows of cases.
func (d *Document) Besides() (parts []Part) {
	// A table with a row of any case is left out as a whole: its rows are cases.
	cases := map[*Table]bool{}
	for _, c := range d.Cases {
		cases[c.Table] = true
	}
	for _, part := range d.Parts {
		switch p := part.(type) {
		case Line:
			if p.In.Figure() {
				p.In = Everywhere
				parts = append(parts, p)
			}
		// Blank lines around a table, since the lines that stood between tables may
		// be gone.
		case *Table:
			if p.In.Figure() && !cases[p] {
				parts = append(parts, Break{}, p, Break{})
			}
		}
	}
	return parts
}

// AllFacts are the facts of the case, and what its row says besides.
func (c *Case) AllFacts() []Fact {
	facts := c.Facts
	// A cell that speaks for itself is a fact under the title of its column. The
	// slice is cut to its length, so that append never writes into the facts of
	// another case.
	c.each(func(column Column, cell Cell) {
		if cell.Facts == nil {
			facts = append(facts[:len(facts):len(facts)], Fact{Name: column.Title, Value: cell.Text})
		} else {
			facts = append(facts[:len(facts):len(facts)], cell.Facts...)
		}
	})
	return facts
}

// AllDetails are the details of the case, and what its row says besides.
func (c *Case) AllDetails() []string {
	details := c.Details
	c.each(func(column Column, cell Cell) {
		if cell.Facts == nil {
			details = append(details[:len(details):len(details)], column.Title+": "+cell.Text)
		}
	})
	return details
}

// each calls f for the cells of the case's row that pages show, except bars and
// dashes of which no facts are known.
func (c *Case) each(f func(Column, Cell)) {
	if c.Table == nil || c.Row == nil {
		return
	}
	for i, cell := range c.Row.Cells {
		if i < len(c.Table.Columns) && c.Table.Columns[i].In.OnPages() && !c.Table.Columns[i].Bar &&
			(cell.Facts != nil || cell.Text != None) {
			f(c.Table.Columns[i], cell)
		}
	}
}

// TitleOf is a word and what was judged, unless the word says that.
func TitleOf(word, subject string) string {
	if word == subject || word == "" {
		return prose.Capitalised(subject)
	}
	return prose.Capitalised(word) + ": " + subject
}

// Mark is the sign of a verdict.
func Mark(v verdict.Verdict) string {
	switch v {
	case verdict.Pass:
		return "✓"
	case verdict.Fail:
		return "✗"
	}
	return "?"
}
