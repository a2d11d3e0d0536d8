package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

func outlineThreshold(r *verdict.ThresholdResult) *Outline {
	page := thresholdPage{page: newPage(TextOptions{}.withDefaults(defaultScenarios)), result: r}
	o := &Outline{Schema: r.Schema, Subject: "verdict", Headline: page.about(), Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons}
	o.warn(r.Warnings, "")
	all := r.Scenarios
	if r.Suite != nil {
		suite := *r.Suite
		suite.Name = fmt.Sprintf("all %s", plural(len(r.Scenarios), "scenario"))
		all = append([]verdict.RateVerdict{suite}, all...)
	}
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		o.add(rateSection(all, v))
	}
	for i := range all {
		o.Cases = append(o.Cases, rateCase(r, &all[i]))
	}
	o.fact("threshold", brief(r.Threshold))
	o.fact("alpha", brief(r.Alpha))
	o.fact("errors count", r.Errors.String())
	o.fact("judged by", r.By.String())
	if r.Reliability != nil {
		o.fact("cost per success", spent(r.Reliability.CostPerSuccess, money))
		for _, k := range sortedKs(r.Reliability.PassHatK) {
			if k == "1" || k == "3" || k == "10" {
				o.fact("pass^"+k, rate(r.Reliability.PassHatK[k]))
			}
		}
	}
	return o
}

func rateSection(all []verdict.RateVerdict, v verdict.Verdict) Section {
	s := Section{Title: runTitles[v], Drawn: true, Columns: columns("scenario", "verdict", ">passes", ">errors", ">rate", "interval", "reason")}
	for _, x := range all {
		if x.Verdict != v {
			continue
		}
		interval := none
		if x.Interval != nil {
			interval = rateLimits(x.Interval) + " " + level(x.Interval.Level) + " " + x.Interval.Method
		}
		s.Rows = append(s.Rows, []Cell{
			foreignCell(nameOf(x.Name)), verdictCell(x.Verdict), textCell(fmt.Sprintf("%d/%d", x.Passes, x.Trials)), numberCell(x.Errors),
			textCell(rateOf(x.Rate)), textCell(interval), textCell(reasonsText(x.Reasons)),
		})
	}
	return s
}

func rateCase(r *verdict.ThresholdResult, x *verdict.RateVerdict) Case {
	c := Case{
		Scenario: x.Name, Name: "pass rate", Status: statusOf(x.Verdict, x.Reasons), Message: reasonsText(x.Reasons),
		Details: []string{fmt.Sprintf("%s passed, %d errors; threshold %s", ofTrials(x.Passes, x.Trials), x.Errors, brief(r.Threshold))},
		Facts: []Fact{
			{"verdict", x.Verdict.String()}, {"passes", fmt.Sprint(x.Passes)}, {"trials", fmt.Sprint(x.Trials)}, {"errors", fmt.Sprint(x.Errors)}, {"threshold", given(r.Threshold)},
		},
	}
	switch {
	case x.Trials == 0 && x.Errors > 0:
		c.Status = CaseBroken
	case c.Status == CaseFailed && r.Verdict != verdict.Fail:
		c.Status = CaseOpen // it is below, and another rate decides
	}
	if x.Rate != nil {
		c.Facts = append(c.Facts, Fact{"rate", given(*x.Rate)})
	}
	if x.Interval != nil {
		c.Details = append(c.Details, fmt.Sprintf("rate %s, %s %s interval %s", rateOf(x.Rate), level(x.Interval.Level), x.Interval.Method, rateLimits(x.Interval)))
		c.Facts = append(c.Facts, Fact{"low", given(x.Interval.Low)}, Fact{"high", given(x.Interval.High)})
	}
	if x.MoreTrials != nil {
		c.Details = append(c.Details, fmt.Sprintf("%s would decide with a chance of %s", plural(x.MoreTrials.Trials, "more trial"), chance(x.MoreTrials.Chance)))
	}
	return c
}

