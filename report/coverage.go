package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// usualUncovered is how many lines a list of what is not covered takes in the text.
const usualUncovered = 6

// buildCoverage is a row for each dimension, what is not covered by name, the weakest
// dimension and what would raise it. The word has the colour of the minimum: green
// where it is met or none was asked for, red where it is missed, yellow where nothing
// was measured.
func buildCoverage(d *document.Document, c *verdict.Coverage) {
	// The result of verdict is that of package coverage with a verdict on the
	// minimum.
	r := (*coverage.Result)(c)
	d.Begin(c.Header(), "coverage")
	d.Word = "coverage"
	switch {
	case r.Overall == nil && !d.Judged:
		d.Colour = verdict.Inconclusive
	case !d.Judged:
		d.Colour = verdict.Pass
	}
	d.Headline = coverageHeadline(r)
	d.Break()
	dimensions(d, r)
	d.Break()
	uncovered(d, r)
	capabilities(d, r)
	uncoveredTable(d, r)
	coverageRadar(d, r)
	if r.Weakest != "" {
		d.Line("weakest", safe.Text(string(r.Weakest))+": "+r.Advice)
	}
	for _, w := range r.Warnings {
		d.Notes = append(d.Notes, w.Text)
		if w.Code != coverage.NotMeasured { // the table says it
			d.TextLine("warning", w.Text)
		}
	}
	coverageMinimum(d, r)
	d.Outputs = append([]document.Fact{count("trials", r.Trials)},
		fact("overall", figure.OptionalExact(r.Overall)))
}

// coverageHeadline counts the dimensions that the overall value is made of: those
// that were measured and have a weight.
func coverageHeadline(r *coverage.Result) string {
	measured := 0
	for _, m := range r.Dimensions {
		if m.Value != nil && m.Weight > 0 {
			measured++
		}
	}
	if r.Overall == nil {
		text := "not measured, from " + prose.Count(r.Trials, "trial")
		if r.Low != nil {
			text = fmt.Sprintf("too few trials for an estimate, %s, from %s", atLeast(r, *r.Low),
				prose.Count(r.Trials, "trial"))
		}
		return text
	}
	text := phrase.Rate(*r.Overall) + " overall"
	if r.Low != nil && *r.Low != *r.Overall {
		text += " (" + atLeast(r, *r.Low) + ")"
	}
	return fmt.Sprintf("%s, in %d of %d dimensions, from %s", text, measured, len(r.Dimensions),
		prose.Count(r.Trials, "trial"))
}

// atLeast says a lower limit with its confidence.
func atLeast(r *coverage.Result, low float64) string {
	return fmt.Sprintf("at least %s at %s confidence", phrase.Rate(low), figure.Chance(r.Level))
}

// coverageMinimum says whether the least that was asked for is reached.
func coverageMinimum(d *document.Document, r *coverage.Result) {
	if r.Minimum == nil || r.Met == nil {
		return
	}
	text := coverageReached(r)
	d.Fact("minimum", phrase.Rate(*r.Minimum))
	// The result has no reasons of its own; for the formats that list them there is
	// this one.
	d.Reasons = []verdict.Reason{{Code: "minimum", Text: strings.TrimSuffix(text, ".")}}
	d.Cases = append(d.Cases, document.Case{
		Scenario: "overall", Name: "minimum", Status: statusOf(d.Colour, nil), Message: text,
		Facts: []document.Fact{number("minimum", *r.Minimum), fact("overall", figure.OptionalExact(r.Overall))},
	})
	d.Close(text)
}

// coverageReached compares what decides with the minimum: the lower limit, or the value where a result of an
// earlier version has no limit.
func coverageReached(r *coverage.Result) string {
	least := r.Low
	shown := fmt.Sprintf("Overall coverage %s", figure.Optional(least, phrase.Rate))
	switch {
	case least == nil:
		least = r.Overall
		shown = fmt.Sprintf("Overall coverage %s", figure.Optional(least, phrase.Rate))
	case r.Overall == nil || *least != *r.Overall:
		shown = fmt.Sprintf("Overall coverage, %s,", atLeast(r, *least))
	}
	switch {
	case least == nil:
		return fmt.Sprintf("Nothing was measured: the minimum of %s is not met.", phrase.Rate(*r.Minimum))
	case *r.Met:
		return fmt.Sprintf("%s reaches the minimum of %s.", shown, phrase.Rate(*r.Minimum))
	case r.Overall != nil && *r.Overall >= *r.Minimum:
		return fmt.Sprintf("%s does not show the minimum of %s: more trials may.", shown, phrase.Rate(*r.Minimum))
	}
	return fmt.Sprintf("%s is below the minimum of %s.", shown, phrase.Rate(*r.Minimum))
}

