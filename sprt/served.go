package sprt

import (
	"fmt"
	"math"
)

// Served returns the exact characteristics of the boundaries at a pass rate where each answer is served so many times
// in a row, as by a cache that forgets: only the first of them is drawn, and the others come to the same. Served once,
// they are those of [Boundaries.Characteristics]. The expected trials are those that are run. It returns an error
// unless the boundaries are valid and the answers are served once at least; all fields are NaN where the rate is not a
// probability.
func (b Boundaries) Served(times int, p float64) (Characteristics, error) {
	switch {
	case times < 1:
		return Characteristics{}, fmt.Errorf("boundaries: an answer that is served %d times", times)
	case !(p >= 0 && p <= 1):
		nan := math.NaN()
		return Characteristics{nan, nan, nan, nan, nan}, b.Validate()
	}
	if err := b.Validate(); err != nil {
		return Characteristics{}, err
	}
	c := Characteristics{P: p}
	most := b.MaxTrials()
	going := map[int]float64{0: 1} // by failures, of what goes on before an answer
	for n := 0; n < most && len(going) > 0; n += times {
		next := map[int]float64{}
		for f := range n + 1 { // in their order, so that sums come out alike
			mass := going[f]
			if mass == 0 {
				continue
			}
			for failed, chance := range [2]float64{p, 1 - p} {
				end, trials, failures := b.serve(n, f, failed, times)
				if end == Undecided {
					next[failures] += mass * chance
					continue
				}
				c.add(stop{trials: trials, failures: failures, outcome: end}, mass*chance)
			}
		}
		going = next
	}
	return c, nil
}

// serve follows the boundaries from a point while one answer is served, which failed or did not.
func (b Boundaries) serve(n, f, failed, times int) (end Outcome, trials, failures int) {
	for range times {
		n, f = n+1, f+failed
		if end = b.at(n, f); end != Undecided {
			break
		}
	}
	return end, n, f
}
