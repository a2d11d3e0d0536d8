package verdict

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// labelled is a sample of trials that a judge judged.
func labelled(judged, passed, truePassed, ofPassed, trueFailed, ofFailed int) *LabelSample {
	return &LabelSample{"sha256:00", twophase.Sample{
		Judged: judged, Passed: passed,
		OfPassed: stats.Counts{Passes: truePassed, Trials: ofPassed}, OfFailed: stats.Counts{Passes: trueFailed,
			Trials: ofFailed},
	}}
}

// Labels decide, each side with half of alpha, and not what the judge says.
func TestLabelsDecide(t *testing.T) {
	for _, c := range []struct {
		name      string
		labels    *LabelSample
		threshold float64
		want      Verdict
		code      Code
	}{
		// The judge passes half of the trials, and people pass nearly all.
		{"a judge that is too hard", labelled(40, 20, 15, 15, 14, 15), .6, Pass, codeLabelsAbove},
		// It passes nearly all, and people few.
		{"a judge that is too soft", labelled(60, 54, 3, 20, 0, 5), .6, Fail, codeLabelsBelow},
		{"too few labels", labelled(60, 56, 8, 8, 1, 2), .9, Inconclusive, codeLabelsStraddle},
	} {
		tally := Tally{Scenario: "a", Passes: c.labels.Sample.Passed,
			Fails: c.labels.Sample.Judged - c.labels.Sample.Passed}
		r, err := JudgeThreshold(t.Context(), []Tally{tally}, ThresholdOptions{Threshold: c.threshold,
			Labels: c.labels})
		if err != nil {
			t.Fatal(err)
		}
		l := r.Labels
		if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || r.Reasons[0].Code != c.code ||
			l.Certified.Verdict != c.want {
			t.Errorf("%s: %+v, %+v", c.name, r.Reasons, l)
		}
		// What the page says of p-values, intervals and verdicts is one thing.
		for _, x := range []LabelRate{l.Certified, l.Calibrated} {
			above, below := x.PAbove <= DefaultAlpha/2, x.PBelow <= DefaultAlpha/2
			open := !above && !below
			if above != (x.Verdict == Pass) || below != (x.Verdict == Fail) || above && x.Interval.Low < c.threshold ||
				below && x.Interval.High > c.threshold ||
				open && (x.Interval.Low > c.threshold || x.Interval.High < c.threshold) {
				t.Errorf("%s: %+v", c.name, x)
			}
		}
		// Tenenbein's estimate, by hand.
		s := c.labels.Sample
		m := float64(s.Passed) / float64(s.Judged)
		want := m*float64(s.OfPassed.Passes)/float64(s.OfPassed.Trials) +
			(1-m)*float64(s.OfFailed.Passes)/float64(s.OfFailed.Trials)
		if math.Abs(l.Rate-want) > 1e-12 {
			t.Errorf("%s: rate %v, not %v", c.name, l.Rate, want)
		}
		found, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again, ok := found.Again.(*ThresholdResult); !ok || *again.Labels != *l || again.Verdict != r.Verdict {
			t.Errorf("%s: judged again it is %+v", c.name, again)
		}
	}
}

// What labels cannot answer is refused.
func TestLabelsRefused(t *testing.T) {
	tally := Tally{Scenario: "a", Passes: 190, Fails: 10}
	for name, c := range map[string]struct {
		tally   Tally
		options ThresholdOptions
	}{
		"by scenario": {tally, ThresholdOptions{By: ByScenario, Labels: labelled(200, 190, 8, 8, 1, 2)}},
		"any time":    {tally, ThresholdOptions{Anytime: true, Labels: labelled(200, 190, 8, 8, 1, 2)}},
		"errors": {Tally{Scenario: "a", Passes: 190, Fails: 10, Errors: 1},
			ThresholdOptions{Labels: labelled(200, 190, 8, 8, 1, 2)}},
		"other trials":          {tally, ThresholdOptions{Labels: labelled(200, 180, 8, 8, 1, 2)}},
		"no labels of failures": {tally, ThresholdOptions{Labels: labelled(200, 190, 8, 8, 0, 0)}},
	} {
		c.options.Threshold = .8
		if r, err := JudgeThreshold(t.Context(), []Tally{c.tally}, c.options); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// Errors that are left out are no matter.
	if _, err := JudgeThreshold(t.Context(), []Tally{{Scenario: "a", Passes: 190, Fails: 10, Errors: 1}},
		ThresholdOptions{Threshold: .8, Errors: ExcludeErrors, Labels: labelled(200, 190, 8, 8, 1, 2)}); err != nil {
		t.Error(err)
	}
}
