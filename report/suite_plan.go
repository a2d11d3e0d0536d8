package report

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildSuitePlan is what a run of a suite will take: a row for each test, and the totals
// in trials and money.
func buildSuitePlan(d *document.Document, p *plan.Suite) {
	d.Begin(p.Header(), p.Suite)
	// A plan of a suite has no verdict: that it could be made at all says that the
	// suite is valid, so its word stands in the colour of a Pass.
	d.Word = "valid"
	d.Colour = verdict.Pass
	tests := prose.Count(len(p.Tests), "test")
	if len(p.Tests) == 1 && p.Scenarios > 1 {
		tests = "tested as one"
	}
	d.Headline = fmt.Sprintf("%s: %s, %s, %d at a time", safe.Text(p.Suite), prose.Count(p.Scenarios, "scenario"), tests,
		p.Concurrency)
	d.Break()
	plannedTests(d, p)
	d.Break()
	if plannedBaselines(d, p) {
		d.Break()
	}
	if plannedVariants(d, p) {
		d.Break()
	}
	e := p.Total.Expected
	usual := usualRates(p)
	most := fmt.Sprintf("%d at worst", p.Total.MaxTrials)
	if p.Total.BudgetTrials == p.Total.MaxTrials {
		most += " (the budget)"
	}
	d.Linef("trials", "%s; expected %s if all trials pass, %s if %s", most, figure.Trials(e.Perfect),
		figure.Trials(e.Threshold), usual)
	plannedJoints(d, p)
	plannedCalibration(d, p.Calibration)
	d.Line("cost", plannedCost(p.Total, usual))
	label := "undecided"
	for _, text := range []string{plannedUndecided(p), undecidedBaselines(p)} {
		if text != "" {
			d.Line(label, text)
			label = ""
		}
	}
	plannedGate(d, p)
	d.Line("digest", figure.ShortDigest(p.Digest))
	d.Warn(p.Warnings)
	d.Outputs = []document.Fact{count("tests", len(p.Tests)), count("max_trials", p.Total.MaxTrials)}
}

// plannedJoints says what one question about all scenarios catches, and what it takes.
func plannedJoints(d *document.Document, p *plan.Suite) {
	for _, t := range p.Tests {
		if t.Floor == nil {
			continue
		}
		var drops []string
		if t.Threshold > 0 {
			drops = append(drops, fmt.Sprintf("a mean pass rate of %s", phrase.Percent(t.Threshold-t.Delta)))
		}
		scenario := fmt.Sprintf("a scenario that passes %s or less", phrase.Percent(t.Floor.To))
		if t.Against != nil {
			drops = append(drops, fmt.Sprintf("a drop of the mean by %s", phrase.Points(t.Delta)))
		}
		if t.Threshold == 0 {
			scenario = fmt.Sprintf("a scenario that lost %s", phrase.Points(1-t.Floor.To))
		}
		beta := t.Beta
		if t.Against != nil {
			beta = max(beta, t.Against.Beta)
		}
		d.Linef("caught", "%s, or %s, does not pass in %s of runs at least; about %s trials where every scenario passes %s",
			prose.Or(drops), scenario, phrase.Percent(1-beta), figure.Trials(t.UsualTrials), phrase.Percent(t.UsualRate))
	}
}

// plannedCalibration says how many trials are recorded at least and at most.
func plannedCalibration(d *document.Document, c *plan.SuiteCalibration) {
	if c == nil {
		return
	}
	text := fmt.Sprintf("the run begins with %s of each scenario, and works out from their behaviour how many are "+
		"recorded: %d to %d in all, or more where a test needs them", prose.Count(c.Trials, "trial"), c.Least, c.Most)
	if c.MostUSD != nil {
		text += ", for at most " + figure.Money(*c.MostUSD)
	}
	d.Line("calibrate", text)
}

