package special

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// The inverse is checked against the same rows: it must return x.
func TestBetaQuantileReference(t *testing.T) {
	for _, test := range betaTailReference {
		p, q := test.lower, test.upper
		if p < 0 {
			p = 1 - q
		} else if q < 0 {
			q = 1 - p
		}
		if math.Min(p, q) < 1e-290 {
			continue
		}
		x, y := BetaQuantile(test.a, test.b, p, q)
		name := fmt.Sprintf("Beta(%v, %v), p = %v, q = %v: ", test.a, test.b, p, q)
		refdata.Close(t, name+"x", x, test.x, 1e-10)
		// 1-x of the row is itself rounded, by up to an ulp of x.
		if want := 1 - test.x; math.Abs(y-want) > 1e-10*want+2e-16 {
			t.Errorf("%sy = %v, want %v", name, y, want)
		}
	}
}

// Far out the first term of the power series is all there is: for Beta(1, b) the
// quantile is 1-(1-p)^(1/b), for Beta(a, 1) it is p^(1/a).
func TestBetaQuantileClosedForms(t *testing.T) {
	for _, p := range []float64{1e-300, 1e-40, 1e-9, 0.01, 0.4, 0.6, 0.999} {
		for _, shape := range []float64{0.05, 0.5, 1, 3.5, 40, 1e6} {
			x, _ := BetaQuantile(1, shape, p, 1-p)
			refdata.Close(t, fmt.Sprintf("Beta(1, %v) at %v", shape, p), x, -math.Expm1(math.Log1p(-p)/shape), 1e-12)
			if want := math.Exp(math.Log(p) / shape); want > 1e-290 {
				x, _ := BetaQuantile(shape, 1, p, 1-p)
				refdata.Close(t, fmt.Sprintf("Beta(%v, 1) at %v", shape, p), x, want, 1e-12)
			}
		}
	}
}

func TestBetaQuantileEnds(t *testing.T) {
	for _, shape := range [][2]float64{{1, 1}, {0.5, 900}, {3, 0.05}} {
		if x, y := BetaQuantile(shape[0], shape[1], 0, 1); x != 0 || y != 1 {
			t.Errorf("Beta(%v): 0-quantile %v, %v", shape, x, y)
		}
		if x, y := BetaQuantile(shape[0], shape[1], 1, 0); x != 1 || y != 0 {
			t.Errorf("Beta(%v): 1-quantile %v, %v", shape, x, y)
		}
	}
}

func BenchmarkBetaQuantile(b *testing.B) {
	for _, n := range []float64{10, 100, 1e4, 1e6, 1e9} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				BetaQuantile(0.9*n, 0.1*n+1, 0.025, 0.975)
			}
		})
	}
}
