package stats

import "math"

// constrainedMLE returns the rates pb and pc of the largest likelihood under
// pc - pb = difference: the estimates that score tests and score intervals of a
// difference take their variance from.
//
// The likelihood equation is the cubic of Miettinen & Nurminen (1985, appendix I)
// and Farrington & Manning (1990); its trigonometric root is only a start here,
// because it loses digits near the corners. Newton steps on the score follow,
// kept within a bracket. Where the largest likelihood lies on the edge of the
// admissible region (one rate is 0 or 1) exactly that edge is returned.
//
// It needs at least one trial on each side; a difference outside -1..1 is taken
// as the nearer end. NaN gives NaN.
func constrainedMLE(baseline, candidate Counts, difference float64) (pb, pc float64) {
	r := newRestricted(baseline, candidate, difference)
	t := r.solve()
	lower, upper := t, r.upperRate(t)
	if difference < 0 {
		return upper, lower
	}
	return lower, upper
}

// restrictedLikelihood is the likelihood of two rates a fixed gap apart. The rate of the
// lower side is t in [0, width], that of the upper side t + gap, and its
// complement width - t, so that neither end needs a subtraction from 1.
type restrictedLikelihood struct {
	gap, width             float64 // gap + width = 1
	lowerPasses, lowerFail float64
	upperPasses, upperFail float64
}

// newRestricted names the sides by their rates: under a negative difference the
// candidate's rate is the lower one.
func newRestricted(baseline, candidate Counts, difference float64) restrictedLikelihood {
	lower, upper := baseline, candidate
	if difference < 0 {
		lower, upper = candidate, baseline
	}
	gap := math.Min(math.Abs(difference), 1)
	return restrictedLikelihood{
		gap: gap, width: 1 - gap,
		lowerPasses: float64(lower.Passes), lowerFail: float64(lower.Fails()),
		upperPasses: float64(upper.Passes), upperFail: float64(upper.Fails()),
	}
}

// upperRate returns t + gap, exactly 1 at the upper end.
func (r restrictedLikelihood) upperRate(t float64) float64 {
	if t >= r.width {
		return 1
	}
	return math.Min(t+r.gap, 1)
}

// solve returns the t of the largest likelihood.
func (r restrictedLikelihood) solve() float64 {
	switch {
	case r.width != r.width:
		return math.NaN()
	case r.width <= 0:
		return 0
	case r.gap == 0:
		passes := r.lowerPasses + r.upperPasses
		return passes / (passes + r.lowerFail + r.upperFail)
	case r.lowerPasses == 0 && r.upperPasses/r.gap <= r.lowerFail+r.upperFail/r.width:
		return 0 // the likelihood falls from the lower end on
	case r.upperFail == 0 && r.lowerFail/r.gap <= r.upperPasses+r.lowerPasses/r.width:
		return r.width // it rises up to the upper end
	}
	low, high := 0.0, r.width
	t := r.trigonometricRoot()
	if !(t > low && t < high) {
		t = r.width / 2
	}
	for range 200 { // three or four steps, unless the start was poor
		score, curvature := r.score(t)
		switch {
		case score > 0:
			low = t
		case score < 0:
			high = t
		default:
			return t
		}
		step := score / curvature
		if math.Abs(step) <= 1e-9*math.Min(t, r.width-t) {
			return min(max(t+step, 0), r.width) // what is left is of the order of step²
		}
		if t += step; !(t > low && t < high) {
			t = low + (high-low)/2
		}
	}
	return t
}

// score returns the derivative of the log-likelihood at an inner t, and minus its
// second derivative. The score falls strictly, so its root is the maximum.
func (r restrictedLikelihood) score(t float64) (score, curvature float64) {
	a := r.lowerPasses / t
	b := r.lowerFail / (1 - t)
	c := r.upperPasses / (t + r.gap)
	d := r.upperFail / (r.width - t)
	score = (a - d) + (c - b)
	curvature = a/t + b/(1-t) + c/(t+r.gap) + d/(r.width-t)
	return score, curvature
}

// trigonometricRoot returns the root of the cubic likelihood equation that lies
// in (0, width), up to rounding (Farrington & Manning 1990, appendix).
func (r restrictedLikelihood) trigonometricRoot() float64 {
	lowerTrials := r.lowerPasses + r.lowerFail
	trials := lowerTrials + r.upperPasses + r.upperFail
	passes := r.lowerPasses + r.upperPasses
	b := ((trials+lowerTrials)*r.gap - trials - passes) / (3 * trials)
	c := ((lowerTrials*r.gap-trials-2*r.lowerPasses)*r.gap + passes) / trials
	d := r.lowerPasses * r.gap * r.width / trials

	q := b*b*b - 0.5*(b*c-d)
	p := math.Copysign(math.Sqrt(math.Max(b*b-c/3, 0)), q)
	angle := (math.Pi + math.Acos(min(max(q/(p*p*p), -1), 1))) / 3
	return 2*p*math.Cos(angle) - b
}
