package sprt

import (
	"math"
	"testing"
)

// twoTests are a test of Wald's and a fixed one, small enough to enumerate.
func twoTests(t *testing.T) [2]Boundaries {
	t.Helper()
	h := Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1}
	wald, err := Wald(h, 20)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := Fixed(h, 16)
	if err != nil {
		t.Fatal(err)
	}
	return [2]Boundaries{wald.Boundaries, fixed.Boundaries}
}

// ends returns the ends of a test with their probabilities at a rate.
func ends(t *testing.T, b Boundaries, p float64) (all []End, probabilities []float64) {
	t.Helper()
	l, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.stops {
		all = append(all, End{b, s.trials, s.failures})
		probabilities = append(probabilities, s.probability(p))
	}
	return all, probabilities
}

// The p-value is at most a level exactly where the limits at half of it are apart.
func TestLowerPAgreesWithLimits(t *testing.T) {
	two := twoTests(t)
	baselines, _ := ends(t, two[0], .5)
	candidates, _ := ends(t, two[1], .5)
	apart := 0
	for _, b := range baselines {
		for _, c := range candidates {
			p, err := LowerP(b, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, level := range []float64{.01, .05, .3, .9} {
				if math.Abs(p-level) < 1e-9 {
					continue
				}
				before, err := b.Boundaries.Estimate(b.Trials, b.Failures, level)
				if err != nil {
					t.Fatal(err)
				}
				after, err := c.Boundaries.Estimate(c.Trials, c.Failures, level)
				if err != nil {
					t.Fatal(err)
				}
				separate := after.Interval.High < before.Interval.Low
				if separate != (p <= level) {
					t.Errorf("%d/%d against %d/%d at %v: p %v, limits %v and %v", c.Failures, c.Trials, b.Failures, b.Trials, level, p, after.Interval, before.Interval)
				}
				if separate {
					apart++
				}
			}
		}
	}
	if apart < 20 {
		t.Errorf("only %d limits are apart", apart)
	}
}

// Of equal rates the p-value is at most a level with at most that probability, summed
// over all pairs of ends.
func TestLowerPHoldsItsLevel(t *testing.T) {
	two := twoTests(t)
	for rate := .05; rate < 1; rate += .05 {
		baselines, before := ends(t, two[0], rate)
		candidates, after := ends(t, two[1], rate)
		below := map[float64]float64{.01: 0, .05: 0, .2: 0, .5: 0}
		for i, b := range baselines {
			for j, c := range candidates {
				p, err := LowerP(b, c)
				if err != nil {
					t.Fatal(err)
				}
				for level := range below {
					if p <= level {
						below[level] += before[i] * after[j]
					}
				}
			}
		}
		for level, probability := range below {
			if probability > level {
				t.Errorf("rate %v: p is at most %v with probability %v", rate, level, probability)
			}
		}
	}
}

func TestLowerPRefusesOtherEnds(t *testing.T) {
	two := twoTests(t)
	there, _ := ends(t, two[0], .5)
	nowhere := End{two[1], 3, 1}
	if p, err := LowerP(there[0], nowhere); err == nil || !math.IsNaN(p) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := LowerP(nowhere, there[0]); err == nil || !math.IsNaN(p) {
		t.Errorf("%v, %v", p, err)
	}
}
