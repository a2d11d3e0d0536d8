package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

// mostUncovered is how many lines a list of what is not covered takes.
const mostUncovered = 6

// Coverage writes coverage as text: a bar for each dimension, what is not covered by
// name, the weakest dimension and what would raise it. TextOptions.Scenarios is the
// most lines of a list; 0 means 6.
func Coverage(w io.Writer, r *coverage.Result, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	p := coveragePage{page: newPage(o.withDefaults(mostUncovered)), result: r}
	p.headline()
	p.blank()
	p.dimensions()
	p.blank()
	p.uncovered()
	p.capabilities()
	if r.Weakest != "" {
		p.labelled("weakest", clean(string(r.Weakest))+": "+r.Advice)
	}
	for _, warning := range r.Warnings {
		if warning.Code != coverage.NotMeasured { // the table says it
			p.labelled("warning", warning.Text)
		}
	}
	if r.Minimum != nil && r.Met != nil {
		p.blank()
		p.paragraph(p.closing())
	}
	return p.flush(w)
}

type coveragePage struct {
	*page
	result *coverage.Result
}

// headline colours the word by the minimum: green without one, or where it is met.
func (p *coveragePage) headline() {
	r := p.result
	color := verdict.Pass
	switch {
	case r.Overall == nil:
		color = verdict.Inconclusive
	case r.Met != nil && !*r.Met:
		color = verdict.Fail
	}
	measured := 0
	for _, m := range r.Dimensions {
		if m.Value != nil && m.Weight > 0 {
			measured++
		}
	}
	text := fmt.Sprintf("%s overall, in %d of %d dimensions, from %s", rateOf(r.Overall), measured, len(r.Dimensions), plural(r.Trials, "trial"))
	if r.Overall == nil {
		text = "not measured, from " + plural(r.Trials, "trial")
	}
	p.title(color, "COVERAGE", text)
}

func (p *coveragePage) closing() string {
	r := p.result
	switch {
	case r.Overall == nil:
		return fmt.Sprintf("Nothing was measured: the minimum %s is not met.", given(*r.Minimum))
	case *r.Met:
		return fmt.Sprintf("Overall coverage %s reaches the minimum %s.", rate(*r.Overall), given(*r.Minimum))
	}
	return fmt.Sprintf("Overall coverage %s is below the minimum %s.", rate(*r.Overall), given(*r.Minimum))
}

// dimensions is a row for each, with a bar.
func (p *coveragePage) dimensions() {
	r := p.result
	weighted := false
	for _, m := range r.Dimensions {
		weighted = weighted || m.Weight != 1
	}
	bar := func(row, width int) string {
		if row < 0 || row >= len(r.Dimensions) || r.Dimensions[row].Value == nil {
			return ""
		}
		return p.bar(*r.Dimensions[row].Value, width)
	}
	tab := table.Table{Columns: []table.Column{
		{Header: ""}, {Header: "coverage", Align: table.Right}, {Header: "", Draw: bar, Least: 8, Most: 24, Drop: 2},
		{Header: "", Least: 16}, {Header: "weight", Align: table.Right, Drop: 1},
	}}
	for _, m := range r.Dimensions {
		value := none
		if m.Value != nil {
			value = rate(*m.Value)
		}
		tab.Rows = append(tab.Rows, []string{clean(string(m.Dimension)), value, "", clean(extent(m)), given(m.Weight)})
	}
	if !weighted {
		tab.Columns = tab.Columns[:len(tab.Columns)-1]
	}
	p.table(tab)
}

// bar is filled from the left. It is full for 1 alone, and empty for 0 alone.
func (p *coveragePage) bar(x float64, width int) string {
	if width < 1 {
		return ""
	}
	filled := 0
	if x > 0 { // NaN is not
		filled = min(max(int(math.Round(x*float64(width))), 1), width)
	}
	if x < 1 {
		filled = min(filled, width-1)
	}
	full, empty := "█", "·"
	if p.options.ASCII {
		full, empty = "#", "."
	}
	return strings.Repeat(full, filled) + strings.Repeat(empty, width-filled)
}

