package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// buildBehaviour is a verdict on behaviour alone.
func buildBehaviour(d *document.Document, r *behaviour.Result) {
	d.Begin(r.Header(), "behaviour")
	d.Headline = fmt.Sprintf("%s against %s: the behaviour %s", safe.Name(r.Candidate), safe.Name(r.Baseline),
		behaviourWord(r.Behaviour))
	d.Break()
	addBehaviour(d, r.Behaviour, r.Baseline, r.Candidate)
	d.Cases = []document.Case{behaviourCase(r.Behaviour, statusOf(r.Verdict, r.Reasons))}
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), reasonsText(r.Reasons)))
}

// behaviourWord is the finding in words. That nothing was found is no proof that
// nothing changed, and the words must not claim it beyond the shift that is excluded.
func behaviourWord(b *behaviour.Comparison) string {
	switch {
	case b.Changed:
		return "changed"
	case b.Same() && b.Excluded != nil:
		return fmt.Sprintf("is the same within %s sd", figure.Brief(b.Excluded.Shift))
	case b.Tested:
		return "shows no detected change"
	}
	return "cannot be tested"
}

// mostBehaviour is how many lines the behaviour takes in the text besides its first.
const mostBehaviour = 7

// addBehaviour says whether the behaviour changed, and what of it: the text has lines for
// the columns that did.
func addBehaviour(d *document.Document, b *behaviour.Comparison, baseline, candidate string) {
	if b == nil {
		return
	}
	if b.Tested {
		d.TextLinef("behaviour", "%s at level %s (%s, %s; %d and %s)", behaviourWord(b), phrase.Number(b.Alpha),
			figure.Equals("p", figure.PValue(b.P)), safe.Text(b.Test), b.Baseline, prose.Count(b.Candidate, "trial"))
	}
	// The lines in the order of their worth, until the room is used up; new tools
	// come first, since they are what a reviewer wants to know.
	left := mostBehaviour
	line := func(label, text string) {
		if text != "" && left > 0 {
			left--
			d.TextLine(label, text)
		}
	}
	// A change is told by what changed; without one the reader asks what could have been missed.
	if b.Tested && !b.Changed {
		line("excluded", b.Limit())
	}
	line("new tools", fewNames(d, b.NewTools))
	line("not called", fewNames(d, b.Uncalled))
	// The last line is kept for a warning, unless every column changed and this is
	// the last of them.
	behaviourColumns(d, b, func(text string, changed int) {
		if left > 1 || changed == len(b.Columns) {
			line("", text)
		}
	})
	// The test looks at all columns together, so it may find a change that no column
	// shows.
	if b.Changed && left == mostBehaviour && !anyChanged(b) {
		line("", "no single column is significant by itself: it is how they go together")
	}
	addDimension(d, b)
	for _, w := range b.Warnings {
		if w.Code == verdict.Code(fingerprint.NothingVaries) && outcomesAlone(b.Trials) {
			d.Line("behaviour", "not tested: "+holdNothing)
			continue
		}
		d.Notes = append(d.Notes, w.Text)
		line("note", w.Text)
	}
	// The map is drawn when a page asks for it: other formats do not pay for it.
	if b.Map != nil {
		d.Pictures = append(d.Pictures, document.Picture{
			ID: "behaviour-map", Title: "How the agent works",
			Text: "The behaviour " + behaviourWord(b) +
				": each mark is a trial, on the two axes along which trials differ most.",
			Draw: func(w io.Writer) error {
				return chart.BehaviourMap(w, chart.Behaviour{Map: b.Map, Baseline: safe.Text(baseline),
					Candidate: safe.Text(candidate)})
			},
		})
	}
}

// holdNothing is why the behaviour of trials that are outcomes alone is not tested.
const holdNothing = "the recordings hold no steps, cost or output"

// outcomesAlone reports whether the trials are known to hold nothing of how the agent works.
func outcomesAlone(t *behaviour.Trials) bool {
	if t == nil {
		return false
	}
	for _, c := range []*fingerprint.Counts{t.Baseline, t.Candidate} {
		if c == nil || len(c.Steps)+len(c.Tools)+len(c.Actions)+len(c.Depth)+len(c.OutputTokens)+len(c.Complexity)+
			len(c.CostUSD)+len(c.Duration) > 0 {
			return false
		}
	}
	return true
}