// plannedTests is the table of the tests: the threshold and delta, the exact errors
// of the design, the fewest trials after which it can end ("least"), the expected trials
// at three true pass rates (1, the threshold, and that less delta) and the most it can take.
//
// Each test is a case as well, which has passed: there is nothing that a plan could
// fail.
func plannedTests(d *document.Document, p *plan.Suite) {
	right := func(header string, drop int) document.Column {
		return document.Column{Title: header, Right: true, Text: table.Column{Drop: drop}}
	}
	t := &document.Table{Title: "Tests", Columns: []document.Column{
		{Title: "test", Text: table.Column{Least: planNames(p)}}, {Title: "design", Text: table.Column{Drop: 6}},
		right("threshold", 0), right("delta", 0), right("false Fail", 1), right("false Pass", 2), right("least", 5),
		right("all pass", 0), right("at threshold", 3), right("below by delta", 4), right("most", 0),
	}}
	for _, test := range p.Tests {
		if test.Threshold == 0 { // a baseline alone decides
			continue
		}
		e := test.ExpectedAt
		name := document.Name(safe.Name(test.Name))
		if test.Floor != nil && test.Variant == "" {
			name = name.InBrief("all") // one question about all scenarios
		}
		row := t.Add(
			name, test.Kind,
			document.Told(figure.BriefRate(test.Threshold), number("threshold", test.Threshold)),
			document.Told(phrase.Points(test.Delta), number("delta", test.Delta)),
			figure.ExactChance(test.Alpha), figure.ExactChance(test.Beta), min(test.LeastPass, test.LeastFail),
			figure.Trials(e.Perfect), figure.Trials(e.Threshold), figure.Trials(e.Lower), test.MaxTrials,
		)
		d.Cases = append(d.Cases, document.Case{
			Scenario: test.Name, Name: "design", Status: document.Passed, Table: t, Row: row,
			Message: fmt.Sprintf("%s design, at most %s: threshold %s, delta %s", test.Kind,
				prose.Count(test.MaxTrials, "trial"), figure.BriefRate(test.Threshold), phrase.Points(test.Delta)),
		})
	}
	// A suite may have thousands of tests: the text ends after the first rows, and
	// says how many more there are.
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	if len(t.Rows) > 0 {
		d.Table(t)
	}
}

// planNames is how wide the names of tests are at least, before figures go.
func planNames(p *plan.Suite) int {
	const least, most = 10, 24 // as in the table of a run
	longest := least
	for _, t := range p.Tests {
		longest = max(longest, table.Width(safe.Name(t.Name)))
	}
	return min(longest, most)
}

