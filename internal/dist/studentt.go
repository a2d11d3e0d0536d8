package dist

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// StudentTSurvival returns P(T > x) for Student's t with nu > 0 degrees of
// freedom, which need not be whole and may be +Inf (the normal distribution). The
// upper tail keeps its relative precision (Abramowitz & Stegun 26.7.1, as an
// incomplete beta function). It is NaN for a NaN argument or nu <= 0.
func StudentTSurvival(x, nu float64) float64 {
	switch {
	case math.IsNaN(x) || !(nu > 0):
		return math.NaN()
	case math.IsInf(nu, 1):
		return NormalSurvival(x)
	case x < 0:
		return 1 - StudentTSurvival(-x, nu)
	}
	ratio := x / math.Sqrt(nu)
	within, beyond := fractions(1, ratio*ratio)
	lower, _ := special.BetaTails(nu/2, 0.5, within, beyond)
	return lower / 2
}

// StudentTUpperQuantile returns the x with P(T > x) = p for Student's t with nu > 0
// degrees of freedom, precise for tiny p; +Inf at 0, -Inf at 1. It is NaN for p
// outside 0..1 or nu <= 0.
func StudentTUpperQuantile(p, nu float64) float64 {
	switch {
	case !(p >= 0 && p <= 1) || !(nu > 0):
		return math.NaN()
	case math.IsInf(nu, 1):
		return NormalUpperQuantile(p)
	case p > 0.5:
		return -StudentTUpperQuantile(1-p, nu)
	case p == 0.5:
		return 0
	case p == 0:
		return math.Inf(1)
	}
	// nu/(nu+x²) is Beta(nu/2, 1/2), so its log-odds are log(nu/x²).
	u := special.BetaLogOdds(nu/2, 0.5, 2*p, 1-2*p)
	return math.Sqrt(nu) * math.Exp(-u/2)
}

// fractions returns a/(a+b) and b/(a+b) for a, b >= 0, not both zero, where b may
// be infinite, without rounding either against 1.
func fractions(a, b float64) (ofA, ofB float64) {
	if math.IsInf(b, 1) {
		return 0, 1
	}
	return a / (a + b), b / (a + b)
}
