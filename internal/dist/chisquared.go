package dist

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ChiSquaredSurvival returns P(X > x) for the chi-squared distribution with nu > 0
// degrees of freedom, which need not be whole, as a complementary incomplete gamma
// function: the upper tail keeps its relative precision. It is NaN for a NaN
// argument and for nu that is not a positive finite number; 1 for x <= 0.
func ChiSquaredSurvival(x, nu float64) float64 {
	switch {
	case math.IsNaN(x) || !(nu > 0) || math.IsInf(nu, 1):
		return math.NaN()
	case x <= 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	}
	return mathext.GammaIncRegComp(nu/2, x/2)
}