// dimensions is a row and a case for each dimension, with a bar.
func dimensions(d *document.Document, r *coverage.Result) {
	// Weights are a column of the text only where one differs from 1.
	weighted := false
	limited := false // a limit is a column only where one differs from its value
	for _, m := range r.Dimensions {
		weighted = weighted || m.Weight != 1
		limited = limited || limitOf(m) != nil
	}
	t := &document.Table{Title: "Coverage", Columns: []document.Column{
		{Title: "dimension", Plain: true},
		{Title: "coverage", Right: true},
		{Title: "at least", Right: true, In: document.TextIf(limited)},
		{Bar: true, Plain: true, Text: table.Column{Least: 8, Most: 24, Drop: 2}},
		{Title: "extent", Plain: true, Text: table.Column{Least: 16}},
		{Title: "weight", Right: true, In: document.TextIf(weighted), Text: table.Column{Drop: 1}},
	}}
	fitted := r.States != nil && r.States.Fitted // λ
	ofGraph := r.Paths != nil && r.Paths.Graph != nil
	extent := func(m coverage.Measurement) string {
		if m.Dimension == coverage.PathDimension && ofGraph && m.Value != nil && m.Of != nil {
			return fmt.Sprintf("%d of %s of the graph tried", m.Covered, counts(*m.Of, "path"))
		}
		return extentOf(m, fitted)
	}
	for _, m := range r.Dimensions {
		row := &document.Row{Cells: []document.Cell{
			document.Told(string(m.Dimension)), numberCell("value", m.Value, phrase.Rate),
			numberCell("low", limitOf(m), phrase.Rate), {},
			document.Told(extent(m)),
			document.Told(figure.Exact(m.Weight), number("weight", m.Weight)),
		}}
		c := document.Case{Scenario: string(m.Dimension), Name: "coverage", Status: document.Open,
			Message: extent(m), Table: t, Row: row}
		if m.Value != nil {
			// A dimension is shown, not judged: what was measured has passed, what
			// was not stays open.
			row.Span = &document.Span{High: *m.Value, Filled: true}
			c.Status = document.Passed
			c.Details = []string{"coverage " + phrase.Rate(*m.Value)}
		}
		t.Rows = append(t.Rows, row)
		d.Cases = append(d.Cases, c)
	}
	d.Table(t)
}

// limitOf is the lower limit of a dimension that is an estimate; nil is none.
func limitOf(m coverage.Measurement) *float64 {
	if m.Low == nil || m.Value != nil && *m.Value == *m.Low {
		return nil
	}
	return m.Low
}

// extentOf says what a value is made of.
func extentOf(m coverage.Measurement, fitted bool) string {
	if m.Value == nil || m.Of == nil {
		return "not measured: " + m.Reason
	}
	switch m.Dimension {
	case coverage.ToolDimension:
		return fmt.Sprintf("%d of %s called", m.Covered, prose.Count(int(*m.Of), "tool"))
	// The number of paths is a lower bound that is estimated: Chao1.
	case coverage.PathDimension:
		if m.Low == nil { // of an earlier version
			return fmt.Sprintf("%d of about %s seen", m.Covered, counts(*m.Of, "path"))
		}
		return fmt.Sprintf("%s seen, of at least %s", prose.Count(m.Covered, "path"), tenths(*m.Of))
	case coverage.StateDimension:
		how := "expected"
		if fitted {
			how = "expected, fitted"
		}
		return fmt.Sprintf("%s, %s %s", prose.Count(m.Covered, "state"), figure.Quantity(*m.Of), how)
	case coverage.BoundaryDimension:
		return fmt.Sprintf("%d of %d boundaries touched", m.Covered, int(*m.Of))
	}
	return fmt.Sprintf("%d of %s run", m.Covered, prose.Count(int(*m.Of), "model"))
}

// counts is a number that may be an estimate, with its noun.
func counts(x float64, what string) string {
	if x == 1 {
		return "1 " + what
	}
	return tenths(x) + " " + what + "s"
}

