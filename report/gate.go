package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// buildGate is the decision with its reasons, the most important first, and its rules;
// then the run under it, and what was measured besides.
func buildGate(d *document.Document, g *gate.Result) {
	d.Begin(g.Header(), g.Suite)
	d.Metrics = metricsOfGate(g)
	d.Word = g.Decision.String()
	d.Told = true
	d.Headline = safe.Text(g.Suite) + ": " + gateCounts(g)
	if g.Run != nil {
		d.Headline = ofSuite(g.Run) + ": " + gateCounts(g)
	}
	d.Break()
	gateFindings(d, g)
	d.Parts = append(d.Parts, document.FindingList{})
	if d.Detail.Explain {
		explainRules(d, g.Rules)
	}
	// The parts of the run under the gate, as in buildRun, in an order that keeps
	// what decides above what explains. Other results have a report of their own.
	if g.Run != nil {
		runTests(d, g.Run)
	}
	gateRules(d, g)
	d.Break()
	if g.Run != nil {
		passedCauses(d, g.Run)
		// The text has the reasons of these tests among the rules; pages have room for the figures.
		if t := regressionTable(d, g.Run); t != nil {
			t.In = document.Pages
			d.Table(t)
		}
		runLimits(d, g.Run)
		runGuardrails(d, g.Run)
		runFailures(d, g.Run)
		runMembers(d, g.Run)
	}
	gateOver(d, g)
	addBehaviour(d, g.Behaviour, "baseline", "candidate")
	if c := g.Coverage; c != nil && c.Overall != nil {
		d.Linef("coverage", "%s; weakest: %s", coverageHeadline(c), orNone(safe.Text(string(c.Weakest))))
	}
	if b := g.Baseline; b != nil && b.Comparable {
		source := "runs beside the candidate"
		if b.File != "" {
			source = fmt.Sprintf("%s%s, finished %s", safe.Text(b.File), revisionText(b.Revision, len(b.Runs)),
				orNone(safe.Text(b.Finished)))
		}
		d.Line("baseline", source)
		changed := slices.DeleteFunc(slices.Clone(b.Changed), func(line string) bool { return drawnSeed(g.Run, line) })
		d.Against = against(source, changed)
		gateChanges(d, changed)
	}
	if g.Run != nil {
		lookLine(d, g.Run.Looks)
		runCalibration(d, g.Run)
		runTotals(d, g.Run)
	}
	if f := g.Family; f != nil && len(f.Rules) > 0 {
		d.Stat("false block", falseBlock(f))
	}
	if g.Run != nil {
		runTiles(d, g.Run)
		if g.Decision != gate.Deploy {
			runNext(d, g.Run)
		}
	}
	d.Fact("decision", g.Decision.String())
	// The text of a gate shows the gate's own warnings alone, among which are those of the run.
	// Formats that list warnings have those of its tests as well.
	// What a rule has said is no warning besides.
	d.Warn(slices.DeleteFunc(withoutLuck(d, g.Warnings), func(w verdict.Warning) bool {
		return hasReason(g.Reasons, w.Code)
	}))
	if g.Run != nil {
		runWarnings(d, g.Run, false)
	}
	if g.Run != nil {
		locate(d, g.Run)
		runEvidence(d, g.Run)
	}
	gateCoverage(d, g.Coverage)
	// The decision comes before what scripts are told of any run.
	d.Outputs = append([]document.Fact{fact("decision", g.Decision.String())}, d.Outputs...)
}

