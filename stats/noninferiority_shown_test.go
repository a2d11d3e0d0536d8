package stats

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The answer without its number is that of the number.
func TestShowsNonInferiorityIsTheTestsAnswer(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		counts := func(name string) Counts {
			n := rapid.IntRange(1, 120).Draw(t, name)
			return Counts{Passes: rapid.IntRange(0, n).Draw(t, name+" passes"), Trials: n}
		}
		b, k := counts("baseline"), counts("candidate")
		delta := rapid.Float64Range(0.01, 0.5).Draw(t, "delta")
		beta := rapid.Float64Range(0.001, 0.5).Draw(t, "beta")
		p, err := NonInferiority(t.Context(), b, k, delta)
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := ShowsNonInferiority(t.Context(), b, k, delta, beta); err != nil || shown != (p <= beta) {
			t.Fatalf("%v, %v; p is %v", shown, err, p)
		}
		r, err := StratifiedNonInferiority(t.Context(), []Stratum{{b, k}, {b, k}}, nil, delta)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := ShowsStratifiedNonInferiority(t.Context(), []Stratum{{b, k}, {b, k}}, nil, delta, beta)
		if err != nil || shown != (r.P <= beta) {
			t.Fatalf("within strata %v, %v; p is %v", shown, err, r.P)
		}
	})
}

// Hoeffding's bound is never below the p-value.
func TestHoeffdingBoundsTheScore(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 80).Draw(t, "baseline"), rapid.IntRange(1, 80).Draw(t, "candidate")
		b := Counts{Passes: rapid.IntRange(0, n).Draw(t, "passes"), Trials: n}
		k := Counts{Passes: rapid.IntRange(0, m).Draw(t, "candidate passes"), Trials: m}
		delta := rapid.Float64Range(0.02, 0.6).Draw(t, "delta")
		event := newNonInferiorityEvent(n, m, delta)
		bound := event.hoeffding(-event.ordering(b.Fails(), k.Fails()))
		if p, err := NonInferiority(t.Context(), b, k, delta); err != nil || p > bound*(1+1e-6)+1e-7 {
			t.Fatalf("%v and %v: p %v, %v; bound %v", b, k, p, err, bound)
		}
	})
}
