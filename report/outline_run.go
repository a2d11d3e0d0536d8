package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

func outlineRun(r *runs.Result) *Outline {
	page := runPage{page: newPage(TextOptions{}.withDefaults(defaultScenarios)), result: r}
	o := &Outline{
		Schema: r.Schema, Subject: r.Suite, Headline: page.about(), Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
	}
	o.warn(r.Warnings, "")
	for i := range r.Tests {
		t := &r.Tests[i]
		o.warn(t.Warnings, testOwner(r, t))
		o.Cases = append(o.Cases, runCases(r, t)...)
	}
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive} {
		o.add(runSection(r, v))
	}
	o.add(runFailures(r))
	o.add(runLimits(r))
	o.add(runMembers(r))
	passed := runSection(r, verdict.Pass)
	passed.Fold = len(o.Sections) > 0
	o.add(passed)
	o.add(runDistributions(r))
	o.runFacts(r, &page)
	return o
}

// testOwner names a test where there are several.
func testOwner(r *runs.Result, t *runs.Test) string {
	if len(r.Tests) > 1 {
		return t.Name
	}
	return ""
}

var runTitles = map[verdict.Verdict]string{verdict.Fail: "Fail", verdict.Inconclusive: "Inconclusive", verdict.Pass: "Pass"}

// runSection is a row for each test with a verdict.
func runSection(r *runs.Result, v verdict.Verdict) Section {
	s := Section{Title: runTitles[v], Drawn: true, Columns: columns("scenario", "verdict", ">passes", ">errors", ">threshold", ">estimate", "interval", ">fixed n", ">cost per success")}
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Verdict != v {
			continue
		}
		estimate, interval, fixed := none, none, none
		if e := t.Estimate; e != nil {
			estimate, interval = rate(e.MedianUnbiased), limits(rate(e.Low), rate(e.High))+" "+level(e.Level)
		}
		if t.Savings != nil {
			fixed = fmt.Sprint(t.Savings.FixedTrials)
		}
		s.Rows = append(s.Rows, []Cell{
			foreignCell(nameOf(t.Name)), verdictCell(t.Verdict), textCell(fmt.Sprintf("%d/%d", t.Passes, t.Trials)), numberCell(t.Errors),
			textCell(brief(t.Threshold)), textCell(estimate), textCell(interval), textCell(fixed), textCell(spent(t.CostPerSuccess, money)),
		})
	}
	if n := len(s.Rows); n > 0 {
		s.Title = fmt.Sprintf("%s: %d of %s", s.Title, n, plural(len(r.Tests), "test"))
	}
	return s
}

// runFailures are the trials that did not pass: those of tests that did not, first.
func runFailures(r *runs.Result) Section {
	s := Section{Title: "Trials that did not pass", Columns: columns("scenario", ">trial", "outcome", "reason")}
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		for i := range r.Tests {
			if r.Tests[i].Verdict != v {
				continue
			}
			for _, f := range r.Tests[i].Failures {
				s.Rows = append(s.Rows, []Cell{foreignCell(nameOf(f.Scenario)), numberCell(f.Trial), textCell(clean(f.Outcome)), foreignCell(orUnknown(f.Text))})
			}
		}
	}
	s.Note = "The first of each test, with the reason that the evaluators gave."
	return s
}

func runLimits(r *runs.Result) Section {
	s := Section{Title: "Limits", Columns: columns("scenario", "limit", ">most", ">worst", ">trials above", ">unknown")}
	for i := range r.Tests {
		for _, l := range r.Tests[i].Limits {
			s.Rows = append(s.Rows, []Cell{
				foreignCell(nameOf(r.Tests[i].Name)), foreignCell(l.Name), textCell(limitAmount(l, l.Max)), textCell(worst(l)), numberCell(l.Failures), numberCell(l.Unknown),
			})
		}
	}
	return s
}

func runMembers(r *runs.Result) Section {
	s := Section{Title: "Scenarios of pooled tests", Columns: columns("test", "scenario", ">passes", ">fails", ">errors"), Fold: true}
	for i := range r.Tests {
		for _, m := range r.Tests[i].Members {
			s.Rows = append(s.Rows, []Cell{foreignCell(nameOf(r.Tests[i].Name)), foreignCell(nameOf(m.Name)), numberCell(m.Passes), numberCell(m.Fails), numberCell(m.Errors)})
		}
	}
	return s
}

// spreadTitle is that of the table of distributions.
const spreadTitle = "Cost, tokens and time of a trial"

func runDistributions(r *runs.Result) Section {
	s := Section{Title: spreadTitle, Columns: columns("quantity", ">known", ">least", ">median", ">mean", ">95 % at most", ">most"), Fold: true}
	for _, d := range r.Distributions {
		amount := func(x float64) Cell { return textCell(metricAmount(d.Name, x)) }
		s.Rows = append(s.Rows, []Cell{
			textCell(d.Name.String()), textCell(fmt.Sprintf("%d/%d", d.Known, d.Trials)), amount(d.Min), amount(d.Median), amount(d.Mean), amount(d.Q95), amount(d.Max),
		})
	}
	return s
}

func metricAmount(m recording.MetricName, x float64) string {
	switch m {
	case recording.CostMetric:
		return money(x)
	case recording.DurationMetric:
		return duration(x)
	}
	return quantity(x)
}

