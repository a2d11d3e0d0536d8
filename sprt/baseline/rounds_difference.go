package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Difference returns the estimates of the candidate's rate less the baseline's, after the
// test ended with so many events of both. Alpha is the two-sided error of the interval.
// An error says that the test cannot end there.
//
// Ends are ordered stage-wise: the earlier a Fail the lower, the earlier a Pass the
// higher, and after equally many rounds by the events of the candidate less those of the
// baseline. For a fixed rate of the baseline, or of discordant pairs, an end at least as
// high is the likelier the higher the difference. The limits are the farthest over a
// confidence sequence of that rate, which holds whenever the test stopped and whose error
// is part of the level (Berger and Boos 1994).
func (r *Rounds) Difference(rounds, baseline, candidate int, alpha float64) (Difference, error) {
	if !(alpha > 0 && alpha < 1) {
		return Difference{}, &HypothesesError{"alpha", alpha, "must lie strictly between 0 and 1"}
	}
	at, err := r.place(rounds, baseline, candidate)
	if err != nil {
		return Difference{}, err
	}
	// The test may have stopped at any time because of what it saw, also of the baseline: only a confidence
	// sequence covers the baseline's rate whenever that is.
	spent := alpha * nuisanceShare
	counted := stats.Counts{Passes: rounds - baseline, Trials: rounds}
	if r.matched {
		counted.Passes = baseline + candidate // the pairs that are discordant
	}
	nuisance, err := sprt.ConfidenceSequence(counted, spent, 1, 1)
	if err != nil {
		return Difference{}, err
	}
	tails := r.tails(r.ends[at])
	tail := (alpha - spent) / 2
	share := math.Min(math.Max(counted.Rate(), nuisance.Low), nuisance.High)
	return Difference{
		Naive:          float64(baseline-candidate) / float64(rounds),
		MedianUnbiased: (tails.lower(share, 0.5) + tails.upper(share, 0.5)) / 2,
		Interval: stats.Interval{
			Low:  least(nuisance, func(rate float64) float64 { return tails.lower(rate, tail) }),
			High: -least(nuisance, func(rate float64) float64 { return -tails.upper(rate, tail) }),
		},
		Level: 1 - alpha,
	}, nil
}

// roundsTails are the ends at and above one of them, and at and below it. The end itself, and what ties
// with it, is in both.
type roundsTails struct {
	matched      bool
	above, below []roundsEnd
}

// tails sorts the ends stage-wise; above and below are parts of one list.
func (r *Rounds) tails(seen roundsEnd) roundsTails {
	ends := slices.Clone(r.ends)
	slices.SortFunc(ends, roundsEnd.stageWise)
	t := roundsTails{matched: r.matched}
	for i, e := range ends {
		order := e.stageWise(seen)
		if order <= 0 {
			t.below = ends[:i+1]
		}
		if order >= 0 && t.above == nil {
			t.above = ends[i:]
		}
	}
	return t
}

// stageWise orders ends from the lowest to the highest. Ties are broken by the difference of the events,
// fewer of the candidate being higher.
func (e roundsEnd) stageWise(other roundsEnd) int {
	if e.outcome != other.outcome {
		return cmp.Compare(severity(other.outcome), severity(e.outcome))
	}
	byRounds := cmp.Compare(e.rounds, other.rounds)
	if e.outcome == sprt.Pass {
		byRounds = -byRounds
	}
	return cmp.Or(byRounds, cmp.Compare(other.candidate-other.baseline, e.candidate-e.baseline))
}

// probability returns that of ends at a nuisance parameter and a difference: at the rate
// of the baseline, or of discordant pairs.
func (t roundsTails) probability(ends []roundsEnd, nuisance, difference float64) (sum float64) {
	path := func(e roundsEnd) float64 {
		pass := math.Min(math.Max(nuisance+difference, 0), 1) // but for rounding
		return times(e.rounds-e.baseline, math.Log(nuisance)) + times(e.baseline, math.Log1p(-nuisance)) +
			times(e.rounds-e.candidate, math.Log(pass)) + times(e.candidate, math.Log1p(-pass))
	}
	// d is the probability of discordant pairs: (d+difference)/2 of them are fixed, (d-difference)/2 break.
	if t.matched {
		fixed, broke := math.Max(nuisance+difference, 0)/2, math.Max(nuisance-difference, 0)/2
		path = func(e roundsEnd) float64 {
			return times(e.rounds-e.baseline-e.candidate, math.Log1p(-nuisance)) +
				times(e.baseline, math.Log(fixed)) + times(e.candidate, math.Log(broke))
		}
	}
	for _, e := range ends {
		sum += math.Exp(e.logPaths + path(e))
	}
	return sum
}

// span is the range of the difference at a nuisance parameter. A candidate's rate is from 0 to 1; of
// matched pairs the difference is at most what is discordant.
func (t roundsTails) span(nuisance float64) stats.Interval {
	if t.matched {
		return stats.Interval{Low: -nuisance, High: nuisance}
	}
	return stats.Interval{Low: -nuisance, High: 1 - nuisance}
}

// lower returns the largest difference at which an end so high has at most a probability,
// and upper the smallest at which one so low has. Both look on a scale from 0 to 1 over the span, which is
// what crossing takes.
func (t roundsTails) lower(nuisance, probability float64) float64 {
	span := t.span(nuisance)
	return span.Low + span.Width()*crossing(func(x float64) float64 {
		return t.probability(t.above, nuisance, span.Low+span.Width()*x) - probability
	})
}

// upper measures from the high end, so that the probability rises with x as crossing asks.
func (t roundsTails) upper(nuisance, probability float64) float64 {
	span := t.span(nuisance)
	return span.High - span.Width()*crossing(func(x float64) float64 {
		return t.probability(t.below, nuisance, span.High-span.Width()*x) - probability
	})
}