func outlineSequential(r *sequential.Result) *Outline {
	page := sequentialPage{page: newPage(TextOptions{}.withDefaults(defaultScenarios)), result: r}
	o := &Outline{Schema: r.Schema, Subject: "sequential verdict", Headline: page.about(), Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons}
	o.warn(r.Warnings, "")
	o.fact("judged", ofTrials(r.Passes, r.Trials)+" passed")
	o.fact("recorded", fmt.Sprint(r.Recorded))
	o.fact("threshold", brief(r.Threshold))
	o.fact("delta", brief(r.Delta))
	o.fact("design", fmt.Sprintf("%s, at most %s", r.Design.Kind, plural(r.Design.MaxTrials, "trial")))
	o.fact("exact errors", fmt.Sprintf("false Fail %s, false Pass %s", exactChance(r.Design.Alpha), exactChance(r.Design.Beta)))
	o.fact("digest", shortDigest(r.Design.Digest))
	if e := r.Estimate; e != nil {
		o.fact("estimate", fmt.Sprintf("%s, %s interval %s", rate(e.MedianUnbiased), level(e.Level), limits(rate(e.Low), rate(e.High))))
	}
	o.fact("left over", page.saved())
	if r.Savings != nil {
		o.fact("fixed sample", plural(r.Savings.FixedTrials, "trial"))
	}
	c := Case{Scenario: "recording", Name: "verdict", Status: statusOf(r.Verdict, r.Reasons), Message: reasonsText(r.Reasons)}
	for _, f := range o.Facts {
		c.Details = append(c.Details, f.Name+": "+f.Value)
	}
	c.Facts = []Fact{
		{"verdict", r.Verdict.String()}, {"passes", fmt.Sprint(r.Passes)}, {"trials", fmt.Sprint(r.Trials)}, {"errors", fmt.Sprint(r.ErrorsIn)},
		{"threshold", given(r.Threshold)}, {"delta", given(r.Delta)}, {"design", r.Design.Digest},
	}
	o.Cases = []Case{c}
	return o
}

func outlineBehaviour(r *behaviour.Result) *Outline {
	b := r.Behaviour
	o := &Outline{
		Schema: r.Schema, Subject: "behaviour", Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Headline: fmt.Sprintf("%s against %s: the behaviour %s", nameOf(r.Candidate), nameOf(r.Baseline), behaviourWord(b)),
	}
	o.warn(b.Warnings, "")
	o.addBehaviour(b)
	o.Cases = []Case{behaviourCase(b, statusOf(r.Verdict, r.Reasons))}
	return o
}

func (o *Outline) addBehaviour(b *behaviour.Comparison) {
	s := Section{
		Title:   "Behaviour",
		Note:    fmt.Sprintf("%s: p = %s, alpha %s, %d and %d trials of %s.", b.Test, pValue(b.P), brief(b.Alpha), b.Baseline, b.Candidate, plural(b.Scenarios, "scenario")),
		Columns: columns("column", "changed", ">baseline", ">candidate", ">adjusted p"),
		Fold:    !b.Changed,
	}
	for _, c := range b.Columns {
		changed := "no"
		if c.Changed {
			changed = "yes"
		}
		s.Rows = append(s.Rows, []Cell{foreignCell(c.Name), textCell(changed), textCell(spent(c.Baseline, quantity)), textCell(spent(c.Candidate, quantity)), textCell(pValue(c.AdjustedP))})
	}
	for _, list := range []struct {
		what  string
		tools []string
	}{{"called by the candidate alone", b.NewTools}, {"called by the baseline alone", b.Uncalled}} {
		for _, tool := range list.tools {
			s.Rows = append(s.Rows, []Cell{foreignCell(tool), textCell(list.what), textCell(none), textCell(none), textCell(none)})
		}
	}
	o.add(s)
}

func behaviourCase(b *behaviour.Comparison, status Status) Case {
	c := Case{Scenario: "all", Name: "behaviour", Status: status, Message: "the behaviour " + behaviourWord(b), Facts: []Fact{{"p", given(b.P)}, {"alpha", given(b.Alpha)}}}
	for _, column := range b.Columns {
		if column.Changed {
			c.Details = append(c.Details, column.Text)
		}
	}
	if len(b.NewTools) > 0 {
		c.Details = append(c.Details, "new tools: "+strings.Join(b.NewTools, ", "))
	}
	return c
}
