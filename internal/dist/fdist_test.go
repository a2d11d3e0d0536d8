package dist

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestFSurvivalReference(t *testing.T) {
	refdata.Each(t, "f-sf", func(t *testing.T, args struct{ X, D1, D2 float64 }, want float64) {
		refdata.Close(t, "FSurvival", FSurvival(args.X, args.D1, args.D2), want, 1e-10)
	})
}

// mpmath 1.2.1 with 40 digits, from the power series of the incomplete beta
// function.
func TestFSurvivalAgainstMpmath(t *testing.T) {
	for _, test := range []struct{ x, d1, d2, want float64 }{
		{3, 1, 10, 1.1393741215192041e-1},
		{500, 1, 4, 2.368332803706709e-5},
		{1.2, 7, 93, 3.1064862446797133e-1},
		{40, 12, 1000, 7.2740422234744335e-77},
		{1000, 2.5, 0.7, 6.3137051376683415e-2},
		{9, 1, 1000000, 2.6998625414217971e-3},
		{1.5, 200, 300, 7.4058306656412747e-4},
		{200, 5, 20, 2.3195637132861708e-16},
	} {
		name := fmt.Sprintf("FSurvival(%v, %v, %v)", test.x, test.d1, test.d2)
		refdata.Close(t, name, FSurvival(test.x, test.d1, test.d2), test.want, 1e-12)
	}
}

func TestFSurvivalLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		d1 := rapid.Float64Range(0.1, 500).Draw(t, "d1")
		d2 := rapid.Float64Range(0.1, 500).Draw(t, "d2")
		x := math.Exp(rapid.Float64Range(-10, 10).Draw(t, "log x"))
		p := FSurvival(x, d1, d2)
		if !(p >= 0 && p <= 1) {
			t.Fatalf("P(F > %v) = %v", x, p)
		}
		if more := FSurvival(1.1*x, d1, d2); more > p*(1+1e-12) {
			t.Fatalf("the tail rises from %v to %v", p, more)
		}
		// 1/F has the degrees of freedom swapped.
		if other := FSurvival(1/x, d2, d1); math.Abs(p+other-1) > 1e-11 {
			t.Fatalf("P(F > x) + P(1/F > 1/x) = %v", p+other)
		}
	})
}

// With one numerator degree of freedom F is t²; without limit in the denominator
// it is chi-squared over its degrees of freedom.
func TestFSurvivalRelatives(t *testing.T) {
	for _, x := range []float64{0.01, 0.7, 2, 9, 40} {
		for _, nu := range []float64{1, 4.5, 30, 5000} {
			refdata.Close(t, "F(1, nu)", FSurvival(x*x, 1, nu), 2*StudentTSurvival(x, nu), 1e-11)
			refdata.Close(t, "F(nu, Inf)", FSurvival(x, nu, math.Inf(1)), ChiSquaredSurvival(nu*x, nu), 1e-12)
		}
	}
}

func TestFSurvivalEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct{ x, d1, d2, want float64 }{
		{0, 1, 1, 1}, {-3, 1, 1, 1}, {-inf, 2, 2, 1}, {inf, 2, 2, 0}, {inf, 2, inf, 0},
		{nan, 1, 1, nan}, {1, nan, 1, nan}, {1, 1, nan, nan}, {1, 0, 1, nan}, {1, 1, -2, nan}, {1, inf, 1, nan},
	} {
		if got := FSurvival(test.x, test.d1, test.d2); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("FSurvival(%v, %v, %v) = %v, want %v", test.x, test.d1, test.d2, got, test.want)
		}
	}
}
