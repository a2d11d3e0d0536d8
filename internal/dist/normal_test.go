package dist

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestNormalSurvivalReference(t *testing.T) {
	refdata.Each(t, "normal-sf", func(t *testing.T, args struct{ X float64 }, want float64) {
		refdata.Close(t, "NormalSurvival", NormalSurvival(args.X), want, 1e-10)
		refdata.Close(t, "NormalCDF", NormalCDF(-args.X), want, 1e-10)
	})
}

// mpmath 1.2.1 with 40 digits: erfc(x/sqrt(2))/2.
func TestNormalSurvivalAgainstMpmath(t *testing.T) {
	for _, test := range []struct{ x, want float64 }{
		{-40, 1},
		{-8.3, 9.9999999999999995e-1},
		{-1, 8.4134474606854295e-1},
		{0, 0.5},
		{1e-09, 4.9999999960105772e-1},
		{1.5, 6.6807201268858066e-2},
		{8.3, 5.205569744890254e-17},
		{25, 3.0566967063825609e-138},
		{37.5, 4.6053530095819548e-308},
		{math.Inf(1), 0},
		{math.Inf(-1), 1},
	} {
		refdata.Close(t, fmt.Sprintf("NormalSurvival(%v)", test.x), NormalSurvival(test.x), test.want, 1e-12)
		refdata.Close(t, fmt.Sprintf("NormalCDF(%v)", -test.x), NormalCDF(-test.x), test.want, 1e-12)
	}
}

// mpmath 1.2.1 with 60 digits: findroot on the logarithm of erfc(x/sqrt(2))/2.
func TestNormalQuantileAgainstMpmath(t *testing.T) {
	for _, test := range []struct{ p, want float64 }{
		{0, math.Inf(1)},
		{1e-300, 3.7047096299361199e+1},
		{1e-100, 2.1273453560965324e+1},
		{1e-20, 9.2623400897984076},
		{3e-7, 4.9912171399076973},
		{0.005, 2.5758293035489008},
		{0.025, 1.9599639845400542},
		{0.05, 1.6448536269514727},
		{0.2, 8.4162123357291417e-1},
		{0.5, 0},
		{0.8, -8.4162123357291436e-1},
		{0.999, -3.0902323061678133},
		{1, math.Inf(-1)},
	} {
		refdata.Close(t, fmt.Sprintf("NormalUpperQuantile(%v)", test.p), NormalUpperQuantile(test.p), test.want, 1e-14)
		refdata.Close(t, fmt.Sprintf("NormalQuantile(%v)", test.p), NormalQuantile(test.p), -test.want, 1e-14)
	}
}

func TestNormalQuantileInvertsTheTail(t *testing.T) {
	for x := -8.0; x <= 37; x += 0.37 { // rounding x² costs the tail digits
		p := NormalSurvival(x)
		// One ulp of p moves x by ulp/density.
		slack := 3e-14 + 4e-16*p/(math.Exp(-x*x/2)/math.Sqrt(2*math.Pi))
		if got := NormalUpperQuantile(p); math.Abs(got-x) > slack {
			t.Errorf("NormalUpperQuantile(%v) = %v, want %v", p, got, x)
		}
	}
}

func TestNormalRefuses(t *testing.T) {
	for _, p := range []float64{-1e-9, 1.0000001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := NormalQuantile(p); !math.IsNaN(got) {
			t.Errorf("NormalQuantile(%v) = %v", p, got)
		}
		if got := NormalUpperQuantile(p); !math.IsNaN(got) {
			t.Errorf("NormalUpperQuantile(%v) = %v", p, got)
		}
	}
	if !math.IsNaN(NormalSurvival(math.NaN())) || !math.IsNaN(NormalCDF(math.NaN())) {
		t.Error("NaN gives a number")
	}
}
