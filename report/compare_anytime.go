package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// buildAnytime is a comparison that may be analysed at any time: a row for each scenario.
func buildAnytime(d *document.Document, r *compare.Anytime) {
	d.Begin(r.Header(), "compare")
	d.Metrics = metricsOfBoth(r.BaselineUsage, r.CandidateUsage)
	baseline, candidate := safe.Text(r.Baseline), safe.Text(r.Candidate)
	switch {
	case hasReason(r.Reasons, verdict.CodeScenariosFail):
		d.Headline = fmt.Sprintf("a scenario of %s is worse than that of %s", candidate, baseline)
	case r.Verdict == verdict.Pass:
		d.Headline = fmt.Sprintf("%s is not worse than %s by %s or more", candidate, baseline, phrase.Points(r.Delta))
	case r.Verdict == verdict.Fail:
		d.Headline = fmt.Sprintf("%s is worse than %s", candidate, baseline)
	default:
		d.Headline = fmt.Sprintf("%s is neither shown to be worse than %s, nor not to be", candidate, baseline)
	}
	d.Line("baseline", baseline)
	d.Line("candidate", candidate)
	d.Line("decided by", "evidence over pairs of trials, which may be analysed as often as you like: 20 to 1 is what a "+
		"fair bet on the opposite would reach in 1 of 20 comparisons at most, however often the data are analysed")
	d.Linef("errors", "over all analyses together, false Fail at most %s (nothing changed), false Pass at most %s (a "+
		"drop of "+
		"%s or more)", figure.Level(r.Alpha), figure.Level(r.Beta), phrase.Points(r.Delta))
	d.Break()
	t := &document.Table{Title: "Scenarios", Note: "A pair is the k-th trial of either side in a scenario."}
	for i, title := range []string{"scenario", "both pass", "broke", "fixed", "both fail", "errors", "difference"} {
		t.Columns = append(t.Columns, document.Column{Title: title, Right: i > 0})
	}
	for _, s := range r.Scenarios {
		errors := 0
		for _, n := range s.Unjudged {
			errors += n
		}
		row := t.Add(
			document.Name(safe.Name(s.Name)), document.Plain(fmt.Sprint(s.BothPass)), document.Plain(fmt.Sprint(s.Broke)),
			document.Plain(fmt.Sprint(s.Mended)), document.Plain(fmt.Sprint(s.BothFail)), document.Plain(fmt.Sprint(errors)),
			document.Plain(figure.Points(s.Difference)),
		)
		row.Verdict = r.Verdict
	}
	d.Table(t)
	d.Break()
	usageOfBoth(d, r.BaselineUsage, r.CandidateUsage)
	guardrailsOfBoth(d, r.BaselineGuardrails, r.CandidateGuardrails)
	d.Break()
	d.Warn(r.Warnings)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(r.Verdict.String()), reasonsText(r.Reasons)))
	d.Cases = []document.Case{{Scenario: "all scenarios", Name: "pass rate", Status: statusOf(r.Verdict, r.Reasons),
		Message: reasonsText(r.Reasons)}}
	d.Outputs = []document.Fact{count("scenarios", len(r.Scenarios))}
}
