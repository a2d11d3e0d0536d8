package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// FisherLess is Fisher's exact test of H0: the candidate's rate is at least the
// baseline's, against H1: it is lower. It returns the one-sided p-value, the
// hypergeometric probability of at most the observed candidate passes given the
// total of passes (Fisher 1935). Its level is never above nominal and, since it
// conditions on the total, usually far below: [Boschloo] is at least as powerful.
func FisherLess(baseline, candidate Counts) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	return candidateGivenTotal(baseline, candidate).CDF(candidate.Passes), nil
}

// fisherLess is [FisherLess] in the table of tests.
func fisherLess(_ context.Context, baseline, candidate Counts) (float64, error) {
	return FisherLess(baseline, candidate)
}

// fisherRegion holds the tables whose p-value is at most alpha given their own total.
func fisherRegion(_ context.Context, baselineTrials, candidateTrials int, alpha float64) (*staircase, error) {
	d := newDiagonals(baselineTrials, candidateTrials)
	d.orderByFisher(alpha)
	return d.staircase(), nil
}

// FisherTwoSided is Fisher's exact test of equal rates against unequal ones. The
// p-value sums the tables that are no more probable than the observed one, as R
// and SciPy do; probabilities within 1e-7 of each other count as equal.
func FisherTwoSided(baseline, candidate Counts) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	h := candidateGivenTotal(baseline, candidate)
	x := candidate.Passes
	limit := h.LogProb(x) + 1e-7
	mode := min(max((h.Draws+1)*(h.Successes+1)/(h.Population+2), h.Least()), h.Most())
	// Probabilities rise up to the mode and fall after it: each side's share of
	// the improbable tables is one tail, found by bisection.
	below := lastBefore(h.Least()-1, mode, func(x int) bool { return h.LogProb(x) <= limit })
	aboveInFails := lastBefore(h.Draws-h.Most()-1, h.Draws-mode, func(fails int) bool {
		return h.LogProb(h.Draws-fails) <= limit
	})
	above := h.Draws - aboveInFails
	if below >= above {
		return 1, nil
	}
	return math.Min(h.CDF(below)+h.Survival(above-1), 1), nil
}

// lastBefore returns the largest x in (low, high] for which holds, which must be
// true up to some point and false after it; low if there is none.
func lastBefore(low, high int, holds func(int) bool) int {
	for low < high {
		middle := low + (high-low+1)/2
		if holds(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// candidateGivenTotal is the distribution of the candidate's passes given the
// total of passes, under equal rates.
func candidateGivenTotal(baseline, candidate Counts) dist.Hypergeometric {
	return dist.Hypergeometric{
		Population: baseline.Trials + candidate.Trials,
		Successes:  baseline.Passes + candidate.Passes,
		Draws:      candidate.Trials,
	}
}
