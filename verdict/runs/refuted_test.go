package runs

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// By hand: the mixture of all rates is 2,100 times as likely as 0.8 after 23 of 45 passes, and less than 1,000 times
// after 26 of 45. Of 185 pairs 91 that differ are more than 0.3 allows, and 70 are not.
func TestRoundsRefuteWhatTheyRestOn(t *testing.T) {
	for _, c := range []struct {
		regression Regression
		refuted    bool
	}{
		{Regression{Kind: SideBySideKind, Low: .8, High: 1, Baseline: Side{Trials: 45, Passes: 23, Fails: 22}}, true},
		{Regression{Kind: SideBySideKind, Low: .8, High: 1, Baseline: Side{Trials: 45, Passes: 26, Fails: 19}}, false},
		// An error might have been a pass.
		{Regression{Kind: SideBySideKind, Low: .8, High: 1,
			Baseline: Side{Trials: 45, Passes: 23, Fails: 19, Errors: 3}}, false},
		{Regression{Kind: SideBySideKind, High: 1, Baseline: Side{Trials: 45, Fails: 45}}, false},
		{Regression{Kind: MatchedKind, High: .3, Baseline: Side{Trials: 185},
			Pairs: &Pairs{Broke: 47, Fixed: 44}}, true},
		{Regression{Kind: MatchedKind, High: .3, Baseline: Side{Trials: 185},
			Pairs: &Pairs{Broke: 35, Fixed: 35}}, false},
	} {
		for _, v := range []verdict.Verdict{verdict.Pass, verdict.Fail} {
			r := c.regression
			r.Verdict, r.PUnchanged, r.PDropped = v, new(.04), new(.04)
			if err := r.refute(); err != nil {
				t.Fatal(err)
			}
			if r.Refuted() != c.refuted || (r.Verdict == verdict.Inconclusive) != c.refuted ||
				(r.PUnchanged == nil) != c.refuted || (r.PDropped == nil) != c.refuted {
				t.Errorf("%+v: %v, %v", c.regression, r.Verdict, r.Reasons)
			}
		}
	}
}
