package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// PairedRegion is the critical region of a test on paired trials, a set of flip
// tables. A PairedRegion may be used by one goroutine at a time.
type PairedRegion struct {
	event  *pairedEvent
	mended bool // the cuts bound the mended pairs instead of the broken ones
}

// PairedRegion returns the flip tables of so many pairs in which the test finds the
// candidate worse at level alpha: its p-value is at most alpha. It returns an
// [ArgumentError] for a test of independent trials: see [Test.Region].
//
// It takes the region to be closed: of as many discordant pairs, a table stays in it
// with fewer that mended, and one more discordant pair never takes the table out that
// has as many mended.
func (t Test) PairedRegion(ctx context.Context, pairs int, alpha float64) (*PairedRegion, error) {
	if err := (Counts{0, pairs}).validateNonEmpty(); err != nil {
		return nil, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return nil, err
	}
	row := t.row()
	if !row.paired {
		return nil, argument.Wrong("test", t, "has no critical region for pairs")
	}
	event := newPairedEvent(pairs, 0)
	if row.pairedRegion != nil {
		event.cut = row.pairedRegion(pairs, alpha)
	} else {
		event.cut = pairedRegionByP(ctx, row.p, pairs, alpha)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &PairedRegion{event: event, mended: true}, nil
}

// pairedRegionByP asks a test for its p-value along the edge of its region.
//
// The cut never falls with the discordant pairs, so mended goes on from where the row before ended.
func pairedRegionByP(ctx context.Context, p pValue, pairs int, alpha float64) []int {
	most := make([]int, pairs+1)
	mended := -1
	for discordant := range most {
		for mended < discordant {
			table := Pairs{BothPass: pairs - discordant, Broke: discordant - mended - 1, Mended: mended + 1}
			result, err := p(ctx, Table{Baseline: table.Baseline(), Candidate: table.Candidate(), Pairs: &table})
			if err != nil || result.P > alpha {
				break
			}
			mended++
		}
		most[discordant] = mended
	}
	return most
}

// PairedNonInferiorityRegion returns the flip tables in which
// [PairedNonInferiority] has a p-value of at most beta.
func PairedNonInferiorityRegion(ctx context.Context, pairs int, delta, beta float64) (*PairedRegion, error) {
	if err := (Counts{0, pairs}).validateNonEmpty(); err != nil {
		return nil, err
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return nil, err
	}
	if err := argument.OpenUnit("beta", beta); err != nil {
		return nil, err
	}
	event := newPairedEvent(pairs, delta)
	if err := growToLevel(ctx, event, -dist.NormalUpperQuantile(beta), 0.25, beta); err != nil {
		return nil, err
	}
	return &PairedRegion{event: event}, nil
}

// following is the ordering value of the next table that would join: see [orderedEvent].
func (e *pairedEvent) following() float64 { return e.next }

// Contains reports whether the test rejects at so many broken and mended pairs.
func (r *PairedRegion) Contains(broke, mended int) bool {
	discordant := broke + mended
	if broke < 0 || mended < 0 || discordant > r.event.pairs {
		return false
	}
	if r.mended {
		return mended <= r.event.cut[discordant]
	}
	return broke <= r.event.cut[discordant]
}

// Probability returns the exact probability that the test rejects where a pair
// breaks and mends at the given rates. It is NaN unless both are probabilities
// that add up to at most 1.
func (r *PairedRegion) Probability(breakRate, mendRate float64) float64 {
	if !validFlipRates(breakRate, mendRate) {
		return math.NaN()
	}
	if r.mended {
		return r.event.chance(mendRate, breakRate)
	}
	return r.event.chance(breakRate, mendRate)
}

// validFlipRates reports whether the two rates leave a probability for pairs that agree.
func validFlipRates(breakRate, mendRate float64) bool {
	return breakRate >= 0 && mendRate >= 0 && breakRate+mendRate <= 1
}

// SmallestDrop returns the smallest drop of the pass rate that the test finds
// with at least the given probability, to 1e-9, where pairs mend at the given
// rate and break at that rate plus the drop; false if there is none.
func (r *PairedRegion) SmallestDrop(mendRate, power float64) (float64, bool) {
	// A pair breaks at most as often as is left beside those that mend.
	most := 1 - 2*mendRate
	if !(mendRate >= 0 && most >= 0 && r.Probability(1-mendRate, mendRate) >= power) {
		return math.NaN(), false
	}
	low, high := 0.0, most
	for high-low > 1e-9 {
		middle := (low + high) / 2
		if r.Probability(mendRate+middle, mendRate) >= power {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// EitherProbability returns the exact probability that this test of "worse" rejects,
// or one of non-inferiority on the same number of pairs, or both.
func (r *PairedRegion) EitherProbability(nonInferiority *PairedRegion, breakRate, mendRate float64) (float64, error) {
	if !r.mended || nonInferiority.mended || r.event.pairs != nonInferiority.event.pairs {
		return math.NaN(), argument.Wrong("regions", "given",
			"must be a regression and a non-inferiority region of the same pairs")
	}
	if !validFlipRates(breakRate, mendRate) {
		return math.NaN(), argument.Wrong("flip rates", [2]float64{breakRate, mendRate},
			"must be probabilities that add up to at most 1")
	}
	masses := r.event.masses
	masses.fill(breakRate+mendRate, 1-breakRate-mendRate)
	// By the number of discordant pairs; given that, those that broke are binomial.
	undecided := 0.0
	for m := masses.low; m <= masses.high; m++ {
		broke := dist.Binomial{N: m}
		if m > 0 {
			broke.P = breakRate / (breakRate + mendRate)
		}
		least := nonInferiority.event.cut[m] + 1
		most := m - r.event.cut[m] - 1
		if least <= most {
			undecided += masses.mass[m] * (broke.CDF(most) - broke.CDF(least-1))
		}
	}
	return min(max(1-undecided, 0), 1), nil
}
