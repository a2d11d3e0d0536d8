package plan_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Three scenarios of four trials with 4, 2 and 0 passes have a correlation of 2/3: the standard error is
// √(1/4 · (1+3·2/3) / 12), with 10 more scenarios of 4 trials that of 13 of them, with 10 more trials that of 3
// scenarios of 14.
func TestVariationOfAPrior(t *testing.T) {
	o := plan.Options{
		Hypotheses: sprt.Hypotheses{Threshold: 0.8, Delta: 0.4, Alpha: 0.05, Beta: 0.1}, MaxTrials: 25, Kind: sprt.WaldKind,
		Scenarios: []intraclass.Group{{Passes: 0, Trials: 4, Scenarios: 1}, {Passes: 2, Trials: 4, Scenarios: 1},
			{Passes: 4, Trials: 4, Scenarios: 1}},
	}
	p, err := plan.Test(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	v := p.Variation
	refdata.Close(t, "correlation", *v.Correlation, 2.0/3, 1e-12)
	refdata.Close(t, "standard error", *v.StandardError, math.Sqrt(0.25*3/12), 1e-12)
	refdata.Close(t, "of more scenarios", v.MoreScenarios.StandardError, math.Sqrt(0.25*3/52), 1e-12)
	refdata.Close(t, "of more trials", v.MoreTrials.StandardError, math.Sqrt(0.25*(1+13*2.0/3)/42), 1e-12)
	// Of one scenario, and of trials that all pass, nothing is known.
	for _, groups := range [][]intraclass.Group{
		{{Passes: 2, Trials: 4, Scenarios: 1}}, {{Passes: 4, Trials: 4, Scenarios: 3}},
	} {
		o.Scenarios = groups
		if p, err := plan.Test(t.Context(), o); err != nil || p.Variation != nil {
			t.Errorf("%+v: %+v, %v", groups, p.Variation, err)
		}
	}
}

// Scenarios of a saved plan whose trials are not the baseline's are refused.
func TestVariationIsOfTheBaseline(t *testing.T) {
	from, err := baseline.Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.TestAgainst(t.Context(), plan.AgainstOptions{
		Question: baseline.Question{Delta: 0.5, Alpha: 0.05, Beta: 0.1, Guard: 0.7}, Sample: from,
		// One of its trials ended in an error, and is in no scenario.
		Recorded:  design.RecordedOf(baseline.Outcome{Trials: 20, Failures: 1}, baseline.Outcome{Trials: 20, Failures: 2}, 1),
		Scenarios: []intraclass.Group{{Passes: 9, Trials: 9, Scenarios: 1}, {Passes: 9, Trials: 10, Scenarios: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Variation == nil || p.Variation.Trials != 19 {
		t.Fatalf("%+v", p.Variation)
	}
	if _, err := p.Rejudge(t.Context()); err != nil {
		t.Error(err)
	}
	p.Variation.Groups[0].Trials++
	_, err = p.Rejudge(t.Context())
	if e, ok := errors.AsType[*verdict.DifferenceError](err); !ok || e.Have != "18 of 20" || e.Want != "18 of 19" {
		t.Errorf("got %v", err)
	}
}