// gateFindings are the rules that are broken, then those that a person has to look at: of a scenario together, and what
// holds in one line.
func gateFindings(d *document.Document, g *gate.Result) {
	tests, trials := map[string]*runs.Test{}, map[string][]runs.Trial{}
	if g.Run != nil {
		trials = trialsByTest(g.Run)
		for i := range g.Run.Tests {
			tests[g.Run.Tests[i].Name] = &g.Run.Tests[i]
		}
	}
	places := map[string]int{}
	about := aboutAll(g) // the headline
	var holds []string
	held := map[string]bool{}
	holding := 0
	for _, word := range []gate.RuleWord{gate.RuleBroken, gate.RuleOpen, gate.RuleHolds} {
		for i, r := range g.Rules {
			if r.Outcome != word || word != gate.RuleHolds && &g.Rules[i] == about {
				continue
			}
			if word == gate.RuleHolds {
				if holding++; !held[r.Name] {
					held[r.Name] = true
					holds = append(holds, ruleTitle(r.Name))
				}
				continue
			}
			sentence := ruleTitle(r.Name) + ": " + r.Evidence
			name := r.Scenario
			if name == "" {
				name, sentence = ruleTitle(r.Name), r.Evidence
			}
			at, known := places[name]
			if known {
				d.Findings[at].More = append(d.Findings[at].More, sentence)
				continue
			}
			places[name] = len(d.Findings)
			f := document.Finding{Name: safe.Name(name), Sentence: sentence, Verdict: *ruleVerdict(word)}
			if t := tests[name]; t != nil && r.Scenario != "" {
				finding := runFinding(t, trials[name])
				f.Causes, f.Span, f.Marks, f.Test = finding.Causes, finding.Span, finding.Marks, t.Name
			}
			d.Findings = append(d.Findings, f)
		}
	}
	for _, r := range g.Rules {
		d.Checks = append(d.Checks, document.Check{
			Name: ruleTitle(r.Name), Scenario: r.Scenario, Word: ruleSaid(r.Outcome), Verdict: ruleVerdict(r.Outcome),
			Text: r.Evidence,
		})
	}
	if about != nil && about.Outcome == gate.RuleBroken {
		meanFindings(d, g.Run)
	}
	if g.Run != nil {
		for _, t := range testsWorstFirst(g.Run) {
			_, told := places[t.Name]
			switch {
			case told:
			// As of a run: of a mean that is too low, or open, what failed is told.
			case t.Standing != "" && g.Decision != gate.Deploy && t.Fails+t.Errors > 0:
				d.Findings = append(d.Findings, runFinding(t, trials[t.Name]))
			case t.Verdict == verdict.Pass:
				d.Passed = append(d.Passed, runFinding(t, trials[t.Name]))
			default: // a part of a suite that is judged as one question, or a test that no rule is about
				d.Undecided = append(d.Undecided, runFinding(t, trials[t.Name]))
			}
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b document.Finding) int {
		return cmp.Compare(slices.Index(worstFirst, a.Verdict), slices.Index(worstFirst, b.Verdict))
	})
	if len(holds) > 0 {
		d.Fine = fmt.Sprintf("%s passed: %s", prose.Count(holding, "check"), strings.Join(holds, ", "))
	}
	// What a Deploy only notes must not read as if it held.
	for _, r := range g.Reasons {
		if r.Code == gate.CodeNoted {
			d.Fine = strings.TrimPrefix(d.Fine+"; "+r.Text, "; ")
		}
	}
}

// falseBlock says how often a gate blocks what deserves none, family by family.
func falseBlock(f *gate.Family) string {
	var parts []string
	for i, name := range f.Rules {
		if i < len(f.Alpha) {
			parts = append(parts, ruleTitle(name)+" "+figure.Chance(f.Alpha[i]))
		}
	}
	text := "at most " + figure.Chance(f.All)
	if len(parts) > 1 {
		return text + " over all checks: " + strings.Join(parts, ", ")
	}
	return text + " over all scenarios (" + ruleTitle(f.Rules[0]) + ")"
}

// mostChanges is how many changes of the agent stand in the text. The number is chosen: a
// person looks for one or two, and all are in the saved result.
const mostChanges = 12

// against says what was held against a baseline, with the first changes of the agent since.
func against(baseline string, changed []string) string {
	text := "Against the baseline: " + baseline
	if len(changed) > 0 {
		text += "; changed: " + safe.Text(prose.Some(changed, mostInHeadline))
	}
	return text
}

