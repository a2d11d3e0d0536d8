package sprt

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// The design of 90 and 80 % with at most 152 trials errs so often where each answer is served 2, 3, 5 and 10 times, by
// another program, to a tenth of a percent.
func TestServedDesign(t *testing.T) {
	plan := optimal(t, Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}, OptimalOptions{MaxTrials: 152})
	for times, want := range map[int][2]float64{2: {.281, .142}, 3: {.421, .174}, 5: {.555, .192}, 10: {.640, .190}} {
		low, err := plan.Design.Boundaries.Served(times, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		high, err := plan.Design.Boundaries.Served(times, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(low.Pass-want[0]) > 0.0006 || math.Abs(high.Fail-want[1]) > 0.0006 {
			t.Errorf("%d times: false Pass %.4f and false Fail %.4f, not %v", times, low.Pass, high.Fail, want)
		}
	}
}

// Of a short test all sequences of answers are enumerated. Served once, it is the lattice's.
func TestServedByEnumeration(t *testing.T) {
	b := Boundaries{
		PassAtOrBelow: []int{-1, -1, 0, 0, 1, 1, 2},
		FailAtOrAbove: []int{Never, 2, 2, 3, 4, 4, 4},
	}
	for times := 1; times <= 8; times++ {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			const p = 0.7
			var want Characteristics
			answers := (b.MaxTrials() + times - 1) / times
			for bits := range 1 << answers {
				chance, failures := 1.0, 0
				for i := range answers {
					chance *= [2]float64{p, 1 - p}[bits>>i&1]
				}
				for n := 1; n <= b.MaxTrials(); n++ {
					failures += bits >> ((n - 1) / times) & 1
					if end := b.at(n, failures); end != Undecided {
						want.add(stop{trials: n, outcome: end}, chance)
						break
					}
				}
			}
			got, err := b.Served(times, p)
			if err != nil {
				t.Fatal(err)
			}
			refdata.Close(t, "Pass", got.Pass, want.Pass, 1e-12)
			refdata.Close(t, "Fail", got.Fail, want.Fail, 1e-12)
			refdata.Close(t, "Inconclusive", got.Inconclusive, want.Inconclusive, 1e-12)
			refdata.Close(t, "expected trials", got.ExpectedTrials, want.ExpectedTrials, 1e-12)
			if once, err := b.Characteristics(p); times == 1 && (err != nil || math.Abs(once.Pass-got.Pass) > 1e-12) {
				t.Errorf("%+v, %v, and not %+v", got, err, once)
			}
		})
	}
	if _, err := b.Served(0, 0.5); err == nil {
		t.Error("an answer that is never served")
	}
	if c, err := b.Served(2, 1.5); err != nil || !math.IsNaN(c.Pass) {
		t.Error(c, err)
	}
}
