package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// suiteNote is below the heading of the table of scenarios that are tested as one question.
const suiteNote = "Few trials show that a scenario has not collapsed: it may still pass too seldom."

// standingWords are the verdicts on scenarios that are tested as one question.
var standingWords = map[verdict.Verdict]string{verdict.Fail: "collapsed", verdict.Inconclusive: "undecided",
	verdict.Pass: "not collapsed"}

// standingSaid is the verdict on scenarios of such a run: those that fail have collapsed, or are worse than their
// baseline alone.
func standingSaid(r *runs.Result, v verdict.Verdict, tests ...runs.Test) string {
	own, collapsed, worse := false, false, false
	for _, s := range r.SuiteTests {
		failed := slices.ContainsFunc(tests, func(t runs.Test) bool { return slices.Contains(s.Collapsed, t.Name) })
		if s.Baseline == nil {
			own, collapsed = true, collapsed || failed
		} else {
			worse = worse || failed
		}
	}
	switch {
	case v != verdict.Fail || own && !worse:
		return standingWords[v]
	case !collapsed:
		return "worse"
	case len(tests) > 1:
		return "collapsed or worse"
	}
	return standingWords[v]
}

// shareColumns are those of such scenarios, of which only the mean is estimated.
func shareColumns(t *document.Table) {
	t.Drawn = false
	for i := range t.Columns {
		switch c := &t.Columns[i]; c.Title {
		case "estimate":
			c.Title = "pass rate"
		case "threshold", "interval", "fixed n", "drawing":
			c.In = document.Nowhere
		}
	}
}

// estimateOf is nil of such a scenario: the estimate of the first trials, which decided, is not the rate of all.
func estimateOf(t *runs.Test) *design.Estimate {
	if t.Standing != "" {
		return nil
	}
	return t.Estimate
}

// seenOf are the counts of such a scenario, beside those of its baseline.
func seenOf(t *runs.Test) string {
	text := sideOf(t).Text()
	if t.Baseline != nil {
		text = phrase.Beside(text, t.Baseline.Text())
	}
	return text
}

// runSuite is what was asked of all scenarios together: the mean, what is proved, and the baseline.
func runSuite(d *document.Document, r *runs.Result) {
	for i := range r.SuiteTests {
		t := &r.SuiteTests[i]
		name := func(text string) string {
			if t.Variant != "" {
				return text + " of " + safe.Name(t.Variant)
			}
			return text
		}
		mean := t.Counted.Text()
		if t.Baseline != nil {
			mean += ", the baseline " + t.Baseline.Text()
		}
		rounds := prose.Count(t.Rounds, "whole round")
		if trialsOf(r, t.Variant) > t.Counted.Trials {
			rounds = "the first " + rounds
		}
		if !hasReason(t.Reasons, verdict.CodeErrorsMatter) { // else the rounds are those of one way to count the errors
			d.Linef(name("mean"), "%s, in %s of all scenarios", mean, rounds)
		}
		if s := t.Source; s != nil && s.File != "" {
			source := safe.Name(s.File)
			if s.Finished != "" {
				source += ", finished " + safe.Text(s.Finished)
			}
			d.Line(name("baseline"), source)
			for _, line := range s.Changed {
				d.Line("changed", safe.Text(line))
			}
		}
		q := t.Question
		asked := fmt.Sprintf("a mean of %s, delta %s, a scenario from %s down to %s", figure.Brief(q.Threshold),
			figure.Brief(q.Delta), figure.Brief(q.Floor.From), figure.Brief(q.Floor.To))
		if q.Sides != stratified.Threshold {
			asked = fmt.Sprintf("a drop of the mean by %s, a scenario that lost %s", phrase.Points(q.Delta),
				phrase.Points(1-q.Floor.To))
		}
		d.Statf(name("tested"), "%s, in at most %s; whatever the rate of each scenario is, a false Fail in at most %s of "+
			"runs, a false Pass in at most %s", asked, prose.Count(q.MaxRounds, "round"), phrase.Percent(t.Promise.FalseFail),
			phrase.Percent(t.Promise.FalsePass))
	}
}

// meanFindings are the means that failed although no scenario did.
func meanFindings(d *document.Document, r *runs.Result) {
	for i := range r.SuiteTests {
		t := &r.SuiteTests[i]
		if t.Mean != sprt.Fail.String() || len(t.Collapsed) > 0 {
			continue
		}
		f := document.Finding{Name: meanName(t), Verdict: verdict.Fail, Sentence: reasonsText(t.Reasons)}
		if strings.HasSuffix(d.Headline, f.Sentence) {
			f.Sentence = "failed"
		}
		d.Findings = append(d.Findings, f)
	}
}

// meanName tells the means of a run apart.
func meanName(t *runs.SuiteTest) string {
	name := "mean"
	if t.Baseline != nil {
		name += " against the baseline"
	}
	if t.Variant != "" {
		name += " of " + safe.Name(t.Variant)
	}
	return name
}

// sideOf counts the trials of a test.
func sideOf(t *runs.Test) runs.Side {
	return runs.Side{Trials: t.Trials, Passes: t.Passes, Fails: t.Fails, Errors: t.Errors}
}

// trialsOf are those of the scenarios of a variant.
func trialsOf(r *runs.Result, variant string) (n int) {
	for _, t := range r.Tests {
		if t.Variant == variant {
			n += t.Trials
		}
	}
	return n
}

// suiteCases are what was asked of all scenarios together: a mean may be too low although no scenario has collapsed.
// A question that failed because scenarios collapsed has none: those of the scenarios say so.
func suiteCases(d *document.Document, r *runs.Result) {
	for i := range r.SuiteTests {
		t := &r.SuiteTests[i]
		reasons := t.Reasons
		switch {
		case len(reasons) == 1 && slices.ContainsFunc(d.Cases, func(c document.Case) bool {
			return c.Status == document.Failed && slices.Contains(t.Collapsed, c.Scenario)
		}):
			continue
		case r.StoppedBy == runs.StoppedByDecision && hasReason(reasons, runs.CodeNotEnded):
			reasons = reasons[:1] // what is open for this question may be decided by the other
		}
		c := document.Case{Scenario: "all scenarios", Name: "verdict", Status: statusOf(t.Verdict, reasons),
			Message: reasonsText(reasons), Facts: []document.Fact{fact("verdict", t.Verdict.String()),
				count("passes", t.Counted.Passes), count("fails", t.Counted.Fails), count("errors", t.Counted.Errors),
				count("rounds", t.Rounds)}}
		if t.Variant != "" {
			c.Scenario += " of " + t.Variant
		}
		if t.Baseline != nil {
			c.Name = "regression"
		}
		var failures []runs.Failure
		for _, test := range testsWorstFirst(r) {
			if test.Variant == t.Variant {
				failures = append(failures, test.Failures...)
			}
		}
		c.Why = whyOf(failures)
		c.Details = c.Why
		d.Cases = append(d.Cases, c)
	}
}

// besideCell is what the baseline of a scenario came to.
func besideCell(t *runs.Test) document.Cell {
	b := t.Baseline
	if b == nil {
		return document.Plain(none)
	}
	return document.Told(fmt.Sprintf("%d/%d", b.Passes, b.Trials), count("baseline_passes", b.Passes),
		count("baseline_fails", b.Fails), count("baseline_errors", b.Errors))
}
