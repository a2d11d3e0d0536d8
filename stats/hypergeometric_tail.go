package stats

import "github.com/tribunal-dev/tribunal/internal/dist"

// hypergeometricTail holds P(X <= x) and P(X = x) of a hypergeometric count, and moves to
// one more success in the population, or to the next x, without summing again.
//
// Regions are found by going along an edge where the margins change by one: each step updates the tail in
// place of a new sum. After a number of steps (refresh) it is summed anew, so that rounding does not pile
// up.
type hypergeometricTail struct {
	h           dist.Hypergeometric
	x           int
	below, mass float64
}

// start sums the tail of h up to x anew; x below the support gives 0.
func (t *hypergeometricTail) start(h dist.Hypergeometric, x int) {
	x = max(x, h.Least()-1)
	*t = hypergeometricTail{h: h, x: x, below: h.CDF(x), mass: h.Prob(x)}
}

// advance moves to h, which has the same or one more success than before. The
// added success is among the draws with probability (draws-x)/(failures), given
// X = x: so much leaves the tail.
func (t *hypergeometricTail) advance(h dist.Hypergeometric) {
	if h.Successes == t.h.Successes {
		return
	}
	if t.mass == 0 || h.Successes%refresh == 0 || t.x < h.Least() || t.x >= t.h.Most() {
		t.start(h, t.x)
		return
	}
	failures := float64(t.h.Population - t.h.Successes)
	drawn := float64(t.h.Draws - t.x)
	left := (failures - drawn) / failures
	t.below -= t.mass * (drawn / failures)
	successes := float64(h.Successes)
	t.mass *= successes / (successes - float64(t.x)) * left
	t.h = h
}

// massAbove returns P(X = x+1).
func (t *hypergeometricTail) massAbove() float64 {
	if t.x < t.h.Least() || t.mass == 0 {
		return t.h.Prob(t.x + 1)
	}
	return t.mass / t.h.RatioBelow(t.x+1)
}

// raise moves to x+1, whose probability is given.
func (t *hypergeometricTail) raise(mass float64) {
	t.x++
	t.below += mass
	t.mass = mass
	if t.x == t.h.Most() {
		t.below = 1
	}
}
