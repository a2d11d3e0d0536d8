package plan

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// A test in rounds keeps its errors at every rate that it shows, and is described again from
// what is saved.
func TestInRoundsOfBothSides(t *testing.T) {
	p, err := TestInRounds(t.Context(), RoundsOptions{Delta: .5, Alpha: .05, Beta: .1, Guard: .8, PriceUSD: new(.5)})
	if err != nil {
		t.Fatal(err)
	}
	d := p.Design
	if p.Baseline != nil || d.Kind != SideBySideKind || !d.Gates || d.Alpha > .05 || d.Beta > .1 || d.Gap > .1 {
		t.Errorf("the design is %+v", d)
	}
	for _, point := range p.Points {
		if point.Unchanged.Fail > .05 || point.Dropped.Pass > .1 || point.Unchanged.Given != nil ||
			point.Unchanged.ASN > float64(d.MaxTrials) || !point.Guarded {
			t.Errorf("%+v", point)
		}
	}
	// A round is a trial of both sides.
	if got, want := *p.Price.Worst.USD, .5*2*float64(d.MaxTrials); got != want {
		t.Errorf("at worst it costs %v, not %v", got, want)
	}
	found, err := p.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again := found.Again.(*Against); again.Design.Digest != d.Digest || len(again.Points) != len(p.Points) {
		t.Errorf("described again it is %+v", again.Design)
	}
	if _, err := TestInRounds(t.Context(), RoundsOptions{Delta: .5, Alpha: .05, Beta: .1,
		Guard: .4}); !is[*baseline.HypothesesError](err) {
		t.Errorf("rates below delta: %v", err)
	}
}
