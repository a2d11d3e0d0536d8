package spending

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

var usual = sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}

// Whatever the looks, the errors stay within their targets.
func TestLooksKeepTheirPromises(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		s := Function(rapid.IntRange(0, 2).Draw(t, "spending"))
		looks, err := New(usual, 120, s)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 120; {
			n = min(n+rapid.IntRange(1, 60).Draw(t, "next look"), 120)
			if err := looks.Look(n); err != nil {
				t.Fatal(err)
			}
			if e, err := looks.Design().Errors(); err != nil || !e.Within(usual) {
				t.Fatalf("after the look at %d: %+v, %v", n, e, err)
			}
		}
	})
}

// By the last look nearly all of the error is used up.
func TestLooksUseTheirErrors(t *testing.T) {
	for _, s := range []Function{OBrienFleming, Pocock, Linear} {
		looks, _ := New(usual, 150, s)
		for n := 30; n <= 150; n += 30 {
			if err := looks.Look(n); err != nil {
				t.Fatal(err)
			}
		}
		e, _ := looks.Design().Errors()
		if e.Alpha < 0.02 || e.Beta < 0.04 {
			t.Errorf("spending %v: %+v", s, e)
		}
		if err := looks.Look(150); err == nil {
			t.Error("a second look after the same trials")
		}
	}
}

// Lan and DeMets' O'Brien-Fleming function at half of the information, for a
// one-sided 0.025: 2 - 2Φ(2.2414/√½) = 0.00153.
func TestSpendingFunctions(t *testing.T) {
	refdata.Near(t, "O'Brien-Fleming", OBrienFleming.spent(0.025, 0.5), 0.00152532, 1e-8)
	refdata.Near(t, "Pocock", Pocock.spent(0.025, 0.5), 0.025*math.Log(1+(math.E-1)/2), 1e-15)
	for _, s := range []Function{OBrienFleming, Pocock, Linear} {
		refdata.Near(t, "start", s.spent(0.05, 0), 0, 0)
		refdata.Near(t, "end", s.spent(0.05, 1), 0.05, 1e-15)
	}
}
