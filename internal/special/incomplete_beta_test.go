package special

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestBetaTailsReference(t *testing.T) {
	for _, test := range betaTailReference {
		lower, upper := BetaTails(test.a, test.b, test.x, 1-test.x)
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

func TestBetaTailsLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		a := math.Exp(rapid.Float64Range(-3, 18).Draw(t, "log a"))
		b := math.Exp(rapid.Float64Range(-3, 18).Draw(t, "log b"))
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		lower, upper := BetaTails(a, b, x, 1-x)
		if !(lower >= 0 && upper >= 0) || math.Abs(lower+upper-1) > 1e-15 {
			t.Fatalf("tails %v and %v", lower, upper)
		}
		if more, _ := BetaTails(a, b, math.Min(1, x*1.01), 1-math.Min(1, x*1.01)); more < lower*(1-1e-12) {
			t.Fatalf("the lower tail falls from %v to %v", lower, more)
		}
		p := rapid.Float64Range(1e-12, 0.5).Draw(t, "p")
		qx, qy := BetaQuantile(a, b, p, 1-p)
		if qx > 1e-200 && qy > 1e-200 {
			if got, _ := BetaTails(a, b, qx, qy); math.Abs(got-p) > 1e-9*p {
				t.Fatalf("P(X <= %v) = %v, want %v", qx, got, p)
			}
		}
	})
}
