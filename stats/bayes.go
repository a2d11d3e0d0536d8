package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/special"
)

// BetaPrior is a Beta(A, B) prior of a pass rate. The zero value is the uniform
// prior, Beta(1, 1); Jeffreys' is {0.5, 0.5}.
type BetaPrior struct {
	A float64 // what passes weigh before any trial, from 0.05 to [MaxTrials]
	B float64 // what failures weigh, within the same limits
}

// leastPriorWeight bounds A and B from below: with less a good part of the
// probability lies closer to 0 or 1 than a float64 can say.
const leastPriorWeight = 0.05

// orUniform puts the uniform prior in place of the zero value.
func (p BetaPrior) orUniform() BetaPrior {
	if p == (BetaPrior{}) {
		return BetaPrior{1, 1}
	}
	return p
}

// Validate returns an [ArgumentError] unless the prior is the zero value, or A and
// B both lie between 0.05 and [MaxTrials].
func (p BetaPrior) Validate() error {
	p = p.orUniform()
	for _, weight := range [2]float64{p.A, p.B} {
		if !(weight >= leastPriorWeight && weight <= MaxTrials) {
			return argument.Wrong("prior", p, "must have both weights between 0.05 and the largest number of trials")
		}
	}
	return nil
}

// BayesRegression returns the posterior probability P(p_c < p_b - delta) that the
// candidate's pass rate is lower than the baseline's by more than delta, for
// independent binomial counts with the same Beta prior on either side. Sides
// without trials are allowed: there the posterior is the prior.
//
// It is computed by quadrature, to 1e-9 absolute and, where the probability is
// small, about 1e-9 relative. It refuses a delta outside 0 <= delta < 1.
func BayesRegression(baseline, candidate Counts, delta float64, prior BetaPrior) (float64, error) {
	d, err := PosteriorDrop(baseline, candidate, prior, prior)
	if err != nil {
		return math.NaN(), err
	}
	if !(delta >= 0 && delta < 1) {
		return math.NaN(), argument.Wrong("delta", delta, "must be at least 0 and below 1")
	}
	return d.Above(delta), nil
}

// betaShape is a Beta distribution by its parameters.
type betaShape struct{ a, b float64 }

// variance is a b / ((a+b)² (a+b+1)), without forming the squares.
func (s betaShape) variance() float64 {
	n := s.a + s.b
	return s.a / n * (s.b / n) / (n + 1)
}

// betaSum is the event u+v < width for independent Beta variables; gap is 1-width.
type betaSum struct {
	u, v       betaShape
	width, gap float64
}

// probability integrates the density of t, where u = width/(1+e^-t), restricted to
// the event. On the whole line that integrand is smooth and falls exponentially,
// where the trapezoidal rule converges faster than any power of its step.
func (s betaSum) probability() float64 {
	const most = 1 << 15
	mode, spread := s.mode()
	peak, _, _ := s.logIntegrand(mode)
	low, high := s.reach(mode, -spread, peak), s.reach(mode, spread, peak)
	value := func(t float64) float64 {
		log, _, _ := s.logIntegrand(t)
		return math.Exp(log - peak)
	}
	// Steps of three quarters of the spread to begin with; at least 24 and at most 4096 of them.
	start := max(24, min(4096, int((high-low)/(0.75*spread))))
	atLow, atHigh := value(low), value(high)
	inner := 0.0
	previous := math.Inf(1)
	for n := start; ; n *= 2 {
		step := (high - low) / float64(n)
		stride := 2 // the even points are those of the coarser rule
		if n == start {
			stride = 1
		}
		for i := 1; i < n; i += stride {
			inner += value(low + float64(i)*step)
		}
		// Beyond the ends the integrand is exponential, and its sum geometric.
		total := step * (inner + atLow/(-math.Expm1(-s.lowRate()*step)) + atHigh/(-math.Expm1(-s.highRate()*step)))
		// Halving the step about squares the relative error.
		if math.Abs(total-previous) <= 1e-10*total || n >= most {
			return math.Min(1, math.Exp(peak+math.Log(total)))
		}
		previous = total
	}
}

// lowRate and highRate are the exponents of the integrand at the ends: a power of
// u at one, of width-u at the other.
func (s betaSum) lowRate() float64 { return s.u.a }

func (s betaSum) highRate() float64 {
	if s.gap > 0 {
		return s.v.a + 1
	}
	return s.v.a + s.u.b
}

// logIntegrand returns the logarithm of the integrand at t, and its first two
// derivatives in t. The slope finds the mode, the curvature its spread.
func (s betaSum) logIntegrand(t float64) (log, slope, curvature float64) {
	rise, fall := 1/(1+math.Exp(-t)), 1/(1+math.Exp(t))
	u, v := s.width*rise, s.width*fall // the largest v within the event
	notU, notV := s.gap+v, s.gap+u
	density, tail := special.BetaLogLower(s.v.a, s.v.b, v, notV)
	// The density of u, times du/dt = u v / width, times P(V < v).
	log = special.LogBetaKernel(s.u.a, s.u.b, u, notU) + math.Log(fall/notU) + tail

	hazard := math.Exp(density-tail) / (v * notV) // of V from below
	du := u * fall
	bend := (s.v.a-1)/v - (s.v.b-1)/notV - hazard // d log hazard / dv
	first := s.u.a/u - (s.u.b-1)/notU - 1/v - hazard
	second := -s.u.a/(u*u) - (s.u.b-1)/(notU*notU) - 1/(v*v) + hazard*bend
	slope = first * du
	curvature = second*du*du + slope*(fall-rise)
	return log, slope, curvature
}

// mode returns the t at which the integrand is largest, and its spread there.
func (s betaSum) mode() (t, spread float64) {
	low, high := -reachLimit, reachLimit
	center := s.u.a / (s.u.a + s.u.b)
	// The mean of u is the first guess.
	t = min(max(math.Log(center/math.Max(s.width-center, 1e-3*center)), -30), 30)
	for range 100 {
		_, slope, curvature := s.logIntegrand(t)
		if slope > 0 {
			low = t
		} else {
			high = t
		}
		spread = 1
		if curvature < 0 {
			spread = math.Min(1, 1/math.Sqrt(-curvature))
		}
		step := min(max(slope*spread*spread, -2), 2)
		if math.Abs(step) < 0.05*spread {
			break
		}
		if t += step; !(t > low && t < high) {
			t = (low + high) / 2
		}
		if high-low < 1e-9 {
			break
		}
	}
	return t, spread
}

// reachLimit bounds |t|: beyond it u, or width-u, nears the smallest float64, and
// the integrand is exponential to all digits.
const reachLimit = 700.0

// reach returns a point on the side of the mode that the sign of the spread names,
// at which the integrand has fallen to about e^-38 of its peak, or the limit.
func (s betaSum) reach(mode, spread, peak float64) float64 {
	const drop = 38
	distance := 8.8 * spread
	inside, outside := 0.0, math.Inf(1)
	for range 60 {
		t := min(max(mode+distance, -reachLimit), reachLimit)
		log, _, _ := s.logIntegrand(t)
		fell := peak - log
		switch {
		case fell < drop-4:
			if t != mode+distance {
				return t
			}
			inside = distance
		case fell > drop+12:
			outside = distance
		default:
			return t
		}
		if math.IsInf(outside, 0) {
			distance *= 1.4
		} else {
			distance = inside + (outside-inside)*0.6
		}
	}
	return min(max(mode+distance, -reachLimit), reachLimit)
}
