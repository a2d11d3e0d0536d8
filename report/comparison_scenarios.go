package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// scenarios lists the scenarios that say most, if single scenarios say anything:
// with one trial a side they do not, and the pairs that flipped are named above.
func (c *comparisonPage) scenarios() {
	informative := c.result.By == verdict.ByScenario || slices.ContainsFunc(c.result.Scenarios, func(s compare.Scenario) bool {
		return s.Baseline.Trials >= 2 && s.Candidate.Trials >= 2
	})
	if !informative || len(c.result.Scenarios) == 0 {
		return
	}
	rows := c.sortedScenarios()
	listed := 0
	for listed < min(len(rows), c.options.Scenarios) && c.notable(rows[listed]) {
		listed++
	}
	if listed == 0 {
		c.note(fmt.Sprintf("no scenario of %d passed less often", len(rows)))
		return
	}
	c.scenarioTable(rows[:listed])
	if more := len(rows) - listed; more > 0 {
		c.note(fmt.Sprintf("%s and %d more", c.ellipsis(), more))
	}
}

func (c *comparisonPage) scenarioTable(rows []*compare.Scenario) {
	cells := make([][]string, len(rows))
	errors := false
	for i, s := range rows {
		errors = errors || s.Baseline.Errors+s.Candidate.Errors > 0
		cells[i] = []string{
			clean(s.Verdict.String()), nameOf(s.Name), passed(s.Baseline), passed(s.Candidate),
			fmt.Sprintf("%d, %d", s.Baseline.Errors, s.Candidate.Errors), changeOf(s), pValue(s.P), pValue(s.PHolm), pValue(s.PBH),
		}
	}
	paint := func(row int, text string) string {
		if row < 0 {
			return text
		}
		return c.paint(rows[row].Verdict, text)
	}
	columns := []table.Column{
		{Header: "verdict", Paint: paint},
		{Header: "scenario", Least: 20},
		{Header: "baseline", Align: table.Right},
		{Header: "candidate", Align: table.Right},
		{Header: "errors", Align: table.Right},
		{Header: "change", Align: table.Right, Drop: 3},
		{Header: "p", Align: table.Right, Drop: 4},
		{Header: "p holm", Align: table.Right, Drop: 1},
		{Header: "p bh", Align: table.Right, Drop: 2},
	}
	if !errors {
		columns, cells = withoutColumn(columns, cells, "errors")
	}
	c.table(table.Table{Columns: columns, Rows: cells})
}

// worse reports whether the scenario is shown to be worse.
func (c *comparisonPage) worse(s *compare.Scenario) bool {
	return c.adjusted(s) <= c.result.Alpha
}

// open reports whether the scenario's verdict stands in the way of a Pass.
func (c *comparisonPage) open(s *compare.Scenario) bool {
	return c.result.By == verdict.ByScenario && s.Verdict != verdict.Pass
}

// notable scenarios are listed as long as there is room.
func (c *comparisonPage) notable(s *compare.Scenario) bool {
	return c.worse(s) || c.open(s) || fall(s) > 0
}

// sortedScenarios puts those shown to be worse first, then those that are open,
// then those that fell most.
func (c *comparisonPage) sortedScenarios() []*compare.Scenario {
	var rows []*compare.Scenario
	for i := range c.result.Scenarios {
		rows = append(rows, &c.result.Scenarios[i])
	}
	rank := func(s *compare.Scenario) int {
		switch {
		case c.worse(s):
			return 0
		case c.open(s):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(rows, func(a, b *compare.Scenario) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(fall(b), fall(a)), cmp.Compare(a.P, b.P))
	})
	return rows
}

// adjusted is the p-value under the correction that was chosen.
func (c *comparisonPage) adjusted(s *compare.Scenario) float64 {
	switch c.result.Correction {
	case multiplicity.Holm:
		return s.PHolm
	case multiplicity.BenjaminiHochberg:
		return s.PBH
	}
	return s.P
}

func passed(p compare.Passed) string { return fmt.Sprintf("%d/%d", p.Passes, p.Trials) }

func passedRate(p compare.Passed) (float64, bool) {
	if p.Trials <= 0 {
		return 0, false
	}
	return float64(p.Passes) / float64(p.Trials), true
}

// fall is by how much the observed rate fell; 0 where a side has no trials.
func fall(s *compare.Scenario) float64 {
	b, known := passedRate(s.Baseline)
	k, knownToo := passedRate(s.Candidate)
	if !known || !knownToo {
		return 0
	}
	return b - k
}

func changeOf(s *compare.Scenario) string {
	if s.Baseline.Trials <= 0 || s.Candidate.Trials <= 0 {
		return none
	}
	return signed(-fall(s))
}