// extent says what a value is made of.
func extent(m coverage.Measurement) string {
	if m.Value == nil || m.Of == nil {
		return "not measured: " + m.Reason
	}
	switch m.Dimension {
	case coverage.ToolDimension:
		return fmt.Sprintf("%d of %s called", m.Covered, plural(int(*m.Of), "tool"))
	case coverage.PathDimension:
		return fmt.Sprintf("%d of about %s seen", m.Covered, counts(*m.Of, "path"))
	case coverage.StateDimension:
		return fmt.Sprintf("%s, %s expected", plural(m.Covered, "state"), quantity(*m.Of))
	case coverage.BoundaryDimension:
		return fmt.Sprintf("%d of %d boundaries touched", m.Covered, int(*m.Of))
	}
	return fmt.Sprintf("%d of %s run", m.Covered, plural(int(*m.Of), "model"))
}

func counts(x float64, what string) string {
	if x == 1 {
		return "1 " + what
	}
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) + " " + what + "s"
}

// uncovered lists by name what was not tried.
func (p *coveragePage) uncovered() {
	r := p.result
	if t := r.Tools; t != nil {
		p.list("not called", t.Uncalled)
	}
	if b := r.Boundaries; b != nil {
		p.lines("not touched", byParameter(b.Untouched))
	}
	if m := r.Models; m != nil {
		p.list("not run", m.NotRun)
	}
	if x := r.Paths; x != nil && x.Distinct > 0 {
		p.labelled("paths", fmt.Sprintf("%d seen, %d of them once, %d twice; about %s unseen; the next trial takes a seen one with chance %s",
			x.Distinct, x.Once, x.Twice, strconv.FormatFloat(math.Round(x.Unseen*10)/10, 'f', -1, 64), chance(x.Completeness)))
	}
}

// list names as many as fit into its lines.
func (p *coveragePage) list(label string, names []string) {
	const more = 14 // columns of "and 12345 more"
	room := min(p.options.Scenarios, mostLines-1)*(p.options.Width-indent-labelWidth) - more
	var shown []string
	for i, name := range names {
		name = p.shorten(name, min(32, p.options.Width-indent-labelWidth-2))
		if room -= table.Width(name) + 2; room < 0 && i > 0 {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		shown = append(shown, name)
	}
	p.labelled(label, strings.Join(shown, ", "))
}

// lines is a list with a line for each.
func (p *coveragePage) lines(label string, texts []string) {
	for i, text := range texts {
		if i == p.options.Scenarios {
			p.labelled("", fmt.Sprintf("and %d more, which --json lists", len(texts)-i))
			break
		}
		p.labelled(label, table.Shorten(clean(text), 2*(p.options.Width-indent-labelWidth), p.ellipsis()))
		label = ""
	}
}

// byParameter joins the boundaries of each parameter.
func byParameter(list []coverage.Boundary) (texts []string) {
	for i, b := range list {
		limit := string(b.Kind) + " " + string(b.Value)
		if i > 0 && list[i-1].Tool == b.Tool && list[i-1].Parameter == b.Parameter {
			if list[i-1].Kind == coverage.EnumBoundary && b.Kind == coverage.EnumBoundary {
				limit = string(b.Value)
			}
			texts[len(texts)-1] += ", " + limit
			continue
		}
		texts = append(texts, nameOf(b.Tool)+" "+nameOf(b.Parameter)+": "+limit)
	}
	return texts
}

func (p *coveragePage) capabilities() {
	c := p.result.Capabilities
	if c == nil {
		return
	}
	p.labelled("capabilities", fmt.Sprintf("%d of %d are covered by a scenario that passes", len(c.Covered), c.Declared))
	var texts []string
	for _, u := range c.Uncovered {
		var tried []string
		for _, s := range u.Scenarios {
			tried = append(tried, fmt.Sprintf("%s passed %d of %d", p.shorten(s.Name, 32), s.Passes, s.Judged))
		}
		why := "no scenario has it"
		if len(tried) > 0 {
			why = p.names(tried)
		}
		texts = append(texts, nameOf(u.Name)+": "+why)
	}
	p.lines("not covered", texts)
}
