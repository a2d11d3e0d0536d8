package stats

import "math"

// scoreTest is a score test of one difference: the observed difference less the
// hypothetical one, and the variance of that under the hypothesis. The intervals of Miettinen and Nurminen
// and of Tango
// are inversions of such tests: a limit is the difference at which the test just rejects.
type scoreTest interface {
	estimate() float64
	score(difference float64) (deviation, variance float64)
}

// standardised returns deviation/√variance; it is infinite where the hypothesis
// leaves no variance and the data contradict it, and 0 where they agree.
func standardised(deviation, variance float64) float64 {
	if deviation == 0 {
		return 0
	}
	if variance <= 0 {
		return math.Copysign(math.Inf(1), deviation)
	}
	return deviation / math.Sqrt(variance)
}

// scoreLimit returns the largest difference in -1..1 that the test does not reject
// at the critical value z > 0.
//
// Solved is deviation² = z² variance, divided by the sum of both sides: that is
// bounded and keeps its sign where the variance vanishes, at 1 and, if nothing
// was observed to vary, at the estimate.
func scoreLimit[T scoreTest](test T, z float64) float64 {
	estimate := test.estimate()
	if estimate >= 1 {
		return 1
	}
	excess := func(difference float64) float64 {
		deviation, variance := test.score(difference)
		observed, allowed := deviation*deviation, z*z*variance
		return (observed - allowed) / (observed + allowed)
	}
	return bracketedRoot(excess, estimate, -1, 1, 1)
}

// bracketedRoot returns a root of f between a and b, given values of opposite sign
// there, to nearly full precision: inverse quadratic interpolation where it is
// safe, else bisection (Chandrupatla 1997, Advances in Engineering Software 28:145).
func bracketedRoot(f func(float64) float64, a, fa, b, fb float64) float64 {
	const epsilon = 2.220446049250313e-16
	var c, fc float64
	t := 0.5
	for range 200 {
		x := a + t*(b-a)
		fx := f(x)
		if math.Signbit(fx) == math.Signbit(fa) {
			c, fc = a, fa
		} else {
			c, fc = b, fb
			b, fb = a, fa
		}
		a, fa = x, fx

		best, value := a, fa
		if math.Abs(fb) < math.Abs(fa) {
			best, value = b, fb
		}
		tolerance := epsilon*math.Abs(best) + 1e-300
		least := tolerance / math.Abs(b-a)
		if value == 0 || least >= 0.5 {
			return best
		}
		// Chandrupatla's condition for interpolation to stay within the bracket.
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		} else {
			t = 0.5
		}
		t = min(max(t, least), 1-least)
	}
	return a
}
