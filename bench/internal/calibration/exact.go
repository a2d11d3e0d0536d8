package calibration

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// masses returns the probabilities of 0..n passes in n trials: trial by trial, so that
// nothing of it is shared with what is checked. Trial i passes with the rate at(i).
//
// It takes n²/2 steps, where a formula would take n: slow, but only sums of products of positive
// numbers, so that nothing cancels.
func masses(n int, at func(trial int) float64) []float64 {
	mass := make([]float64, n+1)
	mass[0] = 1
	for i := range n {
		p := at(i)
		// Downwards, so that mass[k-1] is still that of the trials before.
		for k := i + 1; k > 0; k-- {
			mass[k] = mass[k]*(1-p) + mass[k-1]*p
		}
		mass[0] *= 1 - p
	}
	return mass
}

// binomialMasses are those of trials that all pass with one rate.
func binomialMasses(n int, p float64) []float64 { return masses(n, func(int) float64 { return p }) }

// sumWhere adds up the elements for which something is true of their index.
func sumWhere(mass []float64, is func(k int) bool) (sum float64) {
	for k, m := range mass {
		if is(k) {
			sum += m
		}
	}
	return sum
}

// stop is an end of a sequential test, and how likely it is.
// The trials are all that were observed, the failures those among them.
type stop struct {
	trials, failures int
	outcome          sprt.Outcome
	probability      float64
}

// end is where the test ends.
func (s stop) end() sprt.End { return sprt.End{Trials: s.trials, Failures: s.failures} }

// walk returns the ends of a test whose trial i passes with the rate at(i), by carrying
// the probabilities of all states from trial to trial. An end that cannot be reached is
// there too, with a probability of 0.
//
// The stops are in the order of trials and then failures, the same at every rate: an index into
// them means the same end in each of several walks, as estimates.go and gate.go rely on.
func walk(b sprt.Boundaries, at func(trial int) float64) (stops []stop) {
	// Not 0: at a rate of 0 or 1 a state may be open to the test and yet have no probability.
	const unreached = -1
	alive, next := []float64{1}, []float64(nil) // by failures
	for i := range b.MaxTrials() {
		p, n := at(i), i+1
		next = next[:0]
		for f := range n + 1 {
			mass := float64(unreached)
			if f < n && alive[f] != unreached {
				mass = alive[f] * p
			}
			if f > 0 && alive[f-1] != unreached {
				mass = max(mass, 0) + alive[f-1]*(1-p)
			}
			outcome := sprt.Undecided
			switch {
			// Beyond a boundary that was crossed before: no path leads here.
			case mass == unreached:
			case f <= b.PassAtOrBelow[i]:
				outcome = sprt.Pass
			case f >= b.FailAtOrAbove[i]:
				outcome = sprt.Fail
			case n == b.MaxTrials():
				outcome = sprt.Inconclusive
			}
			if outcome != sprt.Undecided {
				stops = append(stops, stop{n, f, outcome, mass})
				// A test that ended goes no further.
				mass = unreached
			}
			next = append(next, mass)
		}
		alive, next = next, alive
	}
	return stops
}

// ends adds up the probabilities of the ways in which a test ends at a pass rate.
func ends(b sprt.Boundaries, p float64) (pass, fail, inconclusive float64) {
	return totals(walk(b, func(int) float64 { return p }))
}

// totals adds the probabilities up by outcome. They sum to 1, up to rounding.
func totals(stops []stop) (pass, fail, inconclusive float64) {
	for _, s := range stops {
		switch s.outcome {
		case sprt.Pass:
			pass += s.probability
		case sprt.Fail:
			fail += s.probability
		default:
			inconclusive += s.probability
		}
	}
	return pass, fail, inconclusive
}

// rateGrid returns so many rates between two, and both, closer to each other near 0 and
// 1, where error rates change fastest.
//
// It is even in the arcsine of the root, the scale on which a share of passes has about the same
// variance at every rate.
func rateGrid(low, high float64, steps int) []float64 {
	angle := func(p float64) float64 { return math.Asin(math.Sqrt(p)) }
	rates := make([]float64, 0, steps+1)
	for i := range steps + 1 {
		s := math.Sin(angle(low) + (angle(high)-angle(low))*float64(i)/float64(steps))
		rates = append(rates, min(max(s*s, low), high))
	}
	return rates
}

// worstOver returns the largest value of a function over rates, and where that is.
//
// A grid finds the maximum only up to its step: the true worst case may be a little higher. Where
// coverage jumps, the rates beside the jumps are added to the grid; see beside in estimates.go.
func worstOver(rates []float64, value func(p float64) float64) (worst, at float64) {
	worst = math.Inf(-1)
	for _, p := range rates {
		if v := value(p); v > worst {
			worst, at = v, p
		}
	}
	return worst, at
}
