package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// Behaviour writes a verdict on behaviour alone as text.
func Behaviour(w io.Writer, r *behaviour.Result, o TextOptions) error {
	if r == nil || r.Behaviour == nil {
		return ErrNoResult
	}
	p := newPage(o.withDefaults(defaultScenarios))
	p.headline(r.Verdict, fmt.Sprintf("%s against %s: the behaviour %s", nameOf(r.Candidate), nameOf(r.Baseline), behaviourWord(r.Behaviour)))
	p.blank()
	p.behaviour(r.Behaviour)
	p.blank()
	p.paragraph(fmt.Sprintf("%s: %s.", capitalised(r.Verdict), reasonsText(r.Reasons)))
	return p.flush(w)
}

func behaviourWord(b *behaviour.Comparison) string {
	switch {
	case b.Changed:
		return "changed"
	case b.Tested:
		return "is not shown to be changed"
	}
	return "cannot be tested"
}

// mostBehaviour is how many lines the behaviour takes besides its first.
const mostBehaviour = 7

// behaviour says whether the behaviour changed, and what of it: the columns that did,
// or else the one that is nearest to it.
func (p *page) behaviour(b *behaviour.Comparison) {
	if b == nil {
		return
	}
	if b.Tested {
		p.labelled("behaviour", fmt.Sprintf("%s at level %s (%s, %s; %d and %s)", behaviourWord(b), given(b.Alpha), equals("p", pValue(b.P)), clean(b.Test), b.Baseline, plural(b.Candidate, "trial")))
	}
	left := mostBehaviour
	line := func(label, text string) {
		if text != "" && left > 0 {
			left--
			p.labelled(label, text)
		}
	}
	line("new tools", p.names(b.NewTools))
	line("not called", p.names(b.Uncalled))
	changed := 0
	for _, c := range b.Columns {
		if c.Changed {
			if changed++; left > 1 || changed == len(b.Columns) {
				line("", fmt.Sprintf("%s (%s)", clean(c.Text), equals("p", pValue(c.AdjustedP))))
			}
		}
	}
	if shown := mostBehaviour - left; b.Changed && changed == 0 && shown == 0 {
		line("", "no single column is significant by itself: it is how they go together")
	}
	for _, w := range b.Warnings {
		line("note", w.Text)
	}
}

// names lists the first of many names of tools.
func (p *page) names(tools []string) string {
	const most = 6
	var names []string
	for i, tool := range tools {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(tools)-most))
			break
		}
		names = append(names, p.shorten(tool, 24))
	}
	return strings.Join(names, ", ")
}
