package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// buildSequential is a sequential verdict on a recording: when it was reached, the path
// between the boundaries, the estimates after the stop, and what the rest of the
// recording cost.
func buildSequential(d *document.Document, r *sequential.Result) {
	d.Begin(r.Header(), "sequential verdict")
	d.Headline = sequentialHeadline(r)
	d.Break()
	sequentialPath(d, r)
	d.Break()
	sequentialLines(d, r)
	sequentialFacts(d, r)
	tellErrors(d, r.ErrorsIn, r.Warnings, r.Errors)
	d.Warn(r.Warnings)
	d.Close(sequentialSentence(r))
	d.Outputs = []document.Fact{count("trials", r.Trials), count("recorded", r.Recorded)}
}

// sequentialHeadline stands beside the verdict.
func sequentialHeadline(r *sequential.Result) string {
	// A Pass says that the rate is not too low, and a Fail that it is not good
	// enough: the hypothesis that was rejected, not the one that was proved.
	reached := fmt.Sprintf("after %d of %s", r.Trials, prose.Count(r.Recorded, "recorded trial"))
	switch {
	case r.Verdict == verdict.Pass && r.Against != nil:
		return fmt.Sprintf("%s: not worse than the baseline by %s", reached, phrase.Points(r.Delta))
	case r.Verdict == verdict.Fail && r.Against != nil:
		return reached + ": worse than the baseline"
	case r.Verdict == verdict.Pass:
		return fmt.Sprintf("%s: enough to rule out a rate of %s or less (%s required)", reached,
			phrase.Rate(r.LowerRate()), phrase.Rate(r.Threshold))
	case r.Verdict == verdict.Fail:
		return fmt.Sprintf("%s: below the %s you require", reached, phrase.Rate(r.Threshold))
	case hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return "undecided because of errors"
	case hasReason(r.Reasons, verdict.CodeScenariosFail):
		return reached + ": a scenario has collapsed"
	case hasReason(r.Reasons, sequential.CodeScenariosUnseen):
		return reached + ": it has not seen every scenario"
	// Three ways to be Inconclusive: the test ended without a decision, there was
	// nothing, or the recording is shorter than the test.
	case hasReason(r.Reasons, design.CodeTrialsUsedUp):
		return reached + ": the trials of the test are used up"
	case hasReason(r.Reasons, verdict.CodeNoTrials):
		return "there is nothing to judge"
	}
	return fmt.Sprintf("after %s: the recording ends before the test does", prose.Count(r.Trials, "trial"))
}

// ahead is by which part of its length the path is continued in the text: a third,
// and five trials besides, so that the boundaries it ran towards can be seen.
const ahead = 3

// sequentialPath is what was judged, and a little of what would have come.
func sequentialPath(d *document.Document, r *sequential.Result) {
	p := &document.Path{
		Name: "recording", Verdict: r.Verdict, Count: figure.OfTrials(r.Passes, r.Trials) + " passed",
		Title:   fmt.Sprintf("%s after %s", r.Verdict, prose.Count(r.Trials, "trial")),
		Caption: fmt.Sprintf("%s design, at most %s", safe.Text(r.Design.Kind), prose.Count(r.Design.MaxTrials, "trial")),
		Digest:  r.Design.Digest, Boundaries: r.Design.Boundaries, Failures: r.Path,
		Shown: min(len(r.Path)+len(r.Path)/ahead+5, r.Design.MaxTrials),
	}
	// Without a judged trial the text has no path to draw.
	if len(r.Path) == 0 {
		p.In = document.Drawing
	}
	// The path counts failures, the page draws outcomes: a trial is a failure where
	// the count rose. Errors are on the path only where the policy takes them for
	// failures.
	var marks strings.Builder
	before := 0
	for _, failures := range r.Path {
		if failures > before {
			marks.WriteByte('F')
		} else {
			marks.WriteByte('P')
		}
		before = failures
	}
	p.Marks = marks.String()
	d.Parts = append(d.Parts, p)
	e := r.Estimate
	if e == nil {
		return
	}
	// After the stop there is an estimate, which pages draw against the threshold.
	mark, title := r.Threshold, "threshold"
	if r.Against != nil {
		mark, title = r.Against.Baseline.Rate(), "baseline"
	}
	drawn := &document.Table{
		Title: "Estimate against the " + title, Note: fmt.Sprintf("The dashed line is the %s %s.", title, figure.Brief(mark)),
		In: document.Drawing, Drawn: true,
		Columns: document.Columns("what", "verdict", "drawing", ">passes", ">estimate", ">interval"),
	}
	row := drawn.Add("recording", document.Verdict(r.Verdict), document.Cell{},
		fmt.Sprintf("%d/%d", r.Passes, r.Trials), figure.Rate(e.MedianUnbiased), intervalCell(e.Low, e.High,
			figure.Level(e.Level)))
	row.Verdict = r.Verdict
	row.Span = &document.Span{Low: e.Low, High: e.High, Estimate: &e.MedianUnbiased, Mark: mark}
	drawn.Columns[2].Bar = true
	d.Table(drawn)
}

