package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/mean"
)

// buildMean is the mean of scores, and a row for each scenario.
func buildMean(d *document.Document, r *mean.Result) {
	d.Begin(r.Header(), "verdict")
	d.Headline = safe.Text(reasonsText(r.Reasons))
	d.Break()
	d.Fact("threshold", figure.Brief(r.Threshold))
	d.Fact("errors count as", errorsCountAs(r.Errors))
	d.Linef("errors", "over all analyses together, false Fail and false Pass at most %s each, whatever the "+
		"distribution of "+
		"scores", figure.Level(r.Alpha))
	d.Break()
	t := &document.Table{Title: "Scenarios", Columns: document.Columns("scenario", ">scores", ">no score", ">mean")}
	for _, s := range r.Scenarios {
		n, text := 0, "-"
		for _, v := range s.Values {
			n += v.Times
		}
		if s.Mean != nil {
			text = mean.Text(*s.Mean)
		}
		t.Add(document.Name(safe.Name(s.Name)), n, s.Unscored, text)
	}
	d.Table(t)
	d.Break()
	d.Warn(r.Warnings)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(r.Verdict.String()), reasonsText(r.Reasons)))
	d.Cases = []document.Case{{Scenario: "all scenarios", Name: "mean score", Status: statusOf(r.Verdict, r.Reasons),
		Message: reasonsText(r.Reasons)}}
	d.Outputs = []document.Fact{count("trials", r.Trials), number("threshold", r.Threshold)}
}
