package runs

import (
	"context"
	"errors"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
)

// scored is a run of a test of ten trials that were scored: the third was gated, and the fourth is not known.
func scored(t *testing.T) *Result {
	t.Helper()
	design, err := sprt.Fixed(sprt.Hypotheses{Threshold: 0.5, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 10)
	if err != nil {
		t.Fatal(err)
	}
	test := TestEvidence{Name: "a", Scenarios: []string{"a"}, Design: design}
	for i := range 10 {
		found := score.AxisResult{Name: "tone", Max: 10, Points: new(float64(i)), Text: "because"}
		switch i {
		case 2:
			found.Gated, found.Points = true, new(0.0)
		case 3:
			found.Points = nil
		}
		x := &trial.Trial{Scenario: "a", Outcome: trial.Pass}
		(&score.Trial{Axes: []score.AxisResult{found}}).Record(x)
		test.Trials = append(test.Trials, TrialEvidence{Scenario: "a", Number: i, Trial: x})
	}
	r, err := Judge(t.Context(), Evidence{
		Suite: "s", Tests: []TestEvidence{test}, StoppedBy: StoppedByDecision, Spent: Expense{Trials: 10, Attempts: 10},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A result has the points of all trials, and is judged again from them; what does not fit is found where it stands.
func TestAxesOfARun(t *testing.T) {
	r := scored(t)
	a := r.Tests[0].Axes
	// (0+1+0+4+5+6+7+8+9)/9
	if len(a) != 1 || *a[0].Mean != 40.0/9 || a[0].Gated != 1 || a[0].Unknown != 1 || a[0].Marks != "SSGUSSSSSS" {
		t.Fatalf("%+v", a)
	}
	if again, err := r.Rejudge(t.Context()); err != nil {
		t.Fatal(err)
	} else if b := again.Again.(*Result).Tests[0].Axes; *b[0].Mean != *a[0].Mean || b[0].Marks != a[0].Marks {
		t.Errorf("%+v", b)
	}
	for path, change := range map[string]func(*Result){
		"trials[4].score":   func(r *Result) { r.Trials[4].Axes.Axes[0].Points = new(9.0) },
		"trials[2].score":   func(r *Result) { r.Trials[2].Axes = nil },
		"trials.score":      func(r *Result) { r.Trials[2].Axes.Axes[0].Max = -1 },
		"scenarios[0].axes": func(r *Result) { r.Tests[0].Axes[0].Marks = "SSG" },
		"trials[0].score":   func(r *Result) { r.Tests[0].Axes = nil },
	} {
		forged := scored(t)
		change(forged)
		_, err := forged.Rejudge(context.Background())
		var different *verdict.DifferenceError
		if !errors.As(err, &different) || different.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}