// tenths writes a number with one decimal, if it has any.
func tenths(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// uncovered lists by name what was not tried.
func uncovered(d *document.Document, r *coverage.Result) {
	if t := r.Tools; t != nil {
		d.TextLine("not called", listed(d, t.Uncalled))
	}
	if b := r.Boundaries; b != nil {
		lines(d, "not touched", byParameter(b.Untouched))
	}
	if m := r.Models; m != nil {
		d.TextLine("not run", listed(d, m.NotRun))
	}
	if x := r.Paths; x != nil && x.Graph != nil {
		graphLines(d, x.Graph)
	}
	if x := r.Paths; x != nil && x.Distinct > 0 {
		d.Line("paths", pathsLine(r, x))
	}
	if x := r.States; x != nil && x.Fitted && x.Lambda != nil {
		d.Line("lambda", fmt.Sprintf("%s: of %s %d were in one trial and %d in two", tenths(*x.Lambda),
			prose.Count(x.Distinct, "state"), x.Once, x.Twice))
	}
}

// graphLines lists the first paths of the graph that were not tried, and those that it does not have.
func graphLines(d *document.Document, g *coverage.GraphCoverage) {
	var untried, outside []string
	for _, steps := range g.Untried {
		untried = append(untried, graph.Brief(steps))
	}
	if more := g.Paths - g.Tried - len(untried); more > 0 && len(untried) > 0 {
		untried = append(untried, fmt.Sprintf("and %d more", more))
	}
	lines(d, "not tried", untried)
	for _, w := range g.Outside {
		outside = append(outside, fmt.Sprintf("%s: %s", w, prose.Count(w.Trials, "trial")))
	}
	lines(d, "no path", outside)
}

// pathsLine says what is known of paths. They have no names to list: how many were seen once and twice is
// what the number of unseen ones is estimated from (Chao1, see package coverage).
func pathsLine(r *coverage.Result, x *coverage.PathCoverage) string {
	text := fmt.Sprintf("%d seen, %d of them once, %d twice; at least about %s unseen; ", x.Distinct, x.Once, x.Twice,
		tenths(x.Unseen))
	if x.Low == nil { // of an earlier version
		return text + "the next trial takes a seen one with chance " + figure.Optional(x.Completeness, figure.Chance)
	}
	least := fmt.Sprintf("at least %s at %s confidence", figure.Chance(*x.Low), figure.Chance(r.Level))
	if x.Completeness == nil {
		return text + "the next trial takes a seen one with a chance of " + least +
			"; too few trials for an estimate"
	}
	return text + fmt.Sprintf("the next trial takes a seen one with chance %s, %s", figure.Chance(*x.Completeness), least)
}

// listed names as many as fit into the lines of a list.
func listed(d *document.Document, names []string) string {
	const more = 14 // columns of "and 12345 more"
	width := d.Detail.Width - indent - labelWidth
	// Five lines at most.
	room := min(rowsOf(d, usualUncovered), 5)*width - more
	var shown []string
	for i, name := range names {
		name = shorten(d, name, min(32, width-2))
		// At least one name is shown, however narrow the page.
		if room -= table.Width(name) + 2; room < 0 && i > 0 {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		shown = append(shown, name)
	}
	return strings.Join(shown, ", ")
}

// lines is a list with a line for each.
func lines(d *document.Document, label string, texts []string) {
	for i, text := range texts {
		if i == rowsOf(d, usualUncovered) {
			d.TextLine("", more(d, len(texts)-i, "JSON"))
			break
		}
		d.TextLine(label, table.Shorten(safe.Text(text), 2*(d.Detail.Width-indent-labelWidth), d.Detail.Ellipsis))
		label = ""
	}
}

// byParameter joins the boundaries of each parameter.
func byParameter(list []coverage.Boundary) (texts []string) {
	for i, b := range list {
		limit := b.Limit()
		// Boundaries of one parameter stand next to each other in the list. The
		// values of an enumeration share its name.
		if i > 0 && list[i-1].Tool == b.Tool && list[i-1].Parameter == b.Parameter {
			if list[i-1].Kind == coverage.EnumBoundary && b.Kind == coverage.EnumBoundary {
				limit = string(b.Value)
			}
			texts[len(texts)-1] += ", " + limit
			continue
		}
		texts = append(texts, safe.Name(b.Tool)+" "+safe.Name(b.Parameter)+": "+limit)
	}
	return texts
}

// capabilities is how many of the declared capabilities a scenario covers that
// passes, and for each of the others which scenarios were tried.
func capabilities(d *document.Document, r *coverage.Result) {
	c := r.Capabilities
	if c == nil {
		return
	}
	d.Linef("capabilities", "%d of %d are covered by a scenario that passes", len(c.Covered), c.Declared)
	var texts []string
	for _, u := range c.Uncovered {
		var tried []string
		for _, s := range u.Scenarios {
			tried = append(tried, fmt.Sprintf("%s passed %d of %d", shorten(d, s.Name, 32), s.Passes, s.Judged))
		}
		why := "no scenario has it"
		if len(tried) > 0 {
			why = fewNames(d, tried)
		}
		texts = append(texts, safe.Name(u.Name)+": "+why)
	}
	lines(d, "not covered", texts)
}