func (o *Outline) runFacts(r *runs.Result, page *runPage) {
	o.fact("tests", fmt.Sprint(len(r.Tests)))
	o.fact("trials", fmt.Sprint(r.Spent.Trials))
	o.fact("attempts", fmt.Sprint(r.Spent.Attempts))
	if r.Spent.CostUSD != nil {
		o.fact("cost", money(*r.Spent.CostUSD))
	}
	if r.Spent.InputTokens != nil && r.Spent.OutputTokens != nil {
		o.fact("tokens", quantity(float64(*r.Spent.InputTokens)+float64(*r.Spent.OutputTokens)))
	}
	o.fact("time", duration(r.Spent.Duration))
	o.fact("cost per success", spent(r.Reliability.CostPerSuccess, money))
	for _, k := range sortedKs(r.Reliability.PassHatK) {
		if k == "1" || k == "3" || k == "10" {
			o.fact("pass^"+k, rate(r.Reliability.PassHatK[k]))
		}
	}
	o.fact("saved", page.saved())
	if overrun := page.overrun(); overrun > 0 {
		o.fact("overrun", plural(overrun, "trial"))
	}
	o.fact("stopped by", stoppedBy(r))
	o.fact("seed", fmt.Sprint(r.Seed))
	o.fact("suite digest", shortDigest(r.Digest))
	o.fact("version", r.Version)
}

// runCases are the criteria of a test: its verdict and each limit.
func runCases(r *runs.Result, t *runs.Test) []Case {
	verdictCase := Case{
		Scenario: t.Name, Name: "verdict", Status: statusOf(t.Verdict, t.Reasons), Message: reasonsText(t.Reasons),
		Details: runDetails(t), Facts: runCaseFacts(t),
	}
	if t.Verdict == verdict.Inconclusive && (r.StoppedBy == runs.StoppedByErrors || t.Errors > 0 && t.Passes+t.Fails == 0) {
		verdictCase.Status = CaseBroken
	}
	cases := []Case{verdictCase}
	for _, l := range t.Limits {
		cases = append(cases, limitCase(t, l))
	}
	return cases
}

// limitCase follows the verdict where trials broke the limit: those count as failures
// there, and some of them may be within what the test allows.
func limitCase(t *runs.Test, l runs.Limit) Case {
	c := Case{
		Scenario: t.Name, Name: "limit " + l.Name, Status: CasePassed,
		Message: fmt.Sprintf("%s %s actual %s %s", l.Name, limitAmount(l, l.Max), worst(l), limitWord(l)),
		Facts:   []Fact{{"max", given(l.Max)}, {"failures", fmt.Sprint(l.Failures)}, {"unknown", fmt.Sprint(l.Unknown)}},
	}
	if l.Worst != nil {
		c.Facts = append(c.Facts, Fact{"worst", given(*l.Worst)})
	}
	switch {
	case l.Failures > 0:
		c.Status = statusOf(t.Verdict, t.Reasons)
	case l.Worst == nil || t.Trials == 0:
		c.Status = CaseOpen
	}
	return c
}

func runDetails(t *runs.Test) []string {
	lines := []string{
		fmt.Sprintf("%d passed, %d failed, %d errors of %s; %d overrun", t.Passes, t.Fails, t.Errors, plural(t.Trials, "judged trial"), t.Overrun),
		fmt.Sprintf("threshold %s, delta %s, alpha %s, beta %s", brief(t.Threshold), brief(t.Delta), given(t.Alpha), given(t.Beta)),
		fmt.Sprintf("%s design, at most %s: false Fail %s, false Pass %s (exact)", t.Design.Kind, plural(t.Design.MaxTrials, "trial"), exactChance(t.Design.Alpha), exactChance(t.Design.Beta)),
	}
	if e := t.Estimate; e != nil {
		lines = append(lines, fmt.Sprintf("estimate %s (median-unbiased), %s interval %s (%s)", rate(e.MedianUnbiased), level(e.Level), limits(rate(e.Low), rate(e.High)), e.Ordering))
	}
	if t.Savings != nil {
		lines = append(lines, fmt.Sprintf("a fixed sample with the same errors takes %s", plural(t.Savings.FixedTrials, "trial")))
	}
	for _, f := range t.Failures {
		lines = append(lines, fmt.Sprintf("%s: %s, trial %d: %s", f.Outcome, nameOf(f.Scenario), f.Trial, orUnknown(f.Text)))
	}
	return lines
}

func runCaseFacts(t *runs.Test) []Fact {
	facts := []Fact{
		{"verdict", t.Verdict.String()}, {"passes", fmt.Sprint(t.Passes)}, {"fails", fmt.Sprint(t.Fails)}, {"errors", fmt.Sprint(t.Errors)}, {"trials", fmt.Sprint(t.Trials)},
		{"threshold", given(t.Threshold)}, {"delta", given(t.Delta)}, {"alpha", given(t.Alpha)}, {"beta", given(t.Beta)}, {"design", t.Design.Digest},
	}
	if t.Rate != nil {
		facts = append(facts, Fact{"rate", given(*t.Rate)})
	}
	if e := t.Estimate; e != nil {
		facts = append(facts, Fact{"estimate", given(e.MedianUnbiased)}, Fact{"low", given(e.Low)}, Fact{"high", given(e.High)})
	}
	if t.CostPerSuccess != nil {
		facts = append(facts, Fact{"cost_per_success", given(*t.CostPerSuccess)})
	}
	return facts
}