// sequentialLines are the design, the estimates and what was not needed.
func sequentialLines(d *document.Document, r *sequential.Result) {
	// What the design promises is for trials in a random order.
	unseen := hasReason(r.Reasons, sequential.CodeScenariosUnseen)
	if a := r.Against; a != nil {
		d.Line("baseline", againstBaseline(a))
	}
	if unseen {
		d.TextLine("design", fmt.Sprintf("at most %s, delta %s; its errors are not those of this order",
			prose.Count(r.Design.MaxTrials, "trial"), figure.Exact(r.Delta)))
	} else if r.Against != nil {
		d.TextLine("design", fmt.Sprintf("at most %s, delta %s; false Fail %s, false Pass %s (proved)",
			prose.Count(r.Design.MaxTrials, "trial"), figure.Exact(r.Delta), figure.ExactChance(r.Design.Alpha),
			figure.ExactChance(r.Design.Beta)))
	} else {
		d.StatLine("design", designText(r.Design, r.Threshold, r.Delta))
	}
	d.StatLine("digest", figure.ShortDigest(r.Design.Digest))
	if r.Order == sequential.ShuffleOrder {
		// Without the seed nobody could repeat the order.
		fixed := ""
		if r.Edition > sequential.FirstEdition {
			fixed = ", which the recording fixes"
		}
		d.Linef("order", "shuffled with seed %d%s", r.Seed, fixed)
	}
	d.TextLine("judged", figure.OfTrials(r.Passes, r.Trials)+" passed")
	if e := r.Estimate; e != nil {
		d.TextLine("estimate", strings.TrimPrefix(estimateText(e), "estimate "))
		d.Stat("unbiased", unbiasedText(e))
	}
	if a := r.Against; a != nil {
		d.Line("difference", dropDifference(a.Difference))
		d.Line("p-values", dropValues(a, r.Delta))
	}
	d.TextLine("left over", leftOver(r))
	if s := r.Savings; s != nil {
		d.TextLine("fixed sample", prose.Count(s.FixedTrials, "trial")+" would have been needed")
	}
}

// sequentialFacts are what the lines of the text put together, and the case.
func sequentialFacts(d *document.Document, r *sequential.Result) {
	d.Fact("judged", figure.OfTrials(r.Passes, r.Trials)+" passed")
	d.Fact("recorded", fmt.Sprint(r.Recorded))
	if r.Against == nil {
		d.Fact("threshold", figure.Brief(r.Threshold))
	}
	d.Fact("delta", figure.Brief(r.Delta))
	d.Fact("design", fmt.Sprintf("%s, at most %s", r.Design.Kind, prose.Count(r.Design.MaxTrials, "trial")))
	if !hasReason(r.Reasons, sequential.CodeScenariosUnseen) {
		d.Fact("exact errors", fmt.Sprintf("false Fail %s, false Pass %s", figure.ExactChance(r.Design.Alpha),
			figure.ExactChance(r.Design.Beta)))
	}
	d.Fact("digest", figure.ShortDigest(r.Design.Digest))
	if e := r.Estimate; e != nil {
		d.Fact("estimate", fmt.Sprintf("%s, %s interval %s", figure.Rate(e.MedianUnbiased), figure.Level(e.Level),
			figure.Interval(figure.Rate(e.Low), figure.Rate(e.High))))
	}
	d.Fact("left over", leftOver(r))
	if s := r.Savings; s != nil {
		d.Fact("fixed sample", prose.Count(s.FixedTrials, "trial"))
	}
	threshold := number("threshold", r.Threshold)
	if a := r.Against; a != nil {
		threshold = number("baseline", a.Baseline.Rate())
	}
	// The case has the exact numbers, and all facts as lines of its details.
	c := document.Case{
		Scenario: "recording", Name: "verdict", Status: statusOf(r.Verdict, r.Reasons), Message: reasonsText(r.Reasons),
		Facts: []document.Fact{
			fact("verdict", r.Verdict.String()), count("passes", r.Passes), count("trials", r.Trials),
			count("errors", r.ErrorsIn),
			threshold, number("delta", r.Delta), fact("design", r.Design.Digest),
		},
	}
	for _, f := range d.Facts() {
		c.Details = append(c.Details, f.Name+": "+f.Value)
	}
	d.Cases = []document.Case{c}
}

