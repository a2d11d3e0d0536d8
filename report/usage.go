package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// rankUsage stands behind what a verdict rests on.
const rankUsage = 50

// usageSide is what the trials of a side took.
type usageSide struct {
	name string // "" where there is one side alone
	took *usage.Usage
}

// cachedColumn is the place of the tokens that came from a cache, which few trials tell.
const cachedColumn = 6

// usageTable is a row for each model of each side. Where all trials used the same one, the text says what they took
// elsewhere, and the table is among the statistics.
func usageTable(d *document.Document, sides ...usageSide) {
	sides = slices.DeleteFunc(sides, func(s usageSide) bool { return s.took == nil })
	models, several := modelsOf(sides)
	if len(models) == 0 {
		return
	}
	in := document.Everywhere
	if !several {
		in = d.Statistics()
	}
	t := &document.Table{
		Title: "By model", Rank: rankUsage, Fold: true, In: in,
		Columns: []document.Column{
			{Title: "side", In: document.Nowhere},
			{Title: "model", Text: table.Column{Header: "by model", Least: 16}},
			{Title: "trials", Right: true},
			{Title: "cost", Right: true},
			{Title: "input", Right: true, Text: table.Column{Header: "tokens in"}},
			{Title: "output", Right: true, Text: table.Column{Header: "out"}},
			{Title: "cached", Right: true, In: document.Nowhere, Text: table.Column{Drop: 1}},
			{Title: "turns", Right: true},
			{Title: "tool calls", Right: true, Text: table.Column{Header: "calls"}},
		},
	}
	if sides[0].name != "" {
		t.Columns[0].In = document.Everywhere
	}
	for _, s := range sides {
		if s.took.CachedTokens != nil {
			t.Columns[cachedColumn].In = document.Everywhere
		}
		for _, m := range s.took.Models {
			t.Add(usageCells(s.name, m, s.took.Trials)...)
		}
	}
	t.Note = usageNote(sides)
	d.Table(t)
	for _, s := range sides {
		if text := usagePartly(s); text != "" {
			if several {
				d.Line("known", text)
			} else {
				d.Stat("known", text)
			}
		}
	}
}

// runUsage is what the trials of a run took by model, beside those of a baseline where it runs too.
func runUsage(d *document.Document, r *runs.Result) {
	if r.BaselineUsage == nil {
		usageTable(d, usageSide{took: r.Usage})
		return
	}
	usageOfBoth(d, r.BaselineUsage, r.Usage)
}

// usageOfBoth is what the trials of both sides took by model.
func usageOfBoth(d *document.Document, baseline, candidate *usage.Usage) {
	usageTable(d, usageSide{"baseline", baseline}, usageSide{"candidate", candidate})
}

// modelsOf are the names of the models of all sides, and whether there are several kinds of rows: trials of one model
// beside what nothing tells the model of are of two.
func modelsOf(sides []usageSide) (models []string, several bool) {
	rows := map[string]bool{}
	for _, s := range sides {
		for _, m := range s.took.Models {
			rows[m.Model] = true
			if m.Model != "" && !slices.Contains(models, m.Model) {
				models = append(models, m.Model)
			}
		}
	}
	return models, len(rows) > 1
}

// usageCells are those of a model. An estimate is marked.
func usageCells(side string, m usage.Model, trials int) []any {
	name := document.Plain(notTold)
	if m.Model != "" {
		name = document.Name(safe.Name(m.Model))
		name.Facts = nil
	}
	cost := none
	if m.CostUSD != nil {
		cost = figure.Money(*m.CostUSD)
		if m.EstimatedTrials > 0 {
			cost = "~" + cost
		}
	}
	return []any{
		side, name, fmt.Sprintf("%d/%d", m.Trials, trials), cost,
		whole(m.InputTokens), whole(m.OutputTokens), whole(m.CachedTokens), whole(m.Turns), whole(m.ToolCalls),
	}
}

// whole writes a whole number, and "-" where it is not told.
func whole(n *int64) string {
	if n == nil {
		return none
	}
	return figure.Quantity(float64(*n))
}

// usageNote says how to read the rows.
func usageNote(sides []usageSide) string {
	text := "A trial is counted for each model that it used. A call of a tool is of the model whose turn called it, and " +
		"what nothing tells the model of has a row of its own."
	for _, s := range sides {
		for _, m := range s.took.Models {
			if m.EstimatedTrials > 0 && m.CostUSD != nil {
				return text + " ~ marks costs with estimates by tokens and list prices."
			}
		}
	}
	return text
}

// usagePartly says which amounts some of the trials do not tell; "" is none.
func usagePartly(s usageSide) string {
	var parts []string
	for _, k := range []struct {
		name  string
		known int
	}{
		{"cost", s.took.Known.CostUSD}, {"input", s.took.Known.InputTokens}, {"output", s.took.Known.OutputTokens},
		{"turns", s.took.Known.Turns}, {"calls", s.took.Known.ToolCalls},
	} {
		if k.known > 0 && k.known < s.took.Trials {
			parts = append(parts, fmt.Sprintf("%s %d", k.name, k.known))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ") + " of " + prose.Count(s.took.Trials, "trial")
	if s.name != "" {
		text = s.name + ": " + text
	}
	return text
}
