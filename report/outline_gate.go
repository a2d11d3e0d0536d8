package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
)

// outlineGate is the outline of the run under the decision, with the rules on top.
func outlineGate(g *verdict.GateResult) *Outline {
	o := outlineRun(g.Run)
	o.Schema, o.Subject, o.Verdict, o.ExitCode, o.Reasons = g.Schema, g.Suite, decisionVerdict(g.Decision), g.ExitCode, g.Reasons
	o.Headline = fmt.Sprintf("%s: %s", g.Decision, gateAbout(g))
	rules := Section{Title: "Rules", Columns: columns("rule", "scenario", "outcome", "evidence")}
	for _, r := range g.Rules {
		rules.Rows = append(rules.Rows, []Cell{foreignCell(r.Name), foreignCell(r.Scenario), textCell(string(r.Outcome)), foreignCell(r.Evidence)})
		if r.Outcome == verdict.RuleNoted || r.Name == "suite-verdict" { // the run's own case says it
			continue
		}
		status := map[verdict.RuleWord]Status{verdict.RuleHolds: CasePassed, verdict.RuleBroken: CaseFailed}[r.Outcome]
		o.Cases = append(o.Cases, Case{Scenario: r.Scenario, Name: "gate " + r.Name, Status: status, Message: r.Evidence})
	}
	o.Sections = append([]Section{rules}, o.Sections...)
	o.Facts = append(o.Facts, Fact{"decision", g.Decision.String()})
	return o
}
