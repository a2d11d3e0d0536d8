package special

import "math"

// Binomial probabilities by the saddle-point expansion of Loader (2000), "Fast
// and Accurate Computation of Binomial Probabilities": unlike differences of
// log-gammas it keeps nearly full relative precision for any number of trials.

// stirlingErrors holds log(n!) - log(sqrt(2 pi n) (n/e)^n) for n = 0..15, where
// the series is not yet accurate (Loader 2000, table of stirlerr; n = 0 unused). The numbers of Loader's
// table follow from log(n!) alone, so they can be computed anew with any program of arbitrary precision.
var stirlingErrors = [16]float64{
	0,
	0.0810614667953272582196702,
	0.0413406959554092940938221,
	0.02767792568499833914878929,
	0.02079067210376509311152277,
	0.01664469118982119216319487,
	0.01387612882307074799874573,
	0.01189670994589177009505572,
	0.010411265261972096497478567,
	0.009255462182712732917728637,
	0.008330563433362871256469318,
	0.007573675487951840794972024,
	0.006942840107209529865664152,
	0.006408994188004207068439631,
	0.005951370112758847735624416,
	0.005554733551962801371038690,
}

// stirlingError returns log(n!) minus Stirling's approximation, for n >= 1.
func stirlingError(n float64) float64 {
	if n <= 15 {
		return stirlingErrors[int(n)]
	}
	// The asymptotic series Σ B_2k/(2k(2k-1) n^(2k-1)): 1/12n - 1/360n³ + 1/1260n⁵ - 1/1680n⁷ + 1/1188n⁹.
	// From n = 16 on what is left out is about 1e-16.
	const (
		s0 = 1.0 / 12
		s1 = 1.0 / 360
		s2 = 1.0 / 1260
		s3 = 1.0 / 1680
		s4 = 1.0 / 1188
	)
	nn := n * n
	return (s0 - (s1-(s2-(s3-s4/nn)/nn)/nn)/nn) / n
}

// deviance returns x log(x/m) + m - x, without the cancellation where x is near m.
//
// Loader's bd0: with v = (x-m)/(x+m), log(x/m) is 2 artanh(v), and the leading terms cancel on paper, not
// in float64.
func deviance(x, m float64) float64 {
	if d := x - m; math.Abs(d) < 0.1*(x+m) {
		v := d / (x + m)
		sum := d * v
		term := 2 * x * v
		v *= v
		// The series ends where a term changes nothing.
		for j := 3.0; ; j += 2 {
			term *= v
			next := sum + term/j
			if next == sum {
				return sum
			}
			sum = next
		}
	}
	return x*math.Log(x/m) + m - x
}

// LogBinomialMass returns log P(X = k) for X ~ Binomial(n, p) with q = 1-p given
// apart, so that neither rate is rounded. It needs 0 <= k <= n.
func LogBinomialMass(k, n int, p, q float64) float64 {
	x, m := float64(k), float64(n)
	switch {
	case p == 0:
		return logIndicator(k == 0)
	case q == 0:
		return logIndicator(k == n)
	case n == 0:
		return 0
	case k == 0:
		return m * log1m(p, q)
	case k == n:
		return m * log1m(q, p)
	}
	// Loader's equation for log P: errors of Stirling's formula, two deviances, and the normal density's
	// factor.
	correction := stirlingError(m) - stirlingError(x) - stirlingError(m-x)
	exponent := correction - deviance(x, m*p) - deviance(m-x, m*q)
	return exponent + 0.5*math.Log(m/(2*math.Pi*x*(m-x)))
}

// log1m returns log(1-p), where q is 1-p: log1p where p is small.
func log1m(p, q float64) float64 {
	if p < 0.5 {
		return math.Log1p(-p)
	}
	return math.Log(q)
}

// logIndicator is the logarithm of a probability that is 1 or 0.
func logIndicator(holds bool) float64 {
	if holds {
		return 0
	}
	return math.Inf(-1)
}