// behaviourChanges say in words what of the behaviour changed, for pages that have them above the fold.
func behaviourChanges(d *document.Document, b *behaviour.Comparison) {
	if b == nil {
		return
	}
	d.Changed = "The behaviour " + behaviourWord(b) + "."
	if !b.Tested {
		for _, w := range b.Warnings {
			if w.Code == verdict.Code(fingerprint.NothingVaries) && outcomesAlone(b.Trials) {
				d.Changes = append(d.Changes, holdNothing)
			} else {
				d.Changes = append(d.Changes, w.Text)
			}
		}
		return
	}
	d.Changed = fmt.Sprintf("The behaviour %s (%s).", behaviourWord(b), figure.Equals("p", figure.PValue(b.P)))
	if !b.Changed {
		d.Changed += " " + prose.Capitalised(b.Limit()) + "."
	}
	if len(b.NewTools) > 0 {
		d.Changes = append(d.Changes, "new tools: "+safe.Text(strings.Join(b.NewTools, ", ")))
	}
	if len(b.Uncalled) > 0 {
		d.Changes = append(d.Changes, "no longer called: "+safe.Text(strings.Join(b.Uncalled, ", ")))
	}
	for _, c := range b.Columns {
		if c.Changed {
			d.Changes = append(d.Changes, safe.Text(c.Text))
		}
	}
	if b.Changed && len(d.Changes) == 0 {
		d.Changes = append(d.Changes, "no single measure changed significantly by itself: how they go together did")
	}
}

// addDimension says what Hotelling's test found, if that decided, and in how many dimensions the trials vary.
func addDimension(d *document.Document, b *behaviour.Comparison) {
	if b.EffectiveDimension == 0 {
		return
	}
	dimension := fmt.Sprintf("participation ratio %s", figure.Quantity(b.EffectiveDimension))
	if b.Participation > 0 {
		hold := "hold"
		if b.EffectiveDimension == 1 {
			hold = "holds"
		}
		dimension = fmt.Sprintf("%s %s 95%% of the variance (Equation 28); participation ratio %s",
			prose.Count(int(b.EffectiveDimension), "component"), hold, figure.Quantity(b.Participation))
	}
	h := b.Hotelling
	if h == nil {
		d.Stat("d_eff", dimension)
		return
	}
	share := b.Explained
	if share == 0 {
		share = 0.95
	}
	d.Linef("T2", "%s, F(%d, %d) = %s on %s with %s of the variance", figure.Quantity(h.TSquared), h.D1, h.D2,
		figure.Quantity(h.F), prose.Count(h.Components, "component"), figure.Level(share))
	d.Line("d_eff", dimension)
}

// anyChanged reports whether a column is significant by itself.
func anyChanged(b *behaviour.Comparison) bool {
	for _, c := range b.Columns {
		if c.Changed {
			return true
		}
	}
	return false
}

// behaviourColumns is a row for each column and each tool that one side alone called.
// The text is told of those that changed, with how many there have been.
func behaviourColumns(d *document.Document, b *behaviour.Comparison, tell func(text string, changed int)) {
	t := &document.Table{
		Title: "Behaviour", In: document.Pages, Rank: rankCoverage, Fold: !b.Changed,
		Note: fmt.Sprintf("%s: p = %s, alpha %s, %d and %s of %s.",
			b.Test, figure.PValue(b.P), figure.Brief(b.Alpha), b.Baseline, prose.Count(b.Candidate, "trial"),
			prose.Count(b.Scenarios, "scenario")),
		Columns: document.Columns("column", "changed", ">baseline", ">candidate", ">p (Westfall-Young)"),
	}
	changed := 0
	for _, c := range b.Columns {
		word := "no"
		if c.Changed {
			word = "yes"
			changed++
			tell(fmt.Sprintf("%s (%s)", safe.Text(c.Text), figure.Equals("Westfall-Young p", figure.PValue(c.AdjustedP))),
				changed)
		}
		t.Add(document.Name(c.Name), word,
			figure.Optional(c.Baseline, figure.Quantity), figure.Optional(c.Candidate, figure.Quantity),
			figure.PValue(c.AdjustedP))
	}
	// A tool that one side alone called has no means to set side by side.
	only := func(what string, tools []string) {
		for _, tool := range tools {
			t.Add(document.Name(tool), what, none, none, none)
		}
	}
	only("called by the candidate alone", b.NewTools)
	only("called by the baseline alone", b.Uncalled)
	d.Table(t)
}

// fewNames lists the first of many names of tools.
func fewNames(d *document.Document, tools []string) string {
	const most = 6
	var names []string
	for i, tool := range tools {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(tools)-most))
			break
		}
		names = append(names, shorten(d, tool, 24))
	}
	return strings.Join(names, ", ")
}

// behaviourCase is the case of the behaviour; its details are what changed, and new
// tools.
func behaviourCase(b *behaviour.Comparison, status document.Status) document.Case {
	c := document.Case{
		Scenario: "all", Name: "behaviour", Status: status, Message: "the behaviour " + behaviourWord(b),
		Facts: []document.Fact{number("p", b.P), number("alpha", b.Alpha)},
	}
	if e := b.Excluded; e != nil && e.Excluded != nil {
		c.Facts = append(c.Facts, number("shift", e.Shift), number("excluded_shift", *e.Excluded))
	}
	for _, column := range b.Columns {
		if column.Changed {
			c.Details = append(c.Details, column.Text)
		}
	}
	if len(b.NewTools) > 0 {
		c.Details = append(c.Details, "new tools: "+strings.Join(b.NewTools, ", "))
	}
	return c
}
