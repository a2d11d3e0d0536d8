package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

const (
	flipLines = 2  // of names on each side
	flipName  = 28 // columns of a name
)

// pairs is the table of paired outcomes and the scenarios that flipped.
func (c *comparisonPage) pairs() {
	f := c.result.Pairs
	if f == nil {
		return
	}
	c.blank()
	c.table(table.Table{
		Columns: []table.Column{{Header: plural(f.Pairs, "pair")}, {Header: "candidate passed"}, {Header: "candidate failed"}},
		Rows: [][]string{
			{"baseline passed", fmt.Sprint(f.BothPass), fmt.Sprintf("%d broke", f.Broke)},
			{"baseline failed", fmt.Sprintf("%d mended", f.Mended), fmt.Sprint(f.BothFail)},
		},
	})
	c.labelled("broke", c.flips(f, verdict.Fail.String()))
	c.labelled("mended", c.flips(f, verdict.Pass.String()))
	var left []string
	if f.WithErrors > 0 {
		left = append(left, plural(f.WithErrors, "pair")+" with an error")
	}
	if f.UnpairedBaseline+f.UnpairedCandidate > 0 {
		left = append(left, fmt.Sprintf("%d baseline and %d candidate trials without a partner", f.UnpairedBaseline, f.UnpairedCandidate))
	}
	c.told = append(c.told, compare.WarnUnpaired)
	c.labelled("left out", strings.Join(left, ", "))
}

// flips names the pairs that ended so, as many as fit into a few lines.
func (c *comparisonPage) flips(f *compare.FlipTable, to string) string {
	numbered := c.numbered(f)
	room := flipLines*(c.options.Width-indent-labelWidth) - len("and 1,000,000 more")
	var names []string
	all := 0
	for _, flip := range f.Flips {
		if flip.To != to {
			continue
		}
		all++
		name := strings.Join(strings.Fields(c.shorten(flip.Scenario, flipName)), " ")
		if numbered && flip.Trial != nil {
			name += fmt.Sprintf("#%d", *flip.Trial)
		}
		if room -= table.Width(name) + len(", "); room >= 0 {
			names = append(names, name)
		}
	}
	text := strings.Join(names, ", ")
	if more := all - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// numbered reports whether a scenario alone does not say which trial flipped.
func (c *comparisonPage) numbered(f *compare.FlipTable) bool {
	seen := map[string]bool{}
	for _, flip := range f.Flips {
		if seen[flip.Scenario] || flip.Trial != nil && *flip.Trial > 0 {
			return true
		}
		seen[flip.Scenario] = true
	}
	return false
}