// drawnSeed reports whether a change is that of a seed that nobody gave: it follows from the agent, and the tests
// against the baseline leave it out.
func drawnSeed(r *runs.Result, line string) bool {
	if r == nil || !strings.HasPrefix(line, "seed: ") {
		return false
	}
	var sources []runs.BaselineSource
	for _, t := range r.Tests {
		if t.Regression != nil {
			sources = append(sources, t.Regression.Source)
		}
	}
	for _, t := range r.SuiteTests {
		if t.Source != nil {
			sources = append(sources, *t.Source)
		}
	}
	listed := func(s runs.BaselineSource) bool { return slices.Contains(s.Changed, line) }
	return len(sources) > 0 && !slices.ContainsFunc(sources, listed)
}

// gateChanges are the settings of the agent that differ from the baseline's.
func gateChanges(d *document.Document, changed []string) {
	for i, line := range changed {
		if i == mostChanges {
			d.TextLine("", more(d, len(changed)-i, "JSON"))
			break
		}
		name := "changed"
		if i > 0 {
			name = ""
		}
		d.Line(name, safe.Text(line))
	}
}

// gateOver says in a line or two what was decided over, where that is not a run.
func gateOver(d *document.Document, g *gate.Result) {
	switch {
	case g.Rates != nil && g.Rates.Labels != nil:
		d.Linef("pass rate", "%s, %s", labelsSeen(g.Rates), g.Rates.Verdict)
		d.Linef("threshold", "%s, alpha %s", figure.Brief(g.Rates.Threshold), figure.Brief(g.Rates.Alpha))
	case g.Rates != nil:
		r := g.Rates
		for i, v := range r.Scenarios {
			if i == rowsOf(d, 0) {
				d.TextLine("", more(d, len(r.Scenarios)-i, "JSON"))
				break
			}
			d.Linef("pass rate", "%s: %s, %s", safe.Name(v.Name), figure.OfTrials(v.Passes, v.Trials), v.Verdict)
		}
		d.Linef("threshold", "%s, alpha %s", figure.Brief(r.Threshold), figure.Brief(r.Alpha))
	case g.Sequence != nil:
		r := g.Sequence
		d.Linef("pass rate", "%s of %s that were recorded, %s", figure.OfTrials(r.Passes, r.Trials),
			fmt.Sprint(r.Recorded), r.Verdict)
		d.Line("design", designText(r.Design, r.Threshold, r.Delta))
	case g.Scores != nil:
		r := g.Scores
		d.Linef("scores", "%s, mean %s, %s", prose.Count(r.Trials, "trial"), figure.Optional(r.Mean, figure.Rate), r.Verdict)
		d.Linef("threshold", "%s, alpha %s", figure.Brief(r.Threshold), figure.Brief(r.Alpha))
	case g.Comparison != nil:
		r := g.Comparison
		d.Linef("baseline", "%s: %s", safe.Name(r.Baseline.Name), figure.OfTrials(r.Baseline.Passes, r.Baseline.Trials))
		d.Linef("candidate", "%s: %s", safe.Name(r.Candidate.Name), figure.OfTrials(r.Candidate.Passes, r.Candidate.Trials))
		d.Linef("decided by", "%s, delta %s, alpha %s, beta %s", safe.Text(r.DecidedBy.String()), figure.Brief(r.Delta),
			figure.Brief(r.Alpha), figure.Brief(r.Beta))
	case g.Ended != nil:
		endsOver(d, g.Ended)
	}
}

