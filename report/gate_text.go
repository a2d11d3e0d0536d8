package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Gate writes the decision of a gate as text: the decision with its reasons, the most
// important first, the scenarios, and what was measured besides.
func Gate(w io.Writer, g *verdict.GateResult, o TextOptions) error {
	return writeGate(w, g, o, false)
}

// GateExplained is [Gate] with every rule, its outcome and its evidence.
func GateExplained(w io.Writer, g *verdict.GateResult, o TextOptions) error {
	return writeGate(w, g, o, true)
}

func writeGate(w io.Writer, g *verdict.GateResult, o TextOptions, explain bool) error {
	if g == nil || g.Run == nil {
		return ErrNoResult
	}
	t := runPage{page: newPage(o.withDefaults(defaultScenarios)), result: g.Run}
	t.title(g.Decision.Verdict(), strings.ToUpper(g.Decision.String()), gateAbout(g))
	const most = 8
	for i, r := range g.Reasons {
		if i == most {
			t.labelled("", fmt.Sprintf("and %d more; --explain prints every rule", len(g.Reasons)-most))
			break
		}
		t.labelled("because", r.Text)
	}
	t.blank()
	if explain {
		t.rules(g.Rules)
		t.blank()
	}
	t.tests()
	t.blank()
	t.limits()
	t.failures()
	t.behaviour(g.Behaviour)
	if c := g.Coverage; c != nil && c.Overall != nil {
		t.labelled("coverage", fmt.Sprintf("%s overall; weakest: %s", rate(*c.Overall), orNone(clean(string(c.Weakest)))))
	}
	if b := g.Baseline; b != nil && b.Comparable {
		t.labelled("baseline", fmt.Sprintf("%s, finished %s", clean(b.File), orNone(clean(b.Finished))))
	}
	t.totals()
	t.warnings(g.Warnings)
	return t.flush(w)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func gateAbout(g *verdict.GateResult) string {
	return clean(g.Suite) + ": " + gateCounts(g)
}

func gateCounts(g *verdict.GateResult) string {
	counts := map[verdict.RuleWord]int{}
	for _, r := range g.Rules {
		counts[r.Outcome]++
	}
	return fmt.Sprintf("%s; %d broken, %d open", plural(len(g.Rules), "rule"), counts[verdict.RuleBroken], counts[verdict.RuleOpen])
}

// ruleVerdict is the verdict in whose colour a rule stands.
func ruleVerdict(w verdict.RuleWord) verdict.Verdict {
	switch w {
	case verdict.RuleBroken:
		return verdict.Fail
	case verdict.RuleOpen:
		return verdict.Inconclusive
	}
	return verdict.Pass
}

func (t *runPage) rules(rules []verdict.GateRule) {
	paint := func(row int, text string) string {
		if row < 0 || rules[row].Outcome == verdict.RuleNoted {
			return text
		}
		return t.paint(ruleVerdict(rules[row].Outcome), text)
	}
	tab := table.Table{Columns: []table.Column{{Header: "rule"}, {Header: "outcome", Paint: paint}, {Header: "scenario", Least: 8}, {Header: "evidence", Least: 20}}}
	for _, r := range rules {
		scenario := none
		if r.Scenario != "" {
			scenario = nameOf(r.Scenario)
		}
		tab.Rows = append(tab.Rows, []string{clean(r.Name), clean(string(r.Outcome)), scenario, clean(r.Evidence)})
	}
	t.table(tab)
}
