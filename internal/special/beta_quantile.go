package special

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BetaQuantile returns the x with P(X <= x) = p and P(X > x) = q for X ~ Beta(a, b),
// and y = 1-x. Of p and q, which add up to 1, the smaller is the one used. Both x
// and y keep their relative precision.
func BetaQuantile(a, b, p, q float64) (x, y float64) {
	u := BetaLogOdds(a, b, p, q)
	return 1 / (1 + math.Exp(-u)), 1 / (1 + math.Exp(u))
}

// BetaLogOdds returns log(x/y) of that quantile. In the log-odds u the logarithm
// of a tail is concave, so Halley steps on it converge from any start.
func BetaLogOdds(a, b, p, q float64) float64 {
	// The upper tail is the lower one of 1-X: the smaller of the two is solved for, so that its digits
	// count.
	if q < p {
		return -BetaLogOdds(b, a, q, p)
	}
	if p <= 0 {
		return math.Inf(-1)
	}
	target := math.Log(p)
	// The power series starts x^a/(a B) (1 + O((a+b) x)): its first term may be all.
	leading := (target + math.Log(a) + LogBeta(a, b)) / a
	if leading+math.Log(a+b) < -37 {
		return leading
	}
	// A bracket that only shrinks: steps that leave it are replaced by halving.
	low, high := math.Inf(-1), math.Inf(1)
	const edge = 708 // beyond, x or y underflows
	u := min(max(betaLogOddsGuess(a, b, p, leading), -edge), edge)
	for range 100 {
		x, y := 1/(1+math.Exp(-u)), 1/(1+math.Exp(u))
		scale, logTail := BetaLogLower(a, b, x, y)
		miss := logTail - target
		if miss > 0 {
			high = math.Min(high, u)
		} else {
			low = math.Max(low, u)
		}
		slope := math.Exp(scale - logTail) // kernel over tail: d log(tail) / du
		step := -miss / slope
		// Halley's correction: the second derivative of the log-tail over the first is a·y - b·x - slope.
		step /= math.Max(0.5, 1-0.5*step*(a*y-b*x-slope)) // Newton's step, within a factor
		if math.Abs(step) < 1e-11 {                       // the next error is of the order of step³
			return u + step
		}
		next := min(max(u+min(max(step, -20), 20), -edge), edge)
		switch {
		case next == u:
			return u
		case !(next > low && next < high):
			next = (low + high) / 2
		}
		u = next
	}
	return u
}

// BetaLogLower returns the log-density of the log-odds, and log P(X <= x).
func BetaLogLower(a, b, x, y float64) (density, logTail float64) {
	if x*(a+b+2) < a+1 {
		scale, factor := betaLowerParts(a, b, x, y)
		return scale, scale + math.Log(factor)
	}
	scale, factor := betaLowerParts(b, a, y, x)
	return scale, math.Log1p(-math.Min(math.Exp(scale)*factor, 1))
}

// betaLogOddsGuess is the approximation of Abramowitz & Stegun 26.5.22 for a, b
// above a half, and the leading term of the power series for smaller ones.
func betaLogOddsGuess(a, b, p, leading float64) float64 {
	if a <= 0.6 || b <= 0.6 {
		return math.Min(leading, math.Log(a/b))
	}
	// z is the upper quantile, as Abramowitz and Stegun have it.
	z := -mathext.NormalQuantile(p)
	h := 2 / (1/(2*a-1) + 1/(2*b-1))
	lambda := (z*z - 3) / 6
	w := z*math.Sqrt(math.Max(h+lambda, 0))/h - (1/(2*b-1)-1/(2*a-1))*(lambda+5./6-2/(3*h))
	return math.Log(a/b) - 2*w
}
