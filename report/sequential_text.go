package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Sequential writes a sequential verdict on a recording as text: the verdict and
// when it was reached, the path between the boundaries, the estimates after the
// stop, what the rest of the recording cost, and a closing sentence.
func Sequential(w io.Writer, r *sequential.Result, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	t := sequentialPage{page: newPage(o.withDefaults(defaultScenarios)), result: r}
	t.headline(r.Verdict, t.about())
	t.blank()
	t.path()
	t.blank()
	t.details()
	t.errors(r.ErrorsIn, r.Warnings, r.Errors)
	t.warnings(r.Warnings)
	t.blank()
	t.paragraph(t.sentence())
	return t.flush(w)
}

type sequentialPage struct {
	*page
	result *sequential.Result
}

// about is the headline beside the verdict.
func (t *sequentialPage) about() string {
	r := t.result
	reached := fmt.Sprintf("after %d of %s", r.Trials, plural(r.Recorded, "recorded trial"))
	switch {
	case r.Verdict == verdict.Pass:
		return fmt.Sprintf("%s: the pass rate is not as low as %s", reached, brief(r.LowerRate()))
	case r.Verdict == verdict.Fail:
		return fmt.Sprintf("%s: the pass rate is below %s", reached, brief(r.Threshold))
	case hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return "undecided because of errors"
	case hasReason(r.Reasons, design.CodeTrialsUsedUp):
		return reached + ": the trials of the test are used up"
	}
	if hasReason(r.Reasons, verdict.CodeNoTrials) {
		return "there is nothing to judge"
	}
	return fmt.Sprintf("after %s: the recording ends before the test does", plural(r.Trials, "trial"))
}

// ahead is how much of the test is shown beyond the path, as a share of it.
const ahead = 3

// path is the chart of what was judged, and a little of what would have come.
func (t *sequentialPage) path() {
	r := t.result
	if len(r.Path) == 0 {
		return
	}
	shown := min(len(r.Path)+len(r.Path)/ahead+5, r.Design.MaxTrials)
	t.chart(newBoundaryChart(r.Design.Boundaries, shown).along(r.Path))
}

// details are the design, the estimates and what was not needed.
func (t *sequentialPage) details() {
	r := t.result
	t.labelled("design", fmt.Sprintf("%s, at most %s: threshold %s, delta %s; false Fail %s, false Pass %s (exact)",
		clean(r.Design.Kind), plural(r.Design.MaxTrials, "trial"), brief(r.Threshold), brief(r.Delta), exactChance(r.Design.Alpha), exactChance(r.Design.Beta)))
	t.labelled("digest", shortDigest(r.Design.Digest))
	if r.Order == sequential.ShuffleOrder {
		t.labelled("order", fmt.Sprintf("shuffled with seed %d", r.Seed))
	}
	t.labelled("judged", fmt.Sprintf("%s passed", ofTrials(r.Passes, r.Trials)))
	if e := r.Estimate; e != nil {
		t.labelled("estimate", fmt.Sprintf("%s (median-unbiased), %s interval %s (%s)",
			rate(e.MedianUnbiased), level(e.Level), limits(rate(e.Low), rate(e.High)), clean(e.Ordering)))
		t.labelled("unbiased", fmt.Sprintf("%s; the share of passes is %s, which stopping biases", rate(e.Unbiased), rate(e.Naive)))
	}
	t.labelled("left over", t.saved())
	if s := r.Savings; s != nil {
		t.labelled("fixed sample", fmt.Sprintf("%s would have been needed", plural(s.FixedTrials, "trial")))
	}
}

// saved is what the recording holds beyond the stop, with its price.
func (t *sequentialPage) saved() string {
	s := t.result.Saved
	if s == nil || hasReason(t.result.Reasons, verdict.CodeErrorsMatter) {
		return ""
	}
	parts := []string{fmt.Sprintf("%d of %s", s.Trials, plural(t.result.Recorded, "recorded trial"))}
	if s.CostUSD != nil {
		cost := money(*s.CostUSD)
		if s.CostKnown < s.Trials {
			cost += fmt.Sprintf(" (of %d whose cost is known)", s.CostKnown)
		}
		parts = append(parts, cost)
	}
	if s.DurationSeconds != nil {
		parts = append(parts, duration(*s.DurationSeconds))
	}
	return strings.Join(parts, ", ")
}

// sentence says what was decided, and what the rest was good for.
func (t *sequentialPage) sentence() string {
	r := t.result
	text := fmt.Sprintf("%s: %s.", capitalised(r.Verdict), reasonsText(r.Reasons))
	switch {
	case r.Verdict == verdict.Inconclusive || r.Saved == nil:
		return text
	case r.Saved.Trials == 0:
		return text + " No recorded trial was left over."
	}
	text += fmt.Sprintf(" The test could have ended there: %s not needed for the verdict",
		singular(r.Saved.Trials, "the 1 recorded trial that follows was", fmt.Sprintf("the %d recorded trials that follow were", r.Saved.Trials)))
	if r.Saved.CostUSD != nil {
		text += fmt.Sprintf(", and they cost %s", money(*r.Saved.CostUSD))
	}
	return text + "."
}
