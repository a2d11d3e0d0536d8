package runs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// Three tests failed, of five: Holm multiplies the smallest p-value by 5, the next by 4, and so on,
// and never below the one before. A test that did not fail counts, and cannot become a Fail.
func TestFailsAreCorrectedForTheNumberOfTests(t *testing.T) {
	tested := func(v verdict.Verdict, p float64) Test {
		return Test{Verdict: v, Regression: &Regression{Alpha: .05, PUnchanged: &p}}
	}
	r := &Result{Tests: []Test{tested(verdict.Fail, .009), tested(verdict.Fail, .013), tested(verdict.Fail, .0124),
		tested(verdict.Pass, .001), {Regression: &Regression{Alpha: .05}}}}
	for correction, want := range map[*multiplicity.Correction][]bool{
		nil:                                  {true, true, true, false, false},
		new(multiplicity.NoCorrection):       {true, true, true, false, false},
		new(multiplicity.Holm):               {true, true, true, false, false}, // .005, .036, .0372, .0372 and 1
		new(multiplicity.BenjaminiYekutieli): {true, true, true, false, false},
	} {
		r.Correction = correction
		got, err := r.confirmed()
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%v: %v, %v", correction, got, err)
		}
	}
	// Four times .0126 is above .05, and what comes after is not below it.
	*r.Tests[2].Regression.PUnchanged = .0168
	*r.Tests[0].Regression.PUnchanged = .0126
	r.Correction = new(multiplicity.Holm)
	if got, err := r.confirmed(); err != nil || cmp.Diff([]bool{false, false, false, false, false}, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
	if err := r.decide(); err != nil || r.Verdict != verdict.Inconclusive ||
		!strings.HasPrefix(r.Reasons[0].Text,
			"3 of 5 scenarios fail alone, but among 5 tests a few do by chance, so a person should review it") {
		t.Errorf("%v: %v, %v", r.Verdict, r.Reasons, err)
	}
}

// Against a threshold the p-value is that of the end of the test: of the sample's design four
// failures in a row, the earliest of all ends, so .1^4 at a rate of .9.
func TestFailsAgainstThresholdsAreCorrected(t *testing.T) {
	e := []TestEvidence{ran("a", sample.Design(), "ffff"), ran("b", sample.Design(), passes(15))}
	r, err := Judge(t.Context(), Evidence{Suite: "s", Tests: e, StoppedBy: StoppedByDecision,
		Correction: new(multiplicity.Holm)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verdict.Fail || r.Reasons[0].Text != "1 of 2 scenarios fails, corrected for the number of "+
		"scenarios (holm): a" ||
		warned(r.Warnings, WarnFamily) != "" {
		t.Errorf("%v: %v, %v", r.Verdict, r.Reasons, r.Warnings)
	}
	if low, _, err := r.Tests[0].Tails(.9); err != nil || low < .99e-4 || low > 1.01e-4 {
		t.Errorf("p = %v, %v", low, err)
	}
}
