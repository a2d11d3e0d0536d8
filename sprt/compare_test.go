package sprt

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// twoTests are a test of Wald's and an optimal one, small enough to enumerate.
func twoTests(t *testing.T) [2]Boundaries {
	t.Helper()
	h := Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1}
	wald, err := Wald(h, 20)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Optimal(t.Context(), h, OptimalOptions{MaxTrials: 16})
	if err != nil {
		t.Fatal(err)
	}
	return [2]Boundaries{wald.Boundaries, plan.Design.Boundaries}
}

// ends returns the ends of a test from the lowest to the highest, with their
// probabilities at a rate, from the lattice.
func ends(t *testing.T, b Boundaries, p float64) (all []End, probabilities []float64) {
	t.Helper()
	l, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := b.ordered(l.stops[0].trials, l.stops[0].failures)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.stops {
		all = append(all, End{s.trials, s.failures})
		probabilities = append(probabilities, s.probability(p))
	}
	return all, probabilities
}

// A baseline that passed all of n trials and a candidate that failed all of m are the
// most extreme pair of fixed samples: its probability r^n (1-r-delta)^m is largest at
// r = (1-delta) n/(n+m).
func TestComparisonInClosedForm(t *testing.T) {
	sample := func(n int) Boundaries {
		b := Boundaries{PassAtOrBelow: make([]int, n), FailAtOrAbove: make([]int, n)}
		for i := range n {
			b.PassAtOrBelow[i], b.FailAtOrAbove[i] = -1, Never
		}
		return b
	}
	for _, c := range []struct {
		n, m  int
		delta float64
	}{{1, 1, 0}, {2, 2, 0}, {15, 4, 0}, {20, 20, 0}, {5, 7, .1}, {30, 12, .05}} {
		compare, err := NewComparison(sample(c.n), sample(c.m), c.delta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compare.P(End{c.n, 0}, End{c.m, c.m})
		if err != nil {
			t.Fatal(err)
		}
		n, m, all := float64(c.n), float64(c.m), float64(c.n+c.m)
		want := math.Exp(n*math.Log((1-c.delta)*n/all) + m*math.Log((1-c.delta)*m/all))
		if !(got >= want*(1-1e-12) && got <= want*1.0201) {
			t.Errorf("%d and %d, delta %v: %v, want %v", c.n, c.m, c.delta, got, want)
		}
		if got, err = compare.P(End{c.n, c.n}, End{c.m, 0}); err != nil || math.Abs(got-1) > 1e-12 {
			t.Errorf("%d and %d, the least extreme pair: %v, %v", c.n, c.m, got, err)
		}
	}
}

// bruteP is the p-value by its definition: all pairs, all rates of a fine grid.
func bruteP(t *testing.T, two [2]Boundaries, delta float64, i, j int) float64 {
	t.Helper()
	tails := func(b Boundaries, p float64) (below, above []float64) {
		_, masses := ends(t, b, p)
		below, above = make([]float64, len(masses)), make([]float64, len(masses))
		for k := range masses {
			for l, m := range masses {
				if l <= k {
					below[k] += m
				}
				if l >= k {
					above[k] += m
				}
			}
		}
		return below, above
	}
	var first, second [][]float64
	for _, rate := range compareRates(delta, max(two[0].MaxTrials(), two[1].MaxTrials())) {
		_, above := tails(two[0], rate)
		below, _ := tails(two[1], min(rate+delta, 1))
		first, second = append(first, above), append(second, below)
	}
	extremity := func(i, j int) (largest float64) {
		for k := range first {
			largest = max(largest, first[k][i]*second[k][j])
		}
		return largest
	}
	seen := extremity(i, j)
	extreme := map[[2]int]bool{}
	for k := range first[0] {
		for l := range second[0] {
			if extremity(k, l) <= seen*(1+1e-9) {
				extreme[[2]int{k, l}] = true
			}
		}
	}
	largest := 0.0
	const fine = 2000
	for k := range fine + 1 {
		rate := (1 - delta) * float64(k) / fine
		_, before := ends(t, two[0], rate)
		_, after := ends(t, two[1], min(rate+delta, 1))
		sum := 0.0
		for pair := range extreme {
			sum += before[pair[0]] * after[pair[1]]
		}
		largest = max(largest, sum)
	}
	return largest
}

func TestComparisonAgreesWithEnumeration(t *testing.T) {
	t.Parallel()
	two := twoTests(t)
	first, _ := ends(t, two[0], .5)
	second, _ := ends(t, two[1], .5)
	for _, delta := range []float64{0, .2} {
		compare, err := NewComparison(two[0], two[1], delta)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(first); i += thorough.Draws(10, 5) {
			for j := 0; j < len(second); j += thorough.Draws(8, 4) {
				got, err := compare.P(first[i], second[j])
				if err != nil {
					t.Fatal(err)
				}
				want := bruteP(t, two, delta, i, j)
				if !(got >= want*(1-1e-9) && got <= want*1.0201+1e-12) {
					t.Errorf("delta %v, %v and %v: %v, by enumeration %v", delta, first[i], second[j], got, want)
				}
			}
		}
	}
}

// With rates delta apart or more the p-value is at most a level with at most that
// probability.
func TestComparisonHoldsItsLevel(t *testing.T) {
	two := twoTests(t)
	for _, delta := range []float64{0, .2} {
		compare, err := NewComparison(two[0], two[1], delta)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := ends(t, two[0], .5)
		second, _ := ends(t, two[1], .5)
		p := make([][]float64, len(first))
		for i, f := range first {
			for _, s := range second {
				x, err := compare.P(f, s)
				if err != nil {
					t.Fatal(err)
				}
				p[i] = append(p[i], x)
			}
		}
		largest := map[float64]float64{.01: 0, .05: 0, .1: 0, .5: 0}
		for rate := 0.0; rate+delta <= 1; rate += .02 {
			for _, further := range []float64{0, .05} {
				_, before := ends(t, two[0], rate)
				_, after := ends(t, two[1], min(rate+delta+further, 1))
				for level := range largest {
					sum := 0.0
					for i := range p {
						for j := range p[i] {
							if p[i][j] <= level {
								sum += before[i] * after[j]
							}
						}
					}
					if sum > level {
						t.Errorf("delta %v, rate %v: p is at most %v with probability %v", delta, rate, level, sum)
					}
					largest[level] = max(largest[level], sum)
				}
			}
		}
		if largest[.05] < .02 {
			t.Errorf("delta %v: the level of 0.05 is used up to %v alone", delta, largest[.05])
		}
	}
}

// The longest designs are compared in bounded memory.
func TestComparisonOfLongTests(t *testing.T) {
	const n = 1000
	fixed, err := Fixed(Hypotheses{Threshold: .9, Delta: .05, Alpha: .05, Beta: .1}, n)
	if err != nil {
		t.Fatal(err)
	}
	compare, err := NewComparison(fixed.Boundaries, fixed.Boundaries, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.P(End{n, 100}, End{n, 128})
	if err != nil {
		t.Fatal(err)
	}
	// With so many trials the score test of two rates is nearly right.
	z := (128. - 100) / math.Sqrt(228*(1-228/(2.*n)))
	if want := dist.NormalSurvival(z); math.Abs(got/want-1) > .1 {
		t.Errorf("p = %v, by the normal approximation %v", got, want)
	}
	if kept := len(compare.first.known) * len(compare.first.stops); kept > compareKept+n {
		t.Errorf("%d probabilities are kept", kept)
	}
}

func TestComparisonRefuses(t *testing.T) {
	two := twoTests(t)
	for _, delta := range []float64{-.1, 1, math.NaN()} {
		if _, err := NewComparison(two[0], two[1], delta); err == nil {
			t.Errorf("delta %v is taken", delta)
		}
	}
	if _, err := NewComparison(two[0], Boundaries{}, 0); err == nil {
		t.Error("no boundaries are taken")
	}
	compare, err := NewComparison(two[0], two[1], 0)
	if err != nil {
		t.Fatal(err)
	}
	there, _ := ends(t, two[0], .5)
	if p, err := compare.P(there[0], End{2, 1}); err == nil || !math.IsNaN(p) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := compare.P(End{0, 0}, there[0]); err == nil || !math.IsNaN(p) {
		t.Errorf("%v, %v", p, err)
	}
}

func BenchmarkComparison(b *testing.B) {
	h := Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	plan, err := Optimal(b.Context(), h, OptimalOptions{MaxTrials: 152})
	if err != nil {
		b.Fatal(err)
	}
	design := plan.Design.Boundaries
	for b.Loop() {
		compare, err := NewComparison(design, design, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := compare.P(End{15, 0}, End{16, 6}); err != nil {
			b.Fatal(err)
		}
	}
}