// orNone is a value that the result may lack, as a word.
func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// gateCounts is the headline behind the name of the suite: what one question about all scenarios
// came to, or how many rules there are, and which of them do not simply hold. That a drop is not
// excluded comes first: "no regression is shown" is easily read as "there is none".
func gateCounts(g *gate.Result) string {
	counts, names := map[gate.RuleWord]int{}, map[gate.RuleWord][]string{}
	scenarios := map[gate.RuleWord]map[string][]string{}
	for _, r := range g.Rules {
		counts[r.Outcome]++
		if !slices.Contains(names[r.Outcome], r.Name) {
			names[r.Outcome] = append(names[r.Outcome], r.Name)
		}
		if r.Scenario == "" {
			continue
		}
		if scenarios[r.Outcome] == nil {
			scenarios[r.Outcome] = map[string][]string{}
		}
		scenarios[r.Outcome][r.Name] = append(scenarios[r.Outcome][r.Name], r.Scenario)
	}
	var parts []string
	for _, word := range []gate.RuleWord{gate.RuleBroken, gate.RuleOpen, gate.RuleNoted} {
		n := counts[word]
		if n == 0 {
			continue
		}
		count := fmt.Sprint(n)
		if len(parts) == 0 {
			count = fmt.Sprintf("%d of %s", n, prose.Count(len(g.Rules), "check"))
		}
		var made []string
		for _, name := range names[word] {
			made = append(made, ruleOf(name, scenarios[word][name]))
		}
		said := map[gate.RuleWord]string{gate.RuleBroken: "failed", gate.RuleOpen: prose.Form(n, "needs", "need") + " review",
			gate.RuleNoted: prose.Form(n, "is", "are") + " noted"}[word]
		parts = append(parts, fmt.Sprintf("%s %s (%s)", count, said, strings.Join(made, "; ")))
	}
	text := strings.Join(parts, ", ")
	switch {
	case len(parts) > 0:
	case g.Run != nil && g.Run.Verdict == verdict.Pass &&
		(hasReason(g.Run.Reasons, runs.CodeTestsPass) || ruledOut(g) == 0):
		text = runSentence(g.Run) // a line below counts the checks
	default:
		text = prose.Count(len(g.Rules), "check") + " passed"
	}
	switch about, all := aboutAll(g), suiteRule(g); {
	case about != nil:
		text = saidOf(about)
	case all != nil && all.Outcome == gate.RuleHolds:
		text = saidOf(all) + "; " + text
	}
	if delta := ruledOut(g); delta > 0 {
		text = besideDrop(g, text, "a drop of "+phrase.Points(delta)+" from the baseline")
	}
	if undecided, delta := g.Undecided(); len(undecided) > 0 {
		text = fmt.Sprintf("a drop of %s is not ruled out; %s", phrase.Points(delta), text)
	}
	return text
}

// ruledOut is the drop from the baseline that all tests against it rule out of what is deployed; 0 is none.
func ruledOut(g *gate.Result) (delta float64) {
	against := func(r gate.Rule) bool { return r.Name == "regression" }
	if g.Decision != gate.Deploy || !slices.ContainsFunc(g.Rules, against) ||
		slices.ContainsFunc(g.Rules, func(r gate.Rule) bool { return against(r) && r.Outcome != gate.RuleHolds }) {
		return 0
	}
	switch {
	case g.Comparison != nil:
		return g.Comparison.Delta
	case g.Ended != nil:
		return g.Ended.Delta
	}
	for _, t := range g.Run.SuiteTests {
		if t.Baseline != nil {
			delta = max(delta, t.Question.Delta)
		}
	}
	for _, t := range g.Run.Tests {
		if t.Regression != nil {
			delta = max(delta, t.Regression.Delta)
		}
	}
	if delta == 0 && g.Asked != nil { // the gate compared the runs itself
		delta = g.Asked.Delta
	}
	return delta
}

// besideDrop is the headline of what is deployed and did not drop: of one question both in a sentence, where the
// question about the baseline is not the only one.
func besideDrop(g *gate.Result, text, drop string) string {
	switch about := aboutAll(g); {
	case about == nil:
		return text + "; " + drop + " is ruled out"
	case about.Name == "regression":
		return text
	}
	var seen runs.Side
	for i := range g.Run.Tests {
		seen = seen.Plus(sideOf(&g.Run.Tests[i]))
	}
	return fmt.Sprintf("%s: a mean pass rate of %s or less and %s are ruled out, and no scenario has collapsed",
		seen.Text(), phrase.Percent(g.Run.SuiteTests[0].Question.Lower()), drop)
}

