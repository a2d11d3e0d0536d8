package labels

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/trial"
)

// sheetOf labels every trial of a recording whose trial i the judge passes and the person passes as said, with an
// output
// of so many characters.
func sheetOf(t *testing.T, n int, answer func(i int) (judge, person bool, length int)) *LabelledSheet {
	t.Helper()
	var r Recording
	for i := range n {
		judge, _, length := answer(i)
		x := &trial.Trial{
			Scenario: "s", Index: trial.Some(i), Outcome: trial.Fail, Input: trial.RawString(fmt.Sprint(i)),
			Output: trial.RawString(fmt.Sprintf("%0*d", length, 0)),
		}
		if judge {
			x.Outcome = trial.Pass
		}
		r.Add(x)
	}
	s, err := Draw(&r, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &LabelledSheet{Key: s.Key}
	for _, row := range s.Key.Rows {
		_, person, _ := answer(row.Trial)
		l.Labels = append(l.Labels, person)
	}
	return l
}

// Where every trial has a label, agreement is that of a table of counts: 20, 5, 10 and 15 have Cohen's kappa .4, and
// Krippendorff's alpha 1 - 99·15/(55·45) = .4.
func TestAgreementOfTheWholeRecording(t *testing.T) {
	l := sheetOf(t, 50, func(i int) (bool, bool, int) { return i < 25, i < 20 || i >= 25 && i < 35, 1 })
	w, err := l.shares(.05)
	if err != nil {
		t.Fatal(err)
	}
	if w.Labels != (Counts{20, 5, 10, 15}) || math.Abs(*w.Kappa-.4) > 1e-12 || math.Abs(*w.Alpha-.4) > 1e-12 {
		t.Errorf("%+v, kappa %v, alpha %v", w.Labels, *w.Kappa, *w.Alpha)
	}
	for name, c := range map[string]struct {
		got  Share
		want float64
	}{
		"sensitivity": {w.Sensitivity, 20. / 30}, "specificity": {w.Specificity, 15. / 20}, "PPV": {w.PPV, 20. / 25},
		"NPV": {w.NPV, 15. / 25},
	} {
		if math.Abs(*c.got.Value-c.want) > 1e-12 || c.got.Interval.Low >= c.want || c.got.Interval.High <= c.want {
			t.Errorf("%s: %v in %v, not %v", name, *c.got.Value, c.got.Interval, c.want)
		}
	}
	if w.Rate.Judge != .5 || math.Abs(w.Rate.True-.6) > 1e-12 {
		t.Errorf("%+v", w.Rate)
	}
}

// A judge that passes what is long is found, with the p-value of Fisher's test; what comes later is no matter then.
func TestLengthBias(t *testing.T) {
	// Of 40 good answers it passes the 20 long ones, and 10 of the short ones; all alternate, so the order tells
	// nothing.
	l := sheetOf(t, 40, func(i int) (bool, bool, int) { return i%2 == 0 || i%4 == 1, true, 10 + 90*(1-i%2) })
	later := func(r Row) bool { return 2*r.Position >= l.Key.Judged }
	b, err := l.bias(t.Context(), l.longer())
	if err != nil {
		t.Fatal(err)
	}
	order, err := l.bias(t.Context(), later)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Known || b.Of[1].OfPasses != (LabelTally{20, 20}) || b.Of[0].OfPasses != (LabelTally{10, 20}) {
		t.Fatalf("%+v", b)
	}
	// The hypergeometric chance of all or none of the 20, one by one: 30 of 40 are passed.
	choose := func(n, k int) float64 {
		x := 1.
		for i := range k {
			x *= float64(n-i) / float64(i+1)
		}
		return x
	}
	want := 0.
	for k := 10; k <= 20; k++ {
		if p := choose(20, k) * choose(20, 30-k) / choose(40, 30); p <= choose(20, 20)*choose(20, 10)/choose(40,
			30)*(1+1e-7) {
			want += p
		}
	}
	if math.Abs(b.P-want) > 1e-9 || order.P < .5 {
		t.Errorf("p %v, not %v; of the order %v", b.P, want, order.P)
	}
	// A judge that changed in the middle is found by the order.
	l = sheetOf(t, 40, func(i int) (bool, bool, int) { return i < 20 || i%4 == 0, true, 10 + 90*(i%2) })
	if order, err = l.bias(t.Context(), later); err != nil || order.P > .001 || order.Of[0].OfPasses != (LabelTally{20,
		20}) {
		t.Errorf("%+v, %v", order, err)
	}
}

// The p-value of a bias that is not there is small as often as it says, over all that could be drawn: also where trials
// are drawn by the judge's verdict.
func TestBiasKeepsItsLevel(t *testing.T) {
	// 12 long and 12 short good answers, each passed with .7: a draw of 8 that it passed and 4 that it failed,
	// enumerated.
	const alpha = .2
	chance := 0.
	law := dist.Binomial{N: 12, P: .7}
	for long := range 13 {
		for short := range 13 {
			passed := long + short
			if passed < 8 || passed > 20 {
				continue
			}
			mass := law.Prob(long) * law.Prob(short)
			drawnPass, drawnFail := dist.Hypergeometric{Population: passed, Successes: long, Draws: 8},
				dist.Hypergeometric{Population: 24 - passed, Successes: 12 - long, Draws: 4}
			for a := range 9 {
				for b := range 5 {
					l := &LabelledSheet{Key: Key{Judged: 24, Passed: passed}}
					for i := range 12 {
						isLong := i < a || i >= 8 && i-8 < b
						length := 1
						if isLong {
							length = 9
						}
						l.Key.Rows = append(l.Key.Rows, Row{Passed: i < 8, Length: length})
						l.Labels = append(l.Labels, true)
					}
					found, err := l.bias(t.Context(), func(r Row) bool { return r.Length > 5 })
					if err != nil {
						t.Fatal(err)
					}
					if found.P <= alpha {
						chance += mass * drawnPass.Prob(a) * drawnFail.Prob(b)
					}
				}
			}
		}
	}
	if chance > alpha || chance < alpha/20 {
		t.Errorf("a bias is found in %v where there is none", chance)
	}
}

// An answer that was judged twice may have been judged both ways.
func TestRepeats(t *testing.T) {
	var r Recording
	for i, x := range []struct {
		output string
		passed bool
	}{{"a", true}, {"a", false}, {"b", true}, {"b", true}, {"c", true}, {"d", false}, {"a", true}} {
		outcome := trial.Fail
		if x.passed {
			outcome = trial.Pass
		}
		r.Add(&trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: outcome, Output: trial.RawString(x.output)})
	}
	if got := r.repeats(); got != (Repeats{Answers: 2, Flipped: 1}) {
		t.Errorf("%+v", got)
	}
}
