package baseline

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
)

// ErrStopped says that a test stopped the trials of a baseline, where it takes a number that was fixed.
var ErrStopped = errors.New("the number of the baseline's trials was not fixed")

// Served returns the largest errors where each answer, on both sides, is served so many times in a row, as by a cache
// that forgets: only the first of them is drawn, and the others come to the same. They are exact at each rate, over a
// grid of the guarded ones. The error is [ErrStopped], or one of the number of times.
func (f *Family) Served(times int) (most Errors, err error) {
	switch {
	case times < 1:
		return most, fmt.Errorf("baseline: an answer that is served %d times", times)
	case !f.sample.fixed():
		return most, ErrStopped
	}
	trials := f.sample.mostTrials()
	ends := make([][]candidateStop, trials+1) // in answers, by the failures of the baseline
	for _, m := range f.members {
		if n := m.outcome.Failures; n%times == 0 || n%times == trials%times {
			ends[n] = servedStops(m.boundaries, times)
		}
	}
	for i := range unlikeRates + 1 {
		rate := f.hypotheses.Guarded.Low + f.hypotheses.Guarded.Width()*float64(i)/unlikeRates
		fail, pass := 0.0, 0.0
		servedFailures(trials, times, 1-rate, func(failures int, chance float64) {
			fail += chance * chanceOf(ends[failures], sprt.Fail, rate)
			pass += chance * chanceOf(ends[failures], sprt.Pass, rate-f.hypotheses.Delta)
		})
		if fail > most.Alpha {
			most.Alpha, most.AlphaAt = fail, rate
		}
		if pass > most.Beta {
			most.Beta, most.BetaAt = pass, rate
		}
	}
	return most, nil
}

// servedFailures gives the chance of each number of failures in so many trials of answers that fail with a chance; the
// last answer is served as often as there are trials for it.
func servedFailures(trials, times int, failing float64, give func(failures int, chance float64)) {
	number, rest := dist.Binomial{N: trials / times, P: failing}, trials%times
	for k := range number.N + 1 {
		chance := number.Prob(k)
		if rest == 0 {
			give(k*times, chance)
			continue
		}
		give(k*times, chance*(1-failing))
		give(k*times+rest, chance*failing)
	}
}

// servedStops are the ends of boundaries, in answers in place of trials, each of which is served so many times in a
// row.
func servedStops(b sprt.Boundaries, times int) (list []candidateStop) {
	nothing := math.Inf(-1)
	going := []float64{0} // logarithms of numbers of sequences of answers that go on, by how many of them failed
	for answers := 1; len(going) > 0; answers++ {
		next := make([]float64, len(going)+1)
		for i := range next {
			next[i] = nothing
		}
		goesOn := false
		for failed, paths := range going {
			if paths == nothing {
				continue
			}
			for fails := range 2 {
				switch o := servedOutcome(b, (answers-1)*times, failed*times, fails, times); o {
				case sprt.Undecided:
					next[failed+fails] = logSum(next[failed+fails], paths)
					goesOn = true
				default:
					list = append(list, candidateStop{answers - failed - fails, failed + fails, paths, o})
				}
			}
		}
		if going = next; !goesOn {
			return list
		}
	}
	return list
}

// servedOutcome follows boundaries from a point while one answer is served, which fails or does not.
func servedOutcome(b sprt.Boundaries, n, f, fails, times int) sprt.Outcome {
	for range times {
		n, f = n+1, f+fails
		pass, fail := b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1]
		switch {
		case f <= pass:
			return sprt.Pass
		case f >= fail:
			return sprt.Fail
		case n == b.MaxTrials():
			return sprt.Inconclusive
		}
	}
	return sprt.Undecided
}
