package design

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt/betting"
)

// AtAnyTime is what a verdict or a comparison takes that is looked at after each trial, or pair, without a plan.
type AtAnyTime struct {
	// Expected trials, or pairs, at the rates that were asked for. Nil where one in a hundred is not decided after
	// 10,000 trials or [betting.MostPairs].
	Expected []*float64 `json:"expected"`
}

// mostAtAnyTime is where trials are no longer followed; chosen.
const mostAtAnyTime = 10_000

// decided is the chance of a decision from which on expected trials are told.
const decided = 0.99

var rememberedAtAnyTime memory[string, *AtAnyTime]

// VerdictAtAnyTime is that of a pass rate against a threshold, where either error is at most alpha.
func VerdictAtAnyTime(threshold, alpha float64, rates []float64) (*AtAnyTime, error) {
	return rememberedAtAnyTime.of(fmt.Sprint(threshold, alpha, rates), func() (*AtAnyTime, error) {
		b, err := betting.Boundaries(threshold, alpha, mostAtAnyTime)
		if err != nil {
			return nil, err
		}
		lattice, err := b.Lattice()
		if err != nil {
			return nil, err
		}
		found := &AtAnyTime{}
		for _, p := range rates {
			c := lattice.At(p)
			found.add(c.Pass+c.Fail, c.ExpectedTrials)
		}
		return found, nil
	})
}

// ComparisonAtAnyTime is that of pairs of independent trials, by the rates of the baseline and the candidate.
func ComparisonAtAnyTime(ctx context.Context, delta, alpha, beta float64, rates [][2]float64) (*AtAnyTime, error) {
	return rememberedAtAnyTime.of(fmt.Sprint(delta, alpha, beta, rates), func() (*AtAnyTime, error) {
		test, err := betting.NewPairTest(ctx, delta, alpha, beta)
		if err != nil {
			return nil, err
		}
		at := make([]betting.PairExpectation, len(rates))
		spread.Over(len(rates), func(i int) {
			r := rates[i]
			at[i] = test.At(r[0]*(1-r[1]), (1-r[0])*r[1])
		})
		found := &AtAnyTime{}
		for _, c := range at {
			found.add(c.Pass+c.Fail, c.Pairs)
		}
		return found, nil
	})
}

// add takes in what is expected at a rate.
func (a *AtAnyTime) add(chance, expected float64) {
	var known *float64
	if chance >= decided {
		known = &expected
	}
	a.Expected = append(a.Expected, known)
}
