package compare

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// The behaviour counts only where it is asked to.
func TestBehaviourInAVerdict(t *testing.T) {
	changed, same, untested := &behaviour.Comparison{Changed: true, Tested: true, P: .01, Alpha: .05},
		&behaviour.Comparison{Tested: true, P: .4, Alpha: .05}, &behaviour.Comparison{P: 1, Alpha: .05}
	// Of this edition, what shows no detected change is open until a shift is excluded.
	small := .3
	open := &behaviour.Comparison{Edition: behaviour.Edition, Tested: true, P: .4, Alpha: .05,
		Excluded: &behaviour.Exclusion{Shift: .2, Excluded: &small, Column: "steps"}}
	shown := &behaviour.Comparison{Edition: behaviour.Edition, Tested: true, P: .4, Alpha: .05,
		Excluded: &behaviour.Exclusion{Shift: .5, Excluded: &small, Shown: true}}
	for _, c := range []struct {
		rate   verdict.Verdict
		b      *behaviour.Comparison
		counts bool
		want   verdict.Verdict
	}{
		{verdict.Pass, changed, false, verdict.Pass}, {verdict.Pass, changed, true, verdict.Fail},
		{verdict.Inconclusive, changed, true, verdict.Fail}, {verdict.Pass, same, true, verdict.Pass},
		{verdict.Fail, same, true, verdict.Fail},
		{verdict.Pass, open, true, verdict.Inconclusive}, {verdict.Pass, shown, true, verdict.Pass},
		{verdict.Fail, open, true, verdict.Fail}, {verdict.Pass, open, false, verdict.Pass},
		{verdict.Pass, untested, true, verdict.Inconclusive}, {verdict.Fail, untested, true, verdict.Fail},
		{verdict.Pass, untested, false, verdict.Pass},
	} {
		comparison := &Result{Verdict: c.rate, ExitCode: c.rate.ExitCode(),
			Reasons: []verdict.Reason{{Code: "rate", Text: "as it is"}}}
		comparison.AddBehaviour(c.b, c.counts)
		if comparison.Verdict != c.want || comparison.ExitCode != c.want.ExitCode() || comparison.Behaviour != c.b {
			t.Errorf("%v with %+v, counts %v: %v", c.rate, c.b, c.counts, comparison.Verdict)
		}
		if first := comparison.Reasons[0].Code; (first != "rate") != (c.want != c.rate) && c.rate != verdict.Fail {
			t.Errorf("%v with %+v: the first reason is %s", c.rate, c.b, first)
		}
	}
	for b, want := range map[*behaviour.Comparison]verdict.Verdict{changed: verdict.Fail, same: verdict.Pass,
		untested: verdict.Inconclusive, open: verdict.Inconclusive, shown: verdict.Pass} {
		if got := behaviour.Judge("a", "b", b); got.Verdict != want || got.ExitCode != want.ExitCode() ||
			len(got.Reasons) != 1 {
			t.Errorf("%+v: %+v", b, got)
		}
	}
}
