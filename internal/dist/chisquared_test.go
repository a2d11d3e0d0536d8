package dist

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// mpmath 1.2.1 with 30 digits: gammainc(nu/2, x/2, inf, regularized=True).
func TestChiSquaredSurvivalAgainstMpmath(t *testing.T) {
	for _, test := range []struct{ x, nu, want float64 }{
		{3.841458820694124, 1, 5.0000000000000057e-2},
		{100, 1, 1.5239706048321052e-23},
		{0.1, 1, 7.5182963404584928e-1},
		{700, 1, 2.9902269751246203e-154},
		{20, 10, 2.9252688076961073e-2},
		{150, 10, 3.7274850550625096e-27},
		{2, 10, 9.9634015317265629e-1},
		{1100, 1000, 1.4614408126295194e-2},
		{1000000, 1000000, 4.998119368033945e-1},
		{1005000, 1000000, 2.0767800946703003e-4},
		{2000, 1000, 4.1436785914549917e-69},
		{0.5, 0.3, 1.5604916709686203e-1},
	} {
		name := fmt.Sprintf("ChiSquaredSurvival(%v, %v)", test.x, test.nu)
		refdata.Close(t, name, ChiSquaredSurvival(test.x, test.nu), test.want, 1e-10)
	}
}

func TestChiSquaredSurvivalLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1300).Draw(t, "x")
		// One degree of freedom is a squared normal, two are exponential.
		refdata := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-10*want {
				t.Fatalf("%s at %v: %v, want %v", name, x, got, want)
			}
		}
		refdata("one degree", ChiSquaredSurvival(x, 1), 2*NormalSurvival(math.Sqrt(x)))
		refdata("two degrees", ChiSquaredSurvival(x, 2), math.Exp(-x/2))
	})
}

func TestChiSquaredSurvivalEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct{ x, nu, want float64 }{
		{0, 3, 1}, {-2, 3, 1}, {-inf, 3, 1}, {inf, 3, 0},
		{nan, 3, nan}, {1, nan, nan}, {1, 0, nan}, {1, -1, nan}, {1, inf, nan},
	} {
		if got := ChiSquaredSurvival(test.x, test.nu); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("ChiSquaredSurvival(%v, %v) = %v, want %v", test.x, test.nu, got, test.want)
		}
	}
}
