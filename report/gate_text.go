package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
)

// Gate writes the decision of a gate as text: the decision with its reasons, the most
// important first, the scenarios, and what was measured besides.
func Gate(w io.Writer, g *gate.Result, o TextOptions) error {
	return writeGate(w, g, o, false)
}

// GateExplained is [Gate] with every rule, its outcome and its evidence.
func GateExplained(w io.Writer, g *gate.Result, o TextOptions) error {
	return writeGate(w, g, o, true)
}

func writeGate(w io.Writer, g *gate.Result, o TextOptions, explain bool) error {
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

func gateAbout(g *gate.Result) string {
	return clean(g.Suite) + ": " + gateCounts(g)
}

func gateCounts(g *gate.Result) string {
	counts := map[gate.RuleWord]int{}
	for _, r := range g.Rules {
		counts[r.Outcome]++
	}
	return fmt.Sprintf("%s; %d broken, %d open", plural(len(g.Rules), "rule"), counts[gate.RuleBroken], counts[gate.RuleOpen])
}

// ruleVerdict is the verdict in whose colour a rule stands.
func ruleVerdict(w gate.RuleWord) verdict.Verdict {
	switch w {
	case gate.RuleBroken:
		return verdict.Fail
	case gate.RuleOpen:
		return verdict.Inconclusive
	}
	return verdict.Pass
}

// rules lists the rules with all of their evidence: the outcome of each stands at the
// edge.
func (t *runPage) rules(rules []gate.Rule) {
	const edge = len(gate.RuleBroken) + indent
	for _, r := range rules {
		text := clean(r.Name)
		if r.Scenario != "" {
			text += ", " + nameOf(r.Scenario)
		}
		for i, line := range t.wrap(text+": "+r.Evidence, t.options.Width-indent-edge) {
			start := strings.Repeat(" ", edge)
			if i == 0 {
				word := clean(string(r.Outcome))
				start = t.paintRule(r.Outcome, word) + strings.Repeat(" ", max(edge-table.Width(word), 1))
			}
			t.lines = append(t.lines, strings.Repeat(" ", indent)+start+line)
		}
	}
}

// paintRule gives a word the colour of a rule's outcome.
func (t *runPage) paintRule(outcome gate.RuleWord, word string) string {
	if outcome == gate.RuleNoted {
		return word
	}
	return t.paint(ruleVerdict(outcome), word)
}
