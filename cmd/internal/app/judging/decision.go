package judging

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// mostReasons is how many groups of reasons the last line has: more nobody reads.
const mostReasons = 10

// decision is a line that goes out.
type decision struct {
	Need    *int   `json:"need,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	Passes  *int   `json:"passes,omitempty"`
	Trials  *int   `json:"trials,omitempty"`
	Errors  int    `json:"errors,omitempty"`
	Text    string `json:"text,omitempty"`
	// The numbers as a person reads them.
	Summary  string    `json:"summary,omitempty"`
	Rate     *float64  `json:"rate,omitempty"`     // passes over passes and failures
	Interval *interval `json:"interval,omitempty"` // of the pass rate, corrected for when the test stopped
	PValue   *float64  `json:"p_value,omitempty"`
	H0       string    `json:"h0,omitempty"`          // that the p-value is against
	More     int       `json:"more_trials,omitempty"` // further ones, after which most such tests are decided
	Causes   []cause   `json:"causes,omitempty"`      // why trials did not pass, the most frequent first
}

type interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`
}

// cause is a group of reasons that are alike.
type cause struct {
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// decisionOf is the last line about a test.
func decisionOf(ctx context.Context, t *runs.Test) (x decision, err error) {
	var texts []string
	for _, reason := range t.Reasons {
		texts = append(texts, reason.Text)
	}
	x = decision{
		Verdict: t.Verdict.String(), Passes: &t.Passes, Trials: &t.Trials, Errors: t.Errors, Rate: t.Rate,
		Text: prose.Printable(strings.Join(texts, "; ")),
	}
	if e := t.Estimate; e != nil {
		x.Interval = &interval{e.Low, e.High, e.Level}
	}
	if err := x.test(t); err != nil {
		return x, err
	}
	if t.Verdict == verdict.Inconclusive && t.Threshold > 0 && t.Estimate != nil {
		counts := []verdict.Tally{{Scenario: t.Name, Passes: t.Passes, Fails: t.Fails}}
		judged, err := verdict.JudgeThreshold(ctx, counts, verdict.ThresholdOptions{Threshold: t.Threshold, Alpha: t.Alpha})
		if err != nil {
			return x, err
		}
		if more := judged.Scenarios[0].MoreTrials; more != nil {
			x.More = more.Trials
		}
	}
	x.Summary = x.summary()
	return x, nil
}

// test adds the p-value: of a Pass against the hypothesis that would be a false Pass, else of a Fail.
func (x *decision) test(t *runs.Test) error {
	if r := t.Regression; r != nil && t.Verdict != verdict.Inconclusive && (r.Verdict == t.Verdict || t.Threshold == 0) {
		x.PValue, x.H0 = r.PUnchanged, "not worse than the baseline"
		if t.Verdict == verdict.Pass {
			x.PValue, x.H0 = r.PDropped, "worse by "+phrase.Points(r.Delta)
		}
		return nil
	}
	if t.Threshold == 0 || t.Estimate == nil {
		return nil
	}
	if t.Verdict == verdict.Fail {
		low, _, err := t.Tails(t.Threshold)
		x.PValue, x.H0 = new(min(low, 1)), "at least "+phrase.Percent(t.Threshold)
		return err
	}
	_, high, err := t.Tails(t.LowerRate())
	x.PValue, x.H0 = new(min(high, 1)), "at most "+phrase.Percent(t.LowerRate())
	return err
}

// summary is the numbers of the test as a person reads them: "9 of 12 passed (75%) [45.2%, 93.4%], p = 0.012".
func (x *decision) summary() string {
	text := phrase.Share(*x.Passes, *x.Trials)
	if i := x.Interval; i != nil {
		text += " [" + phrase.Rate(i.Low) + ", " + phrase.Rate(i.High) + "]"
	}
	if x.Errors > 0 {
		text += ", " + prose.Count(x.Errors, "error")
	}
	if x.PValue != nil {
		text += ", p " + phrase.Significant(*x.PValue)
	}
	if x.More > 0 {
		text += ", add about " + prose.Count(x.More, "trial")
	}
	return text
}
