package plan

import (
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt"
)

// The schedule is the test: its errors, by the tree of binomial counts between its looks, are
// those of the design, and within what was asked for.
func TestScheduleOfLooks(t *testing.T) {
	for _, want := range []struct{ looks, trials, listed int }{{4, 152, 4}, {1, 109, 1}, {7, 30, 6}} {
		h := sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
		if want.trials < 100 {
			h.Delta = .3
		}
		p, err := Test(t.Context(), Options{Hypotheses: h, MaxTrials: want.trials, Looks: want.looks, Kind: sprt.OptimalKind})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Looks) != want.listed || p.Looks[len(p.Looks)-1].Trials != want.trials {
			t.Fatalf("%+v: looks %+v", want, p.Looks)
		}
		pass, _ := errorsOf(p.Looks, h.Lower())
		_, fail := errorsOf(p.Looks, h.Threshold)
		refdata.Near(t, "false Pass", pass, p.Design.Beta, 1e-10)
		refdata.Near(t, "false Fail", fail, p.Design.Alpha, 1e-10)
		if pass > h.Beta || fail > h.Alpha {
			t.Errorf("%+v: errors %v and %v", want, fail, pass)
		}
	}
}

// errorsOf walks from look to look.
func errorsOf(looks []PlannedLook, rate float64) (pass, fail float64) {
	alive, before := map[int]float64{0: 1}, 0
	for _, l := range looks {
		next := map[int]float64{}
		for f, mass := range alive {
			for more := 0; more <= l.Trials-before; more++ {
				next[f+more] += mass * refdata.ExactBinomial(l.Trials-before, more, 1-rate)
			}
		}
		for f, mass := range next {
			switch {
			case f <= l.PassAtOrBelow:
				pass += mass
				delete(next, f)
			case l.FailAtOrAbove != nil && f >= *l.FailAtOrAbove:
				fail += mass
				delete(next, f)
			}
		}
		alive, before = next, l.Trials
	}
	return pass, fail
}
