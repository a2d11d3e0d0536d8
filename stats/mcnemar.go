package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Pairs counts trials paired by scenario and input: the 2×2 flip table of a
// baseline and a candidate.
type Pairs struct {
	BothPass int // pairs whose two trials passed
	Broke    int // pairs in which the baseline passed and the candidate failed: regressed
	Mended   int // pairs in which the baseline failed and the candidate passed: fixed
	BothFail int // pairs whose two trials failed
}

// Total returns the number of pairs.
func (p Pairs) Total() int { return p.BothPass + p.Broke + p.Mended + p.BothFail }

// Discordant returns the number of pairs whose outcomes differ.
func (p Pairs) Discordant() int { return p.Broke + p.Mended }

// Baseline returns the baseline's passes and trials.
func (p Pairs) Baseline() Counts { return Counts{p.BothPass + p.Broke, p.Total()} }

// Candidate returns the candidate's passes and trials.
func (p Pairs) Candidate() Counts { return Counts{p.BothPass + p.Mended, p.Total()} }

// Validate returns an [ArgumentError] if a count is negative or the total
// exceeds [MaxTrials].
func (p Pairs) Validate() error {
	for _, cell := range []struct {
		name  string
		count int
	}{{"both pass", p.BothPass}, {"broke", p.Broke}, {"mended", p.Mended}, {"both fail", p.BothFail}} {
		if cell.count < 0 || cell.count > MaxTrials {
			return argument.Wrong(cell.name, cell.count,
				"must be a number of pairs, from 0 to the largest number of trials")
		}
	}
	if p.Total() > MaxTrials {
		return argument.Wrong("pairs", p.Total(), "exceeds the largest number of trials")
	}
	return nil
}

// McNemarLess is the exact McNemar test of H0: a pair that changes is at least as
// likely to mend as to break, against H1: the candidate is worse. The p-value is
// P(X >= broke) for X ~ Binomial(broke+mended, 1/2); 1 without discordant pairs.
func McNemarLess(p Pairs) (float64, error) {
	if err := p.Validate(); err != nil {
		return math.NaN(), err
	}
	return fairCoin(p).Survival(p.Broke - 1), nil
}

// McNemarTwoSided is the exact test of "breaks and mends equally often" against
// any difference: twice the smaller tail, at most 1.
func McNemarTwoSided(p Pairs) (float64, error) {
	if err := p.Validate(); err != nil {
		return math.NaN(), err
	}
	coin := fairCoin(p)
	return math.Min(1, 2*coin.CDF(min(p.Broke, p.Mended))), nil
}

// McNemarMidP is McNemarLess with half the probability of the observed table
// (Fagerland, Lydersen and Laake 2013). It is closer to nominal than the exact
// test but does not guarantee it: it is shown and never decides.
func McNemarMidP(p Pairs) (float64, error) {
	if err := p.Validate(); err != nil {
		return math.NaN(), err
	}
	coin := fairCoin(p)
	return coin.Survival(p.Broke) + 0.5*coin.Prob(p.Broke), nil
}

// mcnemarTest is the row of [McNemarTest]: the exact one-sided test, with its
// two-sided and its mid-p form.
func mcnemarTest(_ context.Context, table Table) (TestResult, error) {
	exact, err := McNemarLess(*table.Pairs)
	if err != nil {
		return TestResult{P: exact}, err
	}
	twoSided, err := McNemarTwoSided(*table.Pairs)
	if err != nil {
		return TestResult{P: exact}, err
	}
	midP, err := McNemarMidP(*table.Pairs)
	return TestResult{P: exact, Figures: []Figure{
		{"p_two_sided", twoSided},
		{"mid_p", midP},
	}}, err
}

// mcnemarRegion bounds the mended pairs by the number of discordant ones: one more
// discordant pair never lowers the bound.
func mcnemarRegion(pairs int, alpha float64) []int {
	most := make([]int, pairs+1)
	mended := -1
	for discordant := range most {
		coin := dist.Binomial{N: discordant, P: 0.5}
		for mended < discordant && coin.CDF(mended+1) <= alpha*(1+tie) {
			mended++
		}
		most[discordant] = mended
	}
	return most
}

// fairCoin is the distribution of the broken pairs among those that changed, under equal
// rates: given their number each is as likely to break as to mend.
func fairCoin(p Pairs) dist.Binomial { return dist.Binomial{N: p.Discordant(), P: 0.5} }