// againstBaseline says what the baseline came to, and for which rates the errors are kept.
func againstBaseline(a *sequential.Against) string {
	text := fmt.Sprintf("%s passed", figure.OfTrials(a.Baseline.Passes, a.Baseline.Trials))
	if a.Baseline.Errors > 0 {
		text += fmt.Sprintf(" with %s as passes", prose.Count(a.Baseline.Errors, "error"))
	}
	return fmt.Sprintf("%s (%s); errors are kept for rates of it from %s to %s", text, a.Source, figure.Brief(a.Low),
		figure.Brief(a.High))
}

// dropDifference is the difference of the candidate's rate to the baseline's; "" where it is
// not known.
func dropDifference(d *design.Difference) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%s (median-unbiased), %s interval %s; the plain difference is %s", figure.Points(d.MedianUnbiased),
		figure.Level(d.Level), figure.Interval(figure.Signed(d.Low), figure.Signed(d.High)), figure.Points(d.Naive))
}

// dropValues are the p-values against both hypotheses; "" where none is known.
func dropValues(a *sequential.Against, delta float64) string {
	var parts []string
	if p := a.PUnchanged; p != nil {
		parts = append(parts, figure.PValue(*p)+" if nothing changed")
	}
	if p := a.PDropped; p != nil {
		parts = append(parts, fmt.Sprintf("%s if it is worse by %s", figure.PValue(*p), figure.Exact(delta)))
	}
	return strings.Join(parts, ", ")
}

// leftOver is what the recording holds beyond the stop, with its price.
func leftOver(r *sequential.Result) string {
	s := r.Saved
	// With errors that matter it is not known where the test would have stopped.
	if s == nil || hasReason(r.Reasons, verdict.CodeErrorsMatter) {
		return ""
	}
	parts := []string{fmt.Sprintf("%d of %s", s.Trials, prose.Count(r.Recorded, "recorded trial"))}
	if s.CostUSD != nil {
		cost := figure.Money(*s.CostUSD)
		if s.CostKnown < s.Trials {
			cost += fmt.Sprintf(" (of %d whose cost is known)", s.CostKnown)
		}
		parts = append(parts, cost)
	}
	if s.DurationSeconds != nil {
		parts = append(parts, figure.Duration(*s.DurationSeconds))
	}
	return strings.Join(parts, ", ")
}

// sequentialSentence says what was decided, and what the rest was good for.
func sequentialSentence(r *sequential.Result) string {
	text := fmt.Sprintf("%s: %s.", prose.Capitalised(r.Verdict.String()), reasonsText(r.Reasons))
	switch {
	case r.Verdict == verdict.Inconclusive || r.Saved == nil:
		return text
	case r.Saved.Trials == 0:
		return text + " No recorded trial was left over."
	}
	// One trial and several are different sentences.
	rest := fmt.Sprintf("the %d recorded trials that follow were", r.Saved.Trials)
	text += " The test could have ended there: " +
		prose.Form(r.Saved.Trials, "the 1 recorded trial that follows was", rest) + " not needed for the verdict"
	if r.Saved.CostUSD != nil {
		text += fmt.Sprintf(", and they cost %s", figure.Money(*r.Saved.CostUSD))
	}
	return text + "."
}
