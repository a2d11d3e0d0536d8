package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

func outlineComparison(r *compare.Result) *Outline {
	page := comparisonPage{page: newPage(TextOptions{}.withDefaults(defaultScenariosComparison)), result: r}
	o := &Outline{Schema: r.Schema, Subject: "compare", Headline: page.about(), Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons}
	o.warn(r.Warnings, "")
	o.add(sideSection(r))
	o.add(testSection(r))
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		o.add(compareSection(r, v))
	}
	o.add(flipSection(r))
	o.add(metricSection(r))
	if r.Behaviour != nil {
		o.addBehaviour(r.Behaviour)
	}
	o.fact("rule", r.Rule.String())
	o.fact("delta", brief(r.Delta))
	o.fact("alpha", brief(r.Alpha))
	o.fact("beta", brief(r.Beta))
	o.fact("decided by", r.DecidedBy.String())
	if p := r.Power; p != nil {
		o.fact("power at delta", chance(p.AtDelta))
	}
	if m := r.MoreTrials; m != nil {
		o.fact("would decide", fmt.Sprintf("%d and %s, with a chance of %s", m.Baseline, plural(m.Candidate, "trial"), chance(m.Chance)))
	}
	o.Cases = compareCases(r, o.Facts)
	return o
}

func sideSection(r *compare.Result) Section {
	s := Section{Title: "Pass rates", Columns: columns("side", "name", ">passes", ">errors", ">rate", "interval")}
	for _, side := range []struct {
		label string
		compare.Side
	}{{"baseline", r.Baseline}, {"candidate", r.Candidate}} {
		interval := none
		if i := side.Interval; i != nil {
			interval = rateLimits(i) + " " + level(i.Level) + " " + i.Method
		}
		s.Rows = append(s.Rows, []Cell{
			textCell(side.label), foreignCell(nameOf(side.Name)), textCell(fmt.Sprintf("%d/%d", side.Passes, side.Trials)), numberCell(side.Errors), textCell(rateOf(side.Rate)), textCell(interval),
		})
	}
	if d := r.Difference; d.Value != nil {
		s.Rows = append(s.Rows, []Cell{
			textCell("difference"), textCell(""), textCell(""), textCell(""), textCell(signed(*d.Value)), textCell(limits(signed(d.Low), signed(d.High)) + " " + level(d.Level) + " " + d.Method),
		})
	}
	return s
}

func testSection(r *compare.Result) Section {
	s := Section{Title: "Tests", Note: "p-values are one-sided against “the candidate is worse”; that of non-inferiority against “worse by delta”.", Columns: columns("test", ">p")}
	add := func(name string, p *float64) {
		if p != nil {
			s.Rows = append(s.Rows, []Cell{textCell(name), textCell(pValue(*p))})
		}
	}
	t := r.Tests
	single := func(p *compare.PValue) *float64 {
		if p == nil {
			return nil
		}
		return &p.P
	}
	add("boschloo", single(t.Boschloo))
	add("fisher", single(t.Fisher))
	if t.Z != nil {
		add("z", &t.Z.P)
	}
	if t.McNemar != nil {
		add("mcnemar", &t.McNemar.P)
	}
	if t.CMH != nil {
		add("cochran-mantel-haenszel", &t.CMH.P)
	}
	add("stratified exact", single(t.Stratified))
	add("non-inferiority", single(t.NonInferiority))
	return s
}

func compareSection(r *compare.Result, v verdict.Verdict) Section {
	s := Section{Title: "Scenarios: " + v.String(), Columns: columns("scenario", "verdict", ">baseline", ">candidate", ">p", ">p (Holm)"), Fold: v != verdict.Fail}
	for _, x := range r.Scenarios {
		if x.Verdict == v {
			s.Rows = append(s.Rows, []Cell{
				foreignCell(nameOf(x.Name)), verdictCell(x.Verdict), textCell(passedOf(x.Baseline)), textCell(passedOf(x.Candidate)), textCell(pValue(x.P)), textCell(pValue(x.PHolm)),
			})
		}
	}
	return s
}

func passedOf(p compare.Passed) string {
	text := fmt.Sprintf("%d/%d", p.Passes, p.Trials)
	if p.Errors > 0 {
		text += fmt.Sprintf(" (%s)", plural(p.Errors, "error"))
	}
	return text
}

