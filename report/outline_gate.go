package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/verdict/gate"
)

// outlineGate is the outline of the run under the decision, with the rules on top.
func outlineGate(g *gate.Result) *Outline {
	o := outlineRun(g.Run)
	o.Schema, o.Subject, o.Verdict, o.ExitCode, o.Reasons = g.Schema, g.Suite, g.Decision.Verdict(), g.ExitCode, g.Reasons
	o.Headline = fmt.Sprintf("%s: %s", g.Decision, gateAbout(g))
	rules := Section{Title: "Rules", Columns: columns("rule", "scenario", "outcome", "evidence")}
	for _, r := range g.Rules {
		rules.Rows = append(rules.Rows, []Cell{foreignCell(r.Name), foreignCell(r.Scenario), textCell(string(r.Outcome)), foreignCell(r.Evidence)})
		if r.Outcome == gate.RuleNoted || r.Name == "suite-verdict" { // the run's own case says it
			continue
		}
		status := map[gate.RuleWord]Status{gate.RuleHolds: CasePassed, gate.RuleBroken: CaseFailed}[r.Outcome]
		o.Cases = append(o.Cases, Case{Scenario: r.Scenario, Name: "gate " + r.Name, Status: status, Message: r.Evidence})
	}
	o.Sections = append([]Section{rules}, o.Sections...)
	o.add(coverageSection(g.Coverage))
	o.add(uncoveredSection(g.Coverage))
	o.Facts = append(o.Facts, Fact{"decision", g.Decision.String()})
	return o
}

// coverageSection is a row for each dimension.
func coverageSection(c *coverage.Result) Section {
	s := Section{Title: "Coverage", Columns: columns("dimension", ">value", ">covered", ">weight", "note")}
	if c == nil {
		return s
	}
	for _, d := range c.Dimensions {
		value := "not measured"
		if d.Value != nil {
			value = rate(*d.Value)
		}
		s.Rows = append(s.Rows, []Cell{textCell(string(d.Dimension)), textCell(value), numberCell(d.Covered), textCell(given(d.Weight)), foreignCell(d.Reason)})
	}
	return s
}

// uncoveredSection names what no trial touched.
func uncoveredSection(c *coverage.Result) Section {
	s := Section{Title: "Not covered", Columns: columns("kind", "name")}
	if c == nil {
		return s
	}
	add := func(kind string, names ...string) {
		for _, name := range names {
			if len(s.Rows) < mostUncoveredRows {
				s.Rows = append(s.Rows, []Cell{textCell(kind), foreignCell(name)})
			}
		}
	}
	if c.Tools != nil {
		add("tool", c.Tools.Uncalled...)
	}
	if c.Models != nil {
		add("model", c.Models.NotRun...)
	}
	if c.Boundaries != nil {
		for _, b := range c.Boundaries.Untouched {
			add("boundary", b.String())
		}
	}
	if c.Capabilities != nil {
		for _, x := range c.Capabilities.Uncovered {
			add("capability", x.Name)
		}
	}
	return s
}

// mostUncoveredRows is how many rows the list of what is not covered has at most.
const mostUncoveredRows = 200
