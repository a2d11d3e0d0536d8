package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// mostContractViolations is how many violations of a clause are listed.
const mostContractViolations = 3

// Contract writes how trials keep a contract: the verdict, a row for each clause, the
// first violations with their evidence, and what is promised of further trials.
func Contract(w io.Writer, r *compliance.Result, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	t := contractPage{page: newPage(o.withDefaults(defaultScenarios)), result: r}
	t.headline(r.Verdict, t.about())
	t.blank()
	t.clauses()
	t.blank()
	t.violations()
	t.satisfaction()
	t.warnings(r.Warnings)
	t.blank()
	t.paragraph(fmt.Sprintf("%s: %s.", capitalised(r.Verdict), reasonsText(r.Reasons)))
	return t.flush(w)
}

type contractPage struct {
	*page
	result *compliance.Result
}

func (t *contractPage) about() string {
	n := t.result.Trials
	return fmt.Sprintf("%s: %s, %d kept, %d violated, %d not judged", nameOf(t.result.Contract), plural(n.Trials, "trial"), n.Kept, n.Violated, n.Unjudged)
}

// clauses is a row for each clause: violated ones first, hard before soft.
func (t *contractPage) clauses() {
	var shown []*compliance.Clause
	for _, group := range []func(c *compliance.Clause) bool{
		func(c *compliance.Clause) bool { return c.Violated > 0 && c.Severity == contract.Hard },
		func(c *compliance.Clause) bool { return c.Violated > 0 && c.Severity != contract.Hard },
		func(c *compliance.Clause) bool { return c.Violated == 0 && c.Unjudged > 0 },
		func(c *compliance.Clause) bool { return c.Violated == 0 && c.Unjudged == 0 },
	} {
		for i := range t.result.Clauses {
			if c := &t.result.Clauses[i]; group(c) {
				shown = append(shown, c)
			}
		}
	}
	left := len(shown) - t.options.Scenarios
	shown = shown[:min(len(shown), t.options.Scenarios)]
	paint := func(row int, text string) string {
		if row < 0 {
			return text
		}
		return t.paint(clauseVerdict(shown[row]), text)
	}
	tab := table.Table{Columns: []table.Column{
		{Header: "clause", Least: 12}, {Header: "kind", Drop: 3}, {Header: "severity", Drop: 2}, {Header: "judged", Align: table.Right}, {Header: "violated", Align: table.Right, Paint: paint},
		{Header: "unjudged", Align: table.Right, Drop: 4}, {Header: "kept", Align: table.Right}, {Header: level(1-t.result.Alpha) + " interval", Align: table.Right, Drop: 1},
	}}
	for _, c := range shown {
		interval := none
		if c.Interval != nil {
			interval = limits(rate(c.Interval.Low), rate(c.Interval.High))
		}
		tab.Rows = append(tab.Rows, []string{
			nameOf(c.Name), string(c.Kind), string(c.Severity), fmt.Sprint(c.Kept + c.Violated), fmt.Sprint(c.Violated), fmt.Sprint(c.Unjudged), rateOf(c.Rate), interval,
		})
	}
	t.table(tab)
	if left > 0 {
		t.note(fmt.Sprintf("and %d more, which --clauses lists", left))
	}
}

func clauseVerdict(c *compliance.Clause) verdict.Verdict {
	switch {
	case c.Violated > 0 && c.Severity == contract.Hard:
		return verdict.Fail
	case c.Violated > 0 || c.Kept == 0:
		return verdict.Inconclusive
	}
	return verdict.Pass
}

// violations are the first of each clause, hard ones first.
func (t *contractPage) violations() {
	for _, severity := range []contract.Severity{contract.Hard, contract.Soft} {
		for i := range t.result.Clauses {
			if c := &t.result.Clauses[i]; c.Severity == severity {
				t.violationsOf(c)
			}
		}
	}
}

func (t *contractPage) violationsOf(c *compliance.Clause) {
	for i, v := range c.Violations {
		if i == mostContractViolations {
			t.labelled("", fmt.Sprintf("%s: and %d more", t.shorten(c.Name, 30), c.Places-i))
			break
		}
		t.labelled(string(c.Severity), fmt.Sprintf("%s: %s: %s", t.shorten(c.Name, 30), t.where(v), orUnknown(v.Evidence)))
	}
}

// where is the place of a violation.
func (t *contractPage) where(v compliance.Violation) string {
	parts := []string{t.shorten(v.Scenario, 24)}
	if v.Trial != nil {
		parts = append(parts, fmt.Sprintf("trial %d", *v.Trial))
	} else if v.Place != "" {
		parts = append(parts, v.Place)
	}
	if v.Step != nil {
		step := fmt.Sprintf("step %d", *v.Step)
		if v.Tool != "" {
			step += " (" + t.shorten(v.Tool, 24) + ")"
		}
		parts = append(parts, step)
	}
	return strings.Join(parts, ", ")
}

func (t *contractPage) satisfaction() {
	s := t.result.Satisfaction
	if s == nil {
		return
	}
	t.labelled("satisfied", fmt.Sprintf("%d of %s: %s, at least %s at %s confidence (exact)", s.Kept, plural(t.result.Trials.Kept+t.result.Trials.Violated, "judged trial"), rate(s.Rate), rate(s.Low), level(1-t.result.Alpha)))
	t.labelled("promise", fmt.Sprintf("(p %s, delta %s, k %d): %d of %s in a row", brief(s.P), brief(s.Delta), s.K, s.Needed, plural(s.K, "trial")))
	if s.Windows.Count > 0 {
		t.labelled("recorded", fmt.Sprintf("%d of %d windows of %s satisfy it; the worst share is %s", s.Windows.Satisfied, s.Windows.Count, plural(s.K, "trial"), rate(s.Windows.Worst)))
	}
	t.labelled("next "+fmt.Sprint(s.K), fmt.Sprintf("satisfy it with probability %s or more, and reach a share of %s with %s or more, at that lower limit", exactChance(s.Chance), brief(s.Reached), level(1-t.result.Alpha)))
}
