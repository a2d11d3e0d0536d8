package stats

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestBetaTailsReference(t *testing.T) {
	for _, test := range betaTailReference {
		lower, upper := betaTails(test.a, test.b, test.x, 1-test.x)
		name := fmt.Sprintf("Beta(%v, %v) at %v: ", test.a, test.b, test.x)
		tolerance := 1e-12
		if test.a+test.b > 1e7 {
			tolerance = 1e-11
		}
		if test.lower >= 0 {
			refdata.Close(t, name+"lower", lower, test.lower, tolerance)
		}
		if test.upper >= 0 {
			refdata.Close(t, name+"upper", upper, test.upper, tolerance)
		}
	}
}

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
		x, y := betaQuantile(test.a, test.b, p, q)
		name := fmt.Sprintf("Beta(%v, %v), p = %v, q = %v: ", test.a, test.b, p, q)
		refdata.Close(t, name+"x", x, test.x, 1e-10)
		// 1-x of the row is itself rounded, by up to an ulp of x.
		if want := 1 - test.x; math.Abs(y-want) > 1e-10*want+2e-16 {
			t.Errorf("%sy = %v, want %v", name, y, want)
		}
	}
}

func TestBetaTailsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := math.Exp(rapid.Float64Range(-3, 18).Draw(t, "log a"))
		b := math.Exp(rapid.Float64Range(-3, 18).Draw(t, "log b"))
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		lower, upper := betaTails(a, b, x, 1-x)
		if !(lower >= 0 && upper >= 0) || math.Abs(lower+upper-1) > 1e-15 {
			t.Fatalf("tails %v and %v", lower, upper)
		}
		if more, _ := betaTails(a, b, math.Min(1, x*1.01), 1-math.Min(1, x*1.01)); more < lower*(1-1e-12) {
			t.Fatalf("the lower tail falls from %v to %v", lower, more)
		}
		p := rapid.Float64Range(1e-12, 0.5).Draw(t, "p")
		qx, qy := betaQuantile(a, b, p, 1-p)
		if qx > 1e-200 && qy > 1e-200 {
			if got, _ := betaTails(a, b, qx, qy); math.Abs(got-p) > 1e-9*p {
				t.Fatalf("P(X <= %v) = %v, want %v", qx, got, p)
			}
		}
	})
}

func BenchmarkBetaQuantile(b *testing.B) {
	for _, n := range []float64{10, 100, 1e4, 1e6, 1e9} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				betaQuantile(0.9*n, 0.1*n+1, 0.025, 0.975)
			}
		})
	}
}