// aboutAll is the rule about the suite as one question that decided alone, or that all others hold with; nil is none.
func aboutAll(g *gate.Result) (about *gate.Rule) {
	if !isOneQuestion(g) {
		return nil
	}
	rules := map[gate.RuleWord]int{}
	for _, r := range g.Rules {
		rules[r.Outcome]++
	}
	word := gate.RuleHolds
	switch {
	case rules[gate.RuleBroken] > 0:
		word = gate.RuleBroken
	case rules[gate.RuleOpen] > 0:
		word = gate.RuleOpen
	}
	if rules[gate.RuleNoted] > 0 || word != gate.RuleHolds && rules[word] > 1 {
		return nil
	}
	for i := range g.Rules {
		r := &g.Rules[i]
		if r.Outcome == word && (r.Name == "suite-verdict" || r.Name == "regression") {
			return r
		}
	}
	return nil
}

// isOneQuestion reports whether the suite is one question, and not one for each variant.
func isOneQuestion(g *gate.Result) bool {
	return g.Run != nil && len(g.Run.SuiteTests) > 0 && g.Run.SuiteTests[0].Variant == ""
}

// suiteRule is the rule that the suite as one question passes; nil where there is none.
func suiteRule(g *gate.Result) *gate.Rule {
	at := slices.IndexFunc(g.Rules, func(r gate.Rule) bool { return r.Name == "suite-verdict" })
	if at < 0 || !isOneQuestion(g) {
		return nil
	}
	return &g.Rules[at]
}

// saidOf is what a rule rests on, without the verdict before it.
func saidOf(r *gate.Rule) string {
	if _, text, found := strings.Cut(r.Evidence, ": "); found && r.Name == "suite-verdict" {
		return text
	}
	return r.Evidence
}

// mostInHeadline is how many scenarios a headline names of a rule. It is chosen: a line has room for them, and all of
// them are below it.
const mostInHeadline = 3

// ruleOf names a rule with the scenarios that it is about: "floor of refund, cancel and 2 more".
func ruleOf(rule string, scenarios []string) string {
	if len(scenarios) == 0 {
		return ruleTitle(rule)
	}
	names := make([]string, len(scenarios))
	for i, name := range scenarios {
		names[i] = safe.Name(name)
	}
	return ruleTitle(rule) + " of " + prose.Some(names, mostInHeadline)
}

// ruleSaid is the word of an outcome for a person.
func ruleSaid(w gate.RuleWord) string {
	switch w {
	case gate.RuleHolds:
		return "passed"
	case gate.RuleBroken:
		return "failed"
	case gate.RuleOpen:
		return "review"
	}
	return safe.Text(string(w))
}

// ruleTitle is the name of a rule for a person.
func ruleTitle(name string) string {
	switch name {
	case "suite-verdict":
		return "verdict"
	case "floor":
		return "minimum"
	case "looks":
		return "earlier analyses"
	}
	return safe.Text(name)
}

// ruleVerdict is the verdict in whose colour a rule stands; nil is none.
func ruleVerdict(w gate.RuleWord) *verdict.Verdict {
	// A rule that holds is green; what is only noted has no colour.
	v := verdict.Pass
	switch w {
	case gate.RuleBroken:
		v = verdict.Fail
	case gate.RuleOpen:
		v = verdict.Inconclusive
	case gate.RuleNoted:
		return nil
	}
	return &v
}

// gateRules is a row and a case for each rule.
func gateRules(d *document.Document, g *gate.Result) {
	t := &document.Table{
		Title: "Checks", In: document.Pages, Rank: document.First, Carded: true,
		Columns: document.Columns("check", "scenario", "outcome", "evidence"),
	}
	// An open rule has the zero status, Open.
	statuses := map[gate.RuleWord]document.Status{gate.RuleHolds: document.Passed, gate.RuleBroken: document.Failed}
	for _, r := range g.Rules {
		row := t.Add(document.Name(ruleTitle(r.Name)), document.Name(r.Scenario),
			document.Told(ruleSaid(r.Outcome)), document.Name(r.Evidence))
		if r.Outcome == gate.RuleNoted || isAskedOfAll(g, r) { // the run's own case says it
			continue
		}
		name := ruleTitle(r.Name)
		if slices.ContainsFunc(d.Cases, func(c document.Case) bool { return c.Scenario == r.Scenario && c.Name == name }) {
			name = "gate " + name // the run has a case of that name
		}
		d.Cases = append(d.Cases, document.Case{
			Scenario: r.Scenario, Name: name, Status: statuses[r.Outcome], Message: r.Evidence,
			Table: t, Row: row,
		})
	}
	d.Table(t)
}

