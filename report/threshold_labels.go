package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/verdict"
)

// labelsHeadline is what labels come to, beside the verdict.
func labelsHeadline(r *verdict.ThresholdResult) string {
	seen := labelsSeen(r)
	threshold := phrase.Rate(r.Threshold)
	switch r.Verdict {
	case verdict.Pass:
		return fmt.Sprintf("%s, above the %s you require", seen, threshold)
	case verdict.Fail:
		return fmt.Sprintf("%s, below the %s you require", seen, threshold)
	}
	return fmt.Sprintf("%s: too few labels to tell whether that is below the %s you require", seen, threshold)
}

// labelsSeen is such as "40 labels of 300 judged trials: about 88% truly pass".
func labelsSeen(r *verdict.ThresholdResult) string {
	l := r.Labels
	return fmt.Sprintf("%s of %s: about %s truly pass", prose.Count(l.OfPassed.Labels+l.OfFailed.Labels, "label"),
		prose.Count(l.Judged, "judged trial"), phrase.Rate(l.Rate))
}

// labelLines are the two rates that labels give, and what they are made of.
func labelLines(d *document.Document, r *verdict.ThresholdResult) {
	l := r.Labels
	if l == nil {
		return
	}
	rate := func(x verdict.LabelRate) string {
		i := &x.Interval
		return fmt.Sprintf("%s, %s interval %s to %s", x.Verdict, figure.Level(i.Level), phrase.Percent(i.Low),
			phrase.Percent(i.High))
	}
	d.Linef("guaranteed", "%s: holds for any error rates of the judge; it decides", rate(l.Certified))
	d.Linef("approximate", "%s: at the estimated error rates of the judge; in simulations up to %s of claims at 5%% "+
		"were false",
		rate(l.Calibrated), phrase.Percent(l.Calibrated.MeasuredError))
	d.Linef("labels", "of what the judge passed %d of %d pass, of what it failed %d of %d", l.OfPassed.Passes,
		l.OfPassed.Labels, l.OfFailed.Passes, l.OfFailed.Labels)
	d.Linef("judge", "passed %d of %s (%s)", l.Passed, prose.Count(l.Judged, "trial"),
		phrase.Rate(float64(l.Passed)/float64(l.Judged)))
	d.Stat("p-values", fmt.Sprintf("above: guaranteed %s, approximate %s; below: guaranteed %s, approximate %s",
		figure.Chance(l.Certified.PAbove), figure.Chance(l.Calibrated.PAbove), figure.Chance(l.Certified.PBelow),
		figure.Chance(l.Calibrated.PBelow)))
	d.Fact("sheet", l.Sheet)
}

// labelsCase is the one case of a verdict by labels: scenarios have none, as their rates are the judge's.
func labelsCase(r *verdict.ThresholdResult) document.Case {
	i := &r.Labels.Certified.Interval
	return document.Case{
		Scenario: "labels", Name: "true pass rate", Status: statusOf(r.Verdict, r.Reasons),
		Message: reasonsText(r.Reasons),
		Details: []string{fmt.Sprintf("rate %s, %s guaranteed interval %s; threshold %s", figure.Rate(r.Labels.Rate),
			figure.Level(i.Level), figure.IntervalText(i), figure.Brief(r.Threshold))},
		Facts: []document.Fact{
			fact("verdict", r.Verdict.String()), number("rate", r.Labels.Rate), number("low", i.Low), number("high",
				i.High),
		},
	}
}
