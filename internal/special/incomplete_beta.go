package special

import "math"

// The regularised incomplete beta function and its inverse, which the Beta, F, t
// and Clopper-Pearson tails share. Both tails keep their relative precision, the
// arguments x and y = 1-x are given apart so that neither is rounded, and the
// scale comes from the saddle-point form, not from differences of log-gammas: at
// a+b = 1e6 those cost five digits.

// BetaTails returns P(X <= x) and P(X > x) for X ~ Beta(a, b), with y = 1-x. It
// needs finite a, b > 0 and 0 <= x <= 1.
func BetaTails(a, b, x, y float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case y <= 0:
		return 1, 0
	case x*(a+b+2) < a+1:
		lower = betaLowerTail(a, b, x, y)
		return lower, 1 - lower
	default:
		upper = betaLowerTail(b, a, y, x)
		return 1 - upper, upper
	}
}

// betaLowerTail returns P(X <= x) for an x not far above the mean.
func betaLowerTail(a, b, x, y float64) float64 {
	scale, factor := betaLowerParts(a, b, x, y)
	return math.Min(math.Exp(scale)*factor, 1)
}

// betaLowerParts returns the lower tail as exp(scale) * factor, so that a tail
// below the smallest float64 still has a logarithm. Each of the three methods is
// used where it neither cancels nor takes many terms.
func betaLowerParts(a, b, x, y float64) (scale, factor float64) {
	// The continued fraction takes more terms the larger a and b are; the series takes few where a is
	// small; what is left is smooth enough for a fixed rule. The two limits are chosen.
	const smooth, large = 8, 300
	scale = LogBetaKernel(a, b, x, y)
	switch {
	case math.Max(a, b) <= large:
		return scale, betaFraction(a, b, x) / a
	case a < smooth && a < b:
		return scale, betaSeries(a, b, x) / a
	default:
		return scale, betaQuadrature(a, b, x, y)
	}
}

// LogBetaKernel returns log(x^a y^b / B(a,b)), the log-density of the log-odds of
// X ~ Beta(a, b) at x.
func LogBetaKernel(a, b, x, y float64) float64 {
	n := a + b
	excess := n*x - a
	if y < x {
		excess = b - n*y
	}
	// Stirling's approximation of the three gammas, its errors, and the exponents, whose
	// large parts cancel on paper: a log(n x/a) + b log(n y/b) is -a (t - log(1+t)) and the
	// same for b, with t the relative distance of x from the mean, since a t + b t' = 0.
	correction := stirlingGamma(n) - stirlingGamma(a) - stirlingGamma(b)
	ofX := a * logShortfall(excess/a, n*x/a)
	ofY := b * logShortfall(-excess/b, n*y/b)
	return correction - ofX - ofY + 0.5*math.Log(a/n*b/(2*math.Pi))
}

// logShortfall returns t - log(1+t), without cancellation where t is small; 1+t is
// given as well, for t near -1.
func logShortfall(t, onePlus float64) float64 {
	if math.Abs(t) > 0.2 {
		return t - math.Log(onePlus)
	}
	v := t / (2 + t)
	square, power, sum := v*v, v, 0.0
	for j := 3.0; ; j += 2 { // 2 artanh(v) = log(1+t)
		power *= square
		next := sum + power/j
		if next == sum {
			return t*v - 2*sum
		}
		sum = next
	}
}

// stirlingGamma returns log Γ(a) minus Stirling's approximation, for a > 0.
func stirlingGamma(a float64) float64 {
	if a > 15 || a == math.Trunc(a) {
		return stirlingError(a)
	}
	const halfLogTwoPi = 0.91893853320467274178
	logGamma, _ := math.Lgamma(a)
	return logGamma - ((a-0.5)*math.Log(a) - a + halfLogTwoPi)
}

// betaQuadrature integrates the density of the log-odds from x downwards, relative
// to its height there, over the stretch in which it falls to e^-40. In the
// log-odds the density is log-concave and smooth for any a and b, so that the cost
// does not grow with them.
func betaQuadrature(a, b, x, y float64) float64 {
	fall := logOddsFall{n: a + b, power: -b, sign: 1, rate: y}
	if x < y { // the same function, from the rate that is not rounded
		fall = logOddsFall{n: a + b, power: a, sign: -1, rate: x}
	}
	half, sum := fall.reach(x, y, a, b)/2, 0.0
	for _, p := range legendre32 {
		sum += p.weight * (math.Exp(-fall.at(half*(1-p.node))) + math.Exp(-fall.at(half*(1+p.node))))
	}
	return half * sum
}

// logOddsFall is the fall of the log-density, w below some log-odds.
//
//	fall(w) = power·w + n log(1 + rate (e^(sign·w) - 1))
type logOddsFall struct {
	n     float64 // a+b
	power float64 // -b, or a
	sign  float64 // of w in the exponent
	rate  float64 // y, or x: the smaller, which is not rounded against 1
}

// at returns the fall at w.
func (f logOddsFall) at(w float64) float64 {
	return f.power*w + f.n*math.Log1p(f.rate*math.Expm1(f.sign*w))
}

// reach returns the distance over which the log-density falls by about 40.
func (f logOddsFall) reach(x, y, a, b float64) float64 {
	const drop = 40
	slope := f.n*y - b
	if x < y {
		slope = a - f.n*x
	}
	w := 2 * drop / (slope + math.Sqrt(slope*slope+2*drop*f.n*x*y)) // of the parabola
	// Newton's steps from the fall of a parabola; within 3 of the drop is near enough.
	for range 50 {
		missing := drop - f.at(w)
		if math.Abs(missing) < 3 {
			break
		}
		w += missing / (f.power + f.n*f.sign*f.rate/(f.rate+(1-f.rate)*math.Exp(-f.sign*w)))
	}
	return w
}

// betaSeries sums the power series of the lower tail, relative to its first term.
// All terms are positive; for x up to the mean and a small there are few.
func betaSeries(a, b, x float64) float64 {
	sum, term := 1.0, 1.0
	for i := 0.0; term > 1e-17*sum; i++ {
		term *= (a + b + i) / (a + 1 + i) * x
		sum += term
	}
	return sum
}

// betaFraction evaluates the continued fraction of the incomplete beta function
// (Abramowitz & Stegun 26.5.8) by the modified Lentz method.
func betaFraction(a, b, x float64) float64 {
	// Lentz's method divides by what may come out as 0; a number that small in its place does not show.
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/guard(1-(a+b)*x/(a+1))
	result := d
	for m := 1.0; m < 1e5; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+even*d)
		c = guard(1 + even/c)
		result *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+odd*d)
		c = guard(1 + odd/c)
		step := d * c
		result *= step
		if math.Abs(step-1) < 2e-16 {
			break
		}
	}
	return result
}
