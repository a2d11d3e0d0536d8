package sequential

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// stored is the family against 60 trials of a baseline, for a drop by .3.
var stored = sync.OnceValue(func() *baseline.Family {
	from, err := baseline.Fixed(60)
	if err != nil {
		panic(err)
	}
	q := baseline.Question{Delta: .3, Alpha: .05, Beta: .1, Guard: .7}
	found, err := baseline.Against(context.Background(), q, from, baseline.Outcome{Trials: 60, Failures: 6},
		baseline.Options{})
	if err != nil {
		panic(err)
	}
	return found.Family
})

// recordedBaseline came to so many failures in 60 trials, and so many errors.
func recordedBaseline(failures, errors int) design.RecordedBaseline {
	return design.RecordedOf(baseline.Outcome{Trials: 60, Failures: failures},
		baseline.Outcome{Trials: 60, Failures: failures + errors}, errors)
}

func againstStored(t sample.T, outcomes string, b design.RecordedBaseline, policy verdict.ErrorPolicy) *Result {
	t.Helper()
	r, err := Judge(t.Context(), stream(outcomes), Options{Errors: policy,
		Against: &AgainstOptions{Family: stored(), Recorded: b, Source: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ends walks the boundaries by hand.
func ends(t sample.T, outcomes string, failures int) (verdict.Verdict, int) {
	t.Helper()
	b, ok := stored().Boundaries(baseline.Outcome{Trials: 60, Failures: failures})
	if !ok {
		t.Fatal("no boundaries")
	}
	failed := 0
	for i := range outcomes {
		if outcomes[i] == 'f' {
			failed++
		}
		switch {
		case failed <= b.PassAtOrBelow[i]:
			return verdict.Pass, i + 1
		case b.FailAtOrAbove[i] != sprt.Never && failed >= b.FailAtOrAbove[i]:
			return verdict.Fail, i + 1
		}
	}
	return verdict.Inconclusive, len(outcomes)
}

func TestRecordingsAgainstABaseline(t *testing.T) {
	for _, outcomes := range []string{passes(40), strings.Repeat("f", 20), strings.Repeat("ppf", 20),
		strings.Repeat("ppppf", 12), "pp"} {
		for _, failures := range []int{0, 3, 6, 12} {
			r := againstStored(t, outcomes, recordedBaseline(failures, 0), verdict.RobustErrors)
			want, trials := ends(t, outcomes, failures)
			if r.Verdict != want || r.Trials != trials || r.Threshold != 0 || r.Design.Digest != stored().Digest() {
				t.Errorf("%q against %d failures: %s after %d, not %s after %d", outcomes, failures, r.Verdict, r.Trials, want,
					trials)
			}
			a := r.Against
			ended := want != verdict.Inconclusive
			if (a.PUnchanged != nil) != ended || (a.PDropped != nil) != ended || (a.Difference != nil) != ended {
				t.Fatalf("%q against %d failures: %+v", outcomes, failures, a)
			}
			if !ended {
				continue
			}
			// At a Fail the p-value is at most alpha, at a Pass the other one at most beta.
			if want == verdict.Fail && *a.PUnchanged > r.Alpha || want == verdict.Pass && *a.PDropped > r.Beta {
				t.Errorf("%q against %d failures: %s with p-values %v and %v", outcomes, failures, want, *a.PUnchanged, *a.PDropped)
			}
			if d := a.Difference; !(d.Low <= d.MedianUnbiased && d.MedianUnbiased <= d.High) {
				t.Errorf("%q against %d failures: %+v", outcomes, failures, d)
			}
		}
	}
}

// A verdict must hold however the errors of either side are counted.
func TestErrorsAgainstABaseline(t *testing.T) {
	for _, c := range []struct {
		outcomes string
		baseline design.RecordedBaseline
		policy   verdict.ErrorPolicy
		want     verdict.Verdict
	}{
		{"e" + passes(60), recordedBaseline(6, 0), verdict.RobustErrors, verdict.Pass},
		{strings.Repeat("e", 12) + passes(20), recordedBaseline(6, 0), verdict.RobustErrors, verdict.Inconclusive},
		{strings.Repeat("e", 12) + passes(40), recordedBaseline(6, 0), verdict.ExcludeErrors, verdict.Pass},
		{strings.Repeat("e", 12) + passes(40), recordedBaseline(6, 0), verdict.FailErrors, verdict.Fail},
		{strings.Repeat("ppf", 20), recordedBaseline(0, 0), verdict.RobustErrors, verdict.Fail},
		// With its errors as failures the baseline is hardly better.
		{strings.Repeat("ppf", 20), recordedBaseline(0, 12), verdict.RobustErrors, verdict.Inconclusive},
	} {
		r := againstStored(t, c.outcomes, c.baseline, c.policy)
		if r.Verdict != c.want {
			t.Errorf("%q, errors %s: %s, not %s (%v)", c.outcomes, c.policy, r.Verdict, c.want, r.Reasons)
		}
	}
}

func TestBaselineThatTheFamilyHasNoTestFor(t *testing.T) {
	o := AgainstOptions{Family: stored(), Recorded: recordedBaseline(60, 0)}
	_, err := Judge(t.Context(), stream("p"), Options{Against: &o})
	if _, ok := errors.AsType[*baseline.OutcomeError](err); !ok {
		t.Errorf("got %v", err)
	}
}

// A saved result is judged again from its recording, or from the path where that is not there.
func TestRejudgeAgainstABaseline(t *testing.T) {
	r := againstStored(t, strings.Repeat("ppf", 20), recordedBaseline(0, 0), verdict.RobustErrors)
	for _, without := range []bool{false, true} {
		if without {
			r.Recording = nil
		}
		found, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again := found.Again.(*Result)
		if again.Verdict != r.Verdict || again.Trials != r.Trials || *again.Against.PUnchanged != *r.Against.PUnchanged {
			t.Errorf("without the recording %t: %+v", without, again)
		}
	}
	r.Against.Family.Digest = "sha256:0"
	if _, err := r.Rejudge(t.Context()); err == nil {
		t.Error("another family was not found")
	}
}
