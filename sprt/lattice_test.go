package sprt

import "testing"

// What is computed at once is what each of the two computes.
func TestCharacteristicsWithTheirQuantile(t *testing.T) {
	h := Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
	d, err := Wald(h, 100)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Boundaries.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{0, 0.5, 0.8, 0.85, 0.9, 1} {
		for _, probability := range []float64{0.05, 0.5, 0.95, 1} {
			c, quantile := l.AtWithQuantile(p, probability)
			if c != l.At(p) || quantile != l.Quantile(p, probability) {
				t.Errorf("at %v: %+v, %d; want %+v, %d", p, c, quantile, l.At(p), l.Quantile(p, probability))
			}
		}
	}
}