// isAskedOfAll reports whether a rule is about what the run asked of all scenarios together.
func isAskedOfAll(g *gate.Result, r gate.Rule) bool {
	return r.Name == "suite-verdict" || r.Name == "regression" && g.Run != nil &&
		slices.ContainsFunc(g.Run.SuiteTests, func(t runs.SuiteTest) bool {
			return t.Variant == r.Scenario && t.Baseline != nil
		})
}

// explainRules lists the rules with all of their evidence.
func explainRules(d *document.Document, rules []gate.Rule) {
	for _, r := range rules {
		text := ruleTitle(r.Name)
		if r.Scenario != "" {
			text += ", " + safe.Name(r.Scenario)
		}
		d.Parts = append(d.Parts, document.Line{
			Name: ruleSaid(r.Outcome), Value: text + ": " + r.Evidence, In: document.Text,
			Edge: &document.Edge{Width: len("passed"), Verdict: ruleVerdict(r.Outcome)},
		})
	}
	d.Break()
}

// gateCoverage is a row for each dimension of coverage, and what no trial touched.
func gateCoverage(d *document.Document, c *coverage.Result) {
	if c == nil {
		return
	}
	t := &document.Table{
		Title: "Coverage", In: document.Pages, Rank: rankCoverage,
		Columns: document.Columns("dimension", ">value", ">at least", ">covered", ">weight"),
	}
	var missing []string
	for _, m := range c.Dimensions {
		// A dimension that was not measured is not 0: it takes no part in the overall
		// value.
		if m.Value == nil {
			missing = append(missing, fmt.Sprintf("%s (%s)", m.Dimension, m.Reason))
			continue
		}
		t.Add(m.Dimension, phrase.Rate(*m.Value), figure.Optional(m.Low, phrase.Rate), m.Covered, figure.Exact(m.Weight))
	}
	if len(missing) > 0 {
		t.Note = "Not measured: " + strings.Join(missing, ", ") + "."
	}
	d.Table(t)
	uncoveredTable(d, c)
	coverageRadar(d, c)
}

// mostUncoveredRows is how many rows the list of what is not covered has at most.
const mostUncoveredRows = 200

// uncoveredTable names what no trial touched.
// The list stops without a word at its last row: the saved result has all names.
func uncoveredTable(d *document.Document, c *coverage.Result) {
	t := &document.Table{Title: "Not covered", In: document.Pages, Rank: rankCoverage,
		Columns: document.Columns("kind", "name")}
	add := func(kind string, names ...string) {
		for _, name := range names {
			if len(t.Rows) < mostUncoveredRows {
				t.Add(kind, document.Name(name))
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
	if c.Paths != nil && c.Paths.Graph != nil {
		for _, steps := range c.Paths.Graph.Untried {
			add("path", graph.Brief(steps))
		}
		for _, w := range c.Paths.Graph.Outside {
			add("path that is not in the graph", w.String())
		}
	}
	if c.Capabilities != nil {
		for _, x := range c.Capabilities.Uncovered {
			add("capability", x.Name)
		}
	}
	d.Table(t)
}

// coverageRadar adds the drawing of the dimensions, where at least one was measured.
func coverageRadar(d *document.Document, c *coverage.Result) {
	if c.Overall == nil {
		return
	}
	d.Pictures = append(d.Pictures, document.Picture{
		ID: "coverage-map", Title: "What the trials reach",
		Text: "The five dimensions of coverage; " + phrase.Rate(*c.Overall) + " overall.",
		Draw: func(w io.Writer) error { return chart.CoverageRadar(w, c) },
	})
}
