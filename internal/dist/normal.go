package dist

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// NormalSurvival returns P(Z > x) for a standard normal Z, from the complementary
// error function: it keeps its relative precision in the upper tail, until it
// underflows above x = 38. NaN gives NaN.
func NormalSurvival(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }

// NormalCDF returns P(Z <= x) for a standard normal Z, with the precision of
// [NormalSurvival] in the lower tail.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalQuantile returns the x with P(Z <= x) = p, by algorithm AS 241 of Wichura
// (1988), which is precise to about 1e-15 for p as small as the smallest float64;
// for p near 1 use [NormalUpperQuantile]. It is -Inf at 0, +Inf at 1, and NaN
// outside 0..1.
func NormalQuantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN() // mathext would panic
	}
	return mathext.NormalQuantile(p)
}

// NormalUpperQuantile returns the x with P(Z > x) = p, precise for tiny p; it is
// +Inf at 0, -Inf at 1, and NaN outside 0..1.
func NormalUpperQuantile(p float64) float64 { return -NormalQuantile(p) }
