package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// withErrors is a run of one test that passes with errors, and its design.
func withErrors(t *testing.T) (*Result, sprt.Design) {
	t.Helper()
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: .8, Delta: .3, Alpha: .05, Beta: .1}, 40)
	if err != nil {
		t.Fatal(err)
	}
	e := TestEvidence{Name: "s", Scenarios: []string{"s"}, Design: d}
	for i, mark := range "PPPPEPPPPPPP" {
		o := map[rune]trial.Outcome{'P': trial.Pass, 'E': trial.Error}[mark]
		e.Trials = append(e.Trials, TrialEvidence{Scenario: "s", Number: i, Trial: &trial.Trial{Scenario: "s", Outcome: o}})
	}
	r, err := Judge(t.Context(), Evidence{
		Suite: "s", Tests: []TestEvidence{e}, StoppedBy: StoppedByDecision,
		Spent: Expense{Trials: len(e.Trials), Attempts: len(e.Trials)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

// The interval of a test with errors is from the lower limit of the end with all of them as failures to the
// upper one of the end with all as passes, and the estimates of both are told. The ends are read off the
// boundaries by hand.
func TestEstimatesHoldBothWaysOfCounting(t *testing.T) {
	r, d := withErrors(t)
	end := func(failures func(trials int) int) sprt.Estimates {
		for n := 1; n <= 40; n++ {
			if f := failures(n); f <= d.Boundaries.PassAtOrBelow[n-1] {
				e, err := d.Boundaries.Estimate(n, f, .05)
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
		}
		t.Fatal("it never passes")
		return sprt.Estimates{}
	}
	failed := end(func(n int) int {
		if n > 4 {
			return 1
		}
		return 0
	})
	passed := end(func(int) int { return 0 })
	want := &design.Estimate{
		MedianUnbiased: failed.MedianUnbiased, Unbiased: failed.Unbiased, Naive: failed.Naive, Level: .95,
		Low: failed.Interval.Low, High: passed.Interval.High, Ordering: "stage-wise",
		ErrorsPassed: &design.PointEstimates{
			MedianUnbiased: passed.MedianUnbiased, Unbiased: passed.Unbiased, Naive: passed.Naive,
		},
	}
	got := r.Tests[0]
	if diff := cmp.Diff(want, got.Estimate); diff != "" || got.Errors != 1 {
		t.Error(diff)
	}
	if failed == passed || got.PassHatK["1"] != failed.Unbiased || got.PassHatKErrorsPassed["1"] != passed.Unbiased {
		t.Errorf("%v, %v; want %v, %v", got.PassHatK, got.PassHatKErrorsPassed, failed.Unbiased, passed.Unbiased)
	}
	if r.Reliability.PassHatKErrorsPassed["1"] != passed.Unbiased {
		t.Errorf("of the run %v", r.Reliability.PassHatKErrorsPassed)
	}
}

// A result of an earlier version has the interval of the way of counting that decided. It is judged again by
// that; but one that only lost the other way's estimates is not.
func TestEarlierEstimatesAreJudgedAgain(t *testing.T) {
	r, d := withErrors(t)
	today := *r.Tests[0].Estimate
	again := func() *design.Estimate {
		t.Helper()
		found, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found.Again.(*Result).Tests[0].Estimate
	}
	if diff := cmp.Diff(&today, again()); diff != "" {
		t.Error(diff)
	}
	deciding, err := d.Boundaries.Estimate(r.Tests[0].Trials, r.Tests[0].Errors, .05)
	if err != nil {
		t.Fatal(err)
	}
	earlier := today
	earlier.ErrorsPassed, earlier.High = nil, deciding.Interval.High
	r.Tests[0].Estimate = &earlier
	if diff := cmp.Diff(&earlier, again()); diff != "" {
		t.Error(diff)
	}
	forged := today
	forged.ErrorsPassed = nil
	r.Tests[0].Estimate = &forged
	if cmp.Diff(&forged, again()) == "" {
		t.Error("an interval of both ways without the estimates of one is taken for an earlier one")
	}
}