// flipSection is the trials that flipped: those that broke first.
func flipSection(r *compare.Result) Section {
	s := Section{Title: "Flipped trials", Columns: columns("scenario", ">trial", "baseline", "candidate")}
	if r.Pairs == nil {
		return s
	}
	s.Note = fmt.Sprintf("%s: %d broke, %d mended.", plural(r.Pairs.Pairs, "pair"), r.Pairs.Broke, r.Pairs.Mended)
	outputs := false
	for _, f := range r.Pairs.Flips {
		outputs = outputs || f.BaselineOutput != "" || f.CandidateOutput != ""
	}
	if outputs {
		s.Columns = append(s.Columns, columns("baseline's output", "candidate's output")...)
	}
	for _, to := range []string{"fail", "pass"} {
		for _, f := range r.Pairs.Flips {
			if f.To != to {
				continue
			}
			number, before := none, "pass"
			if f.Trial != nil {
				number = fmt.Sprint(*f.Trial)
			}
			if to == "pass" {
				before = "fail"
			}
			row := []Cell{foreignCell(nameOf(f.Scenario)), textCell(number), textCell(before), textCell(to)}
			if outputs {
				row = append(row, foreignCell(f.BaselineOutput), foreignCell(f.CandidateOutput))
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

func metricSection(r *compare.Result) Section {
	s := Section{Title: "Metrics", Columns: columns("metric", "changed", ">baseline", ">candidate", ">change", ">adjusted p"), Fold: true}
	for _, m := range r.Metrics {
		changed := "no"
		if m.Changed {
			changed, s.Fold = "yes", false
		}
		s.Rows = append(s.Rows, []Cell{
			textCell(m.Name.String()), textCell(changed), textCell(metricAmount(m.Name, m.Baseline.Mean)), textCell(metricAmount(m.Name, m.Candidate.Mean)),
			textCell(percentChange(m.Difference.Ratio)), textCell(pValue(m.PAdjusted)),
		})
	}
	return s
}

func compareCases(r *compare.Result, facts []Fact) []Case {
	all := Case{Scenario: "all", Name: "regression", Status: statusOf(r.Verdict, r.Reasons), Message: reasonsText(r.Reasons)}
	all.Details = []string{
		fmt.Sprintf("baseline %s, candidate %s", ofTrials(r.Baseline.Passes, r.Baseline.Trials), ofTrials(r.Candidate.Passes, r.Candidate.Trials)),
	}
	if r.Baseline.Trials == 0 && r.Baseline.Errors > 0 || r.Candidate.Trials == 0 && r.Candidate.Errors > 0 {
		all.Status = CaseBroken
	}
	if d := r.Difference; d.Value != nil {
		all.Details = append(all.Details, fmt.Sprintf("difference %s, %s %s interval %s", signed(*d.Value), level(d.Level), d.Method, limits(signed(d.Low), signed(d.High))))
	}
	all.Facts = append([]Fact{
		{"verdict", r.Verdict.String()}, {"baseline_passes", fmt.Sprint(r.Baseline.Passes)}, {"baseline_trials", fmt.Sprint(r.Baseline.Trials)},
		{"candidate_passes", fmt.Sprint(r.Candidate.Passes)}, {"candidate_trials", fmt.Sprint(r.Candidate.Trials)},
	}, facts...)
	cases := []Case{all}
	for _, x := range r.Scenarios {
		c := Case{
			Scenario: x.Name, Name: "regression", Status: statusOf(x.Verdict, nil),
			Message: fmt.Sprintf("baseline %s, candidate %s, p %s after Holm's correction", passedOf(x.Baseline), passedOf(x.Candidate), pValue(x.PHolm)),
			Facts:   []Fact{{"p", given(x.P)}, {"p_holm", given(x.PHolm)}, {"p_bh", given(x.PBH)}},
		}
		// A scenario fails alone where it decides, or where all of it failed.
		if x.Verdict == verdict.Fail && r.Verdict != verdict.Fail {
			c.Status = CaseOpen
		}
		cases = append(cases, c)
	}
	if b := r.Behaviour; b != nil {
		status := CasePassed
		switch {
		case b.Changed && hasReason(r.Reasons, behaviour.CodeChanged):
			status = CaseFailed
		case b.Changed || !b.Tested:
			status = CaseOpen
		}
		cases = append(cases, behaviourCase(b, status))
	}
	return cases
}
