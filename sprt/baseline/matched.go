package baseline

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// MatchedHypotheses are what a test of matched pairs tells apart. A pair is one trial of
// each side that share what makes a trial hard, such as a recorded environment or the
// seed of a simulator. H0 says that as many pairs are fixed as break, H1 that the
// probability of a pair that breaks is higher by Delta: then the pass rate drops by it.
type MatchedHypotheses struct {
	Delta       float64 // the smallest drop that matters
	Alpha, Beta float64 // of Fail where nothing changed, and of Pass after a drop by Delta
	// MostDiscordant is the largest probability, above Delta and at most 1, for which the
	// errors are kept, that one side passes and the other does not. Of sides that are
	// independent, or fail together, it is (1+Delta²)/2 at most.
	MostDiscordant float64
}

// Matched plans a test of matched pairs in rounds. Only the pairs in which the sides
// differ decide; their probability is the nuisance parameter, over which the errors are
// largest: from 0 where nothing changed, and from Delta after a drop, to MostDiscordant.
// Trials are saved at a probability d of discordant pairs in proportion to
// (1-d)^[Options.Favour]. The errors are those of [SideBySide].
func Matched(ctx context.Context, m MatchedHypotheses, o Options) (RoundsPlan, error) {
	h := Hypotheses{m.Delta, m.Alpha, m.Beta, stats.Interval{Low: 0, High: m.MostDiscordant}}
	if err := h.validatePairs(); err != nil {
		return RoundsPlan{}, err
	}
	favour, err := o.check(MostRounds)
	if err != nil {
		return RoundsPlan{}, err
	}
	return planRounds(ctx, h, o, matchedKind(h, favour), func(int) int {
		return max(int(math.Ceil(matchedSteps*math.Sqrt(m.MostDiscordant/0.3))), matchedSteps)
	})
}

// validatePairs checks hypotheses of matched pairs, whose guarded rates are those of discordant pairs.
func (h Hypotheses) validatePairs() error {
	if !(h.Guarded.Low == 0 && h.Guarded.High > h.Delta && h.Guarded.High <= 1) {
		const name = "the largest probability of discordant pairs"
		return &HypothesesError{name, h.Guarded.High, "must be above delta and at most 1"}
	}
	// The other checks are those of rates; the range there is any that is valid, for pairs have none of
	// rates.
	h.Guarded = stats.Interval{Low: (1 + h.Delta) / 2, High: 1}
	return h.Validate()
}

// matchedKind is the form of matched pairs.
func matchedKind(h Hypotheses, favour float64) kind {
	most := h.Guarded.High
	// On the scale of the square root steps near 0 are fine.
	same := func(x float64) float64 { return most * x * x }
	lower := func(x float64) float64 { return h.Delta + (most-h.Delta)*x*x }
	return kind{
		matched: true,
		at: func(x float64) model {
			// More pairs break than are fixed by delta/2, so at least so many are discordant.
			half := math.Max(same(x), h.Delta/2)
			return model{discordant(same(x), 0), discordant(half, h.Delta/2), discordant(lower(x), h.Delta)}
		},
		// x is the slope of the scale, up to a factor; a little is left at 0, where it would have no weight
		// at all.
		saving: func(x float64) float64 { return (math.Pow(1-same(x), favour) + leastSaving) * math.Max(x, 0.02) },
	}
}

// matchedSteps is how many steps the grid of the probability of discordant pairs has up to 0.3; chosen.
const matchedSteps = 24

// discordant are the cells of pairs of which so many are discordant, and more break than
// are fixed by drop. The probability is at least the drop.
func discordant(probability, drop float64) cells {
	return cells{neither: 1 - probability, x: (probability - drop) / 2, y: (probability + drop) / 2}
}
