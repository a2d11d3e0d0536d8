package plan

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// SideBySideKind is the kind of a design that runs both sides in rounds.
const SideBySideKind = "side-by-side"

// RoundsOptions say what to plan where both sides run, a trial of each in every round.
type RoundsOptions struct {
	Delta, Alpha, Beta float64
	Guard              float64             // the lowest rate of the baseline for which the errors are kept; 0 is all
	MaxRounds          int                 // the most rounds; 0 is 1.4 times the fixed sample
	PriceUSD           *float64            // of a trial
	Seconds            *float64            // of a trial
	Progress           func(share float64) // may be nil

	earlier bool // a plan is described again that says nothing of any time
}

// TestInRounds plans a test that runs both sides, and computes all that is to be said of it.
// Errors are those of [baseline.SideBySide], and of options that cannot be used.
func TestInRounds(ctx context.Context, o RoundsOptions) (*Against, error) {
	if err := checkPrices(o.PriceUSD, o.Seconds); err != nil {
		return nil, err
	}
	found, err := baseline.SideBySide(ctx, baseline.Hypotheses{
		Delta: o.Delta, Alpha: o.Alpha, Beta: o.Beta, Guarded: stats.Interval{Low: o.Guard, High: 1},
	}, baseline.Options{MaxTrials: o.MaxRounds, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return describeRounds(ctx, o, found)
}

// describeRounds says all that is to be said of a test in rounds. It is apart from the
// search, so that a saved plan can be described again.
func describeRounds(ctx context.Context, o RoundsOptions, found baseline.RoundsPlan) (p *Against, err error) {
	test := found.Test
	h := test.Hypotheses()
	p = &Against{
		Schema: AgainstSchema, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta, Warnings: []verdict.Warning{},
		Guarded: Range{h.Guarded.Low, h.Guarded.High},
		Design: AgainstDesign{
			Kind: SideBySideKind, MaxTrials: test.MaxRounds(), Alpha: math.Min(found.Errors.Alpha, 1),
			Beta: math.Min(found.Errors.Beta, 1), AlphaAt: found.Errors.AlphaAt, BetaAt: found.Errors.BetaAt,
			Gates: found.Errors.Within(h), Expected: found.Expected, Bound: found.Bound, Gap: found.Gap,
			Inconclusive: found.Inconclusive, FixedTrials: found.FixedRounds, Digest: test.Digest(),
		},
		Rounds: new(test.Record()),
	}
	lowest := math.Max(h.Guarded.Low, h.Delta) // that can drop by it
	p.addPoints(againstLadder(Range{lowest, h.Guarded.High}, lowest), func(p, candidate float64) AgainstRate {
		c := test.At(p, candidate)
		return AgainstRate{Pass: c.Pass, Fail: c.Fail, Inconclusive: c.Inconclusive, ASN: c.ExpectedTrials}
	})
	p.addPrice(o.PriceUSD, o.Seconds)
	if o.earlier {
		return p, nil
	}
	var rates [][2]float64
	for _, x := range p.Points {
		rates = append(rates, [2]float64{x.P, x.P}, [2]float64{x.P, math.Max(x.P-h.Delta, 0)})
	}
	p.AtAnyTime, err = design.ComparisonAtAnyTime(ctx, h.Delta, h.Alpha, h.Beta, rates)
	return p, err
}