// plannedBaselines is the table of the tests against a baseline: what it came to, or that it runs side by
// side, and the expected trials where nothing ever fails, where nothing changed and after a drop by delta. It
// reports whether there is one.
func plannedBaselines(d *document.Document, p *plan.Suite) bool {
	right := func(header string, drop int) document.Column {
		return document.Column{Title: header, Right: true, Text: table.Column{Drop: drop}}
	}
	t := &document.Table{Title: "Against a baseline", Columns: []document.Column{
		{Title: "against a baseline", Text: table.Column{Least: planNames(p)}},
		{Title: "of which passed", Text: table.Column{Header: "passed", Drop: 1}},
		right("guarded", 3), right("delta", 0), right("false Fail", 2), right("false Pass", 2),
		right("all pass", 0), right("same", 0), right("worse", 0), right("most", 0),
	}}
	for _, test := range p.Tests {
		a := test.Against
		if a == nil {
			continue
		}
		from := a.Kind
		if a.Kind == plan.StoredKind {
			from = fmt.Sprintf("%d of %d", a.Passes, a.Trials)
		}
		row := t.Add(
			document.Name(safe.Name(test.Name)), from, phrase.Rate(a.Guarded.Low)+" to "+phrase.Rate(a.Guarded.High),
			document.Told(phrase.Points(test.Delta), number("delta", test.Delta)),
			figure.ExactChance(a.Alpha+a.Gamma), figure.ExactChance(a.Beta+a.Gamma),
			figure.Trials(a.Expected.Perfect), figure.Trials(a.Expected.Unchanged), figure.Trials(a.Expected.Dropped),
			a.MaxTrials,
		)
		d.Cases = append(d.Cases, document.Case{
			Scenario: test.Name, Name: "baseline", Status: document.Passed, Table: t, Row: row,
			Message: fmt.Sprintf("against a baseline, %s, at most %s: delta %s", a.Kind,
				prose.Count(a.MaxTrials, "trial"), phrase.Points(test.Delta)),
		})
	}
	if len(t.Rows) == 0 {
		return false
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
	return true
}

// plannedVariants is the table of what each variant takes; it reports whether there are any.
func plannedVariants(d *document.Document, p *plan.Suite) bool {
	if len(p.Variants) == 0 {
		return false
	}
	right := func(header string) document.Column { return document.Column{Title: header, Right: true} }
	t := &document.Table{Title: "Variants", Columns: []document.Column{
		{Title: "variant", Text: table.Column{Least: 10}}, right("tests"), right("all pass"), right("at threshold"),
		right("most"),
	}}
	if usual := usualRates(p); usual == unchanged {
		t.Columns[3].Title = "same"
	}
	for _, v := range p.Variants {
		t.Add(document.Name(v.Name), v.Tests, figure.Trials(v.Expected.Perfect), figure.Trials(v.Expected.Threshold),
			v.MaxTrials)
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
	return true
}

// What is said of the rates at which trials are expected, besides those that all pass.
const (
	atThresholds = "every rate is at its threshold"
	unchanged    = "nothing changed"
	either       = atThresholds + ", or nothing changed where there is none"
)

// usualRates are the rates at which trials are expected: of tests against thresholds, against baselines
// alone, or of both.
func usualRates(p *plan.Suite) string {
	thresholds := 0
	for _, t := range p.Tests {
		if t.Threshold != 0 {
			thresholds++
		}
	}
	switch thresholds {
	case len(p.Tests):
		return atThresholds
	case 0:
		return unchanged
	}
	return either
}

// plannedUndecided is how often tests end without a verdict: the largest of all, at the worst rate, and
// that test at its threshold. It is empty where a baseline alone is tested against.
func plannedUndecided(p *plan.Suite) string {
	var worst *plan.UndecidedChance
	name, alike := "", true
	for _, t := range p.Tests {
		u := t.Undecided
		switch {
		case u == nil:
			continue
		case worst == nil:
			worst, name = u, t.Name
		case u.Largest != worst.Largest:
			alike = false
			if u.Largest > worst.Largest {
				worst, name = u, t.Name
			}
		}
	}
	switch {
	case worst == nil:
		return ""
	case worst.Largest < 5e-7 && p.Total.BudgetEnds():
		return "only where the budget ends the run: each test passes or fails within its trials"
	case worst.Largest < 5e-7:
		return "never: each test passes or fails within its trials"
	}
	text := fmt.Sprintf("%s of runs at the threshold, at most %s (at a rate of %s)", figure.Chance(worst.Threshold),
		figure.Chance(worst.Largest), phrase.Rate(math.Round(worst.At*1e3)/1e3))
	if !alike {
		text += ", in " + safe.Text(name)
	}
	if p.Total.BudgetEnds() {
		text += "; more often where the budget ends the run"
	}
	return text
}

// undecidedBaselines is how often tests against a baseline end without a verdict, the most of all; empty
// where they never do.
func undecidedBaselines(p *plan.Suite) string {
	same, dropped := 0.0, 0.0
	for _, t := range p.Tests {
		if t.Against != nil {
			same = math.Max(same, t.Against.Undecided.Unchanged)
			dropped = math.Max(dropped, t.Against.Undecided.Dropped)
		}
	}
	if math.Max(same, dropped) < 5e-7 {
		return ""
	}
	return fmt.Sprintf("against a baseline %s of runs where nothing changed, %s after a drop by delta, at most",
		figure.Chance(same), figure.Chance(dropped))
}

// plannedGate says what a gate over the tests does: where one scenario is too low, and where all are good.
func plannedGate(d *document.Document, p *plan.Suite) {
	label := "gate"
	line := func(format string, values ...any) {
		d.Linef(label, format, values...)
		label = ""
	}
	if g := p.Gate; g != nil {
		least, far, good, edge, others := gateRates(p)
		most := ""
		if !g.Shared {
			most = "at least "
		}
		line("one of %d scenarios %s, %s: blocks %s%s, needs review %s, deploys %s", g.Tests, least, others, most,
			figure.Chance(g.TooLow.Block), figure.Chance(g.TooLow.Review), figure.Chance(g.TooLow.Deploy))
		line("one %s: blocks %s%s, needs review %s, deploys %s", far, most, figure.Chance(g.Far.Block),
			figure.Chance(g.Far.Review), figure.Chance(g.Far.Deploy))
		line("%s: deploys %s, needs review %s, blocks %s", good, figure.Chance(g.Good.Deploy), figure.Chance(g.Good.Review),
			figure.Chance(g.Good.Block))
		line("%s: deploys %s, needs review %s, blocks %s", edge, figure.Chance(g.AtEdge.Deploy),
			figure.Chance(g.AtEdge.Review), figure.Chance(g.AtEdge.Block))
		if !g.Shared {
			line("each test has all of its alpha: tribunal gate, or a suite with a gate, plans them together")
		}
	}
	least, tests := 1.0, 0
	for _, t := range p.Tests {
		if t.Against != nil && t.Shared > 0 {
			tests++
			least = math.Min(least, t.Against.Found)
		}
	}
	if tests > 0 {
		line("one of %d scenarios worse than its baseline by delta: blocks at least %s", tests, figure.Chance(least))
	}
}

// gateRates are the words for the rates that a gate is described at: numbers where all tests have the same.
func gateRates(p *plan.Suite) (lower, far, good, edge, others string) {
	var first *plan.SuiteTest
	for i := range p.Tests {
		t := &p.Tests[i]
		switch {
		case t.Power == nil:
		case first == nil:
			first = t
		case t.Threshold != first.Threshold || t.Delta != first.Delta:
			return "too low by its delta", "too low by twice its delta", "all with a tenth of the failures allowed",
				"all at their thresholds", "the others with a tenth of the failures allowed"
		}
	}
	shown := phrase.Rate(first.Power.Good)
	return "at " + figure.BriefRate(first.Threshold-first.Delta), "at " + phrase.Rate(first.Power.Far), "all at " + shown,
		"all at the threshold " + figure.BriefRate(first.Threshold), "the others at " + shown
}

// plannedCost is what a run may cost at worst, with a word if that is where the
// budget stops it, and what it is expected to cost. Nothing bounds the cost where the
// suite has neither a budget nor a price or a limit of the cost of every trial; and
// without a price of a trial nothing is expected.
func plannedCost(total plan.SuiteTotal, usual string) string {
	text := "not bounded"
	if total.WorstUSD != nil {
		text = figure.Money(*total.WorstUSD) + " at worst"
		// Both went through floating point, so they are equal up to its noise.
		if b := total.BudgetUSD; b != nil && math.Abs(*b-*total.WorstUSD) < 1e-9 {
			text += " (the budget)"
		}
	}
	if x := total.ExpectedUSD; x != nil {
		return text + fmt.Sprintf("; expected %s if all trials pass, %s if %s", figure.Money(x.Perfect),
			figure.Money(x.Threshold), usual)
	}
	return text + "; what is expected needs budget.price_per_trial"
}
