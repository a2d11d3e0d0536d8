package verdict

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// Reasons of a verdict by labels.
const (
	codeLabelsAbove    Code = "labels-above-threshold"
	codeLabelsBelow    Code = "labels-below-threshold"
	codeLabelsStraddle Code = "labels-straddle-threshold"
)

// LabelSample is what people say of some of the trials, which a judge judged, all of them: labels drawn at random among
// those that it passed, and among those that it failed.
type LabelSample struct {
	Sheet  string // digest of what was drawn
	Sample twophase.Sample
}

// Labels are a [LabelSample] and the true pass rate that follows from it, in two ways.
type Labels struct {
	Sheet      string      `json:"sheet"`      // digest of what was drawn
	Judged     int         `json:"judged"`     // trials that the judge judged
	Passed     int         `json:"passed"`     // of them that it passed
	OfPassed   LabelCounts `json:"of_passed"`  // labels of those
	OfFailed   LabelCounts `json:"of_failed"`  // labels of those that it failed
	Rate       float64     `json:"rate"`       // estimate of the true pass rate, from 0 to 1
	Certified  LabelRate   `json:"certified"`  // whatever the judge is worth; it decides
	Calibrated LabelRate   `json:"calibrated"` // at the judge that is most likely; it is shown beside
}

// LabelCounts are labels of trials of one verdict of the judge.
type LabelCounts struct {
	Passes int `json:"passes"` // that a person passed
	Labels int `json:"labels"` // all of them
}

// LabelRate is what one method says of the true pass rate.
type LabelRate struct {
	Verdict  Verdict  `json:"verdict"`  // against the threshold
	Interval Interval `json:"interval"` // of the true rate
	PAbove   float64  `json:"p_above"`  // p-value of H0: the true rate is at most the threshold
	PBelow   float64  `json:"p_below"`  // p-value of H0: the true rate is at least the threshold
	// MeasuredError bounds the share of false claims that was measured where 0.05 was asked for; absent where the share
	// that is asked for is a bound.
	MeasuredError float64 `json:"measured_error,omitempty"`
}

// CalibratedError bounds the share of false claims of calibrated rates that enumeration found where 0.05 was asked
// for. It
// is a measurement in settings from 30 labels on, and no bound of others.
const CalibratedError = 0.08

// judgeLabels judges by labels, in place of what the judge's own verdicts say.
func (j thresholdJudge) judgeLabels(ctx context.Context, r *ThresholdResult, s *LabelSample) error {
	l := &Labels{
		Sheet: s.Sheet, Judged: s.Sample.Judged, Passed: s.Sample.Passed,
		OfPassed: LabelCounts{s.Sample.OfPassed.Passes, s.Sample.OfPassed.Trials},
		OfFailed: LabelCounts{s.Sample.OfFailed.Passes, s.Sample.OfFailed.Trials},
		Rate:     s.Sample.Rate(),
	}
	for _, m := range []struct {
		method twophase.Method
		name   string
		to     *LabelRate
	}{{twophase.Certified, "certified", &l.Certified}, {twophase.Calibrated, "calibrated", &l.Calibrated}} {
		var err error
		if *m.to, err = j.labelRate(ctx, m.method, m.name, s.Sample); err != nil {
			return err
		}
	}
	l.Calibrated.MeasuredError = CalibratedError
	r.Labels, r.Verdict = l, l.Certified.Verdict
	r.Reasons = []Reason{l.reason(j.rule.Threshold)}
	return nil
}

// labelRate is what one method says. Each side has half of alpha, as sides of an interval have.
func (j thresholdJudge) labelRate(
	ctx context.Context, m twophase.Method, name string, s twophase.Sample,
) (r LabelRate, err error) {
	if r.PAbove, err = m.Above(ctx, s, j.rule.Threshold); err != nil {
		return r, err
	}
	if r.PBelow, err = m.Below(ctx, s, j.rule.Threshold); err != nil {
		return r, err
	}
	interval, err := m.IntervalBeside(ctx, s, j.rule.Alpha, j.rule.Threshold)
	if err != nil {
		return r, err
	}
	switch {
	case r.PAbove <= j.rule.Alpha/2:
		r.Verdict = Pass
	case r.PBelow <= j.rule.Alpha/2:
		r.Verdict = Fail
	}
	r.Interval = Interval{Method: name, Level: 1 - j.rule.Alpha, Low: interval.Low, High: interval.High}
	return r, nil
}

// reason says what the certified rate comes to.
func (l *Labels) reason(threshold float64) Reason {
	n := l.OfPassed.Labels + l.OfFailed.Labels
	seen := fmt.Sprintf("%s of %s: a true pass rate of about %s", prose.Count(n, "label"),
		prose.Count(l.Judged, "judged trial"), phrase.Percent(l.Rate))
	i := l.Certified.Interval
	limits := fmt.Sprintf("%s interval %s to %s, whatever the judge is worth", phrase.Percent(i.Level),
		phrase.Percent(i.Low), phrase.Percent(i.High))
	required := phrase.Percent(threshold)
	switch l.Certified.Verdict {
	case Pass:
		return codeLabelsAbove.Reason("%s, above the %s you require (%s)", seen, required, limits)
	case Fail:
		return codeLabelsBelow.Reason("%s, below the %s you require (%s)", seen, required, limits)
	}
	return codeLabelsStraddle.Reason("%s: too few labels to tell whether it is below or above the %s you require (%s)",
		seen, required, limits)
}

// checkLabels refuses options that labels do not go with, and labels of other trials than these.
func checkLabels(tallies []Tally, o ThresholdOptions) error {
	refuse := func(name string, value any, problem string) error {
		return &OptionError{Option: name, Value: value, Problem: problem}
	}
	all := Pool("", tallies)
	s := o.Labels.Sample
	switch {
	case o.By != BySuite:
		return refuse("by", o.By, "does not go with labels, which are of all trials together")
	case o.Anytime:
		return refuse("anytime", true, "does not go with labels, which are a sample of a fixed number")
	case all.Errors > 0 && o.Errors != ExcludeErrors:
		return refuse("errors", o.Errors,
			fmt.Sprintf("does not go with labels where %s ended in an error, of which neither "+
				"the judge nor a label says anything", prose.Count(all.Errors, "trial")))
	case s.Judged != all.Passes+all.Fails || s.Passed != all.Passes:
		return refuse("labels", s.Labels(), fmt.Sprintf("are of %d passes in %d trials, and there are %d in %d",
			s.Passed,
			s.Judged, all.Passes, all.Passes+all.Fails))
	}
	return s.Validate()
}

// LabelSample is what the labels of the result are counts of; nil without any.
func (r *ThresholdResult) LabelSample() *LabelSample {
	if r.Labels == nil {
		return nil
	}
	l := r.Labels
	return &LabelSample{l.Sheet, twophase.Sample{
		Judged: l.Judged, Passed: l.Passed,
		OfPassed: stats.Counts{Passes: l.OfPassed.Passes, Trials: l.OfPassed.Labels},
		OfFailed: stats.Counts{Passes: l.OfFailed.Passes, Trials: l.OfFailed.Labels},
	}}
}
