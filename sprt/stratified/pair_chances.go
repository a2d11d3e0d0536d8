package stratified

import (
	"context"

	"github.com/tribunal-dev/tribunal/sprt"
)

// atPairs is At against a baseline: it follows how many pairs broke and were mended.
func (d *Design) atPairs(rule *pairRule, candidate, baseline []float64) (c Chances, by []ends) {
	c = Chances{Clears: make([]float64, len(candidate))}
	round := plane{{1}} // by pairs that broke, and those that were mended
	for i, p := range candidate {
		one := plane{{baseline[i]*p + (1-baseline[i])*(1-p), (1 - baseline[i]) * p}, {baseline[i] * (1 - p), 0}}
		for range d.question.Weight(i) {
			round = round.plus(one)
		}
		c.Clears[i] = passes(d.floors[i].(*pairFloor).clearing(), p)
	}
	going := plane{{1}}
	for r := 1; r <= d.question.MaxRounds; r++ {
		c.Rounds += going.sum()
		going = going.plus(round)
		for broke, list := range going {
			for mended, mass := range list {
				pairs := r * d.question.Round()
				switch rule.outcome(sprt.Differences{Broke: broke, Same: pairs - broke - mended, Mended: mended}) {
				case sprt.Pass:
					c.MeanPasses += mass
				case sprt.Fail:
					c.MeanFails += mass
				default:
					continue
				}
				list[mended] = 0
			}
		}
		by = append(by, ends{c.MeanPasses, c.MeanFails})
	}
	c.Trials = c.Rounds * float64(d.question.Round())
	if d.question.Sides != Stored {
		c.Trials *= 2
	}
	return c, by
}

// ends are the chances that the mean has passed or failed by some round.
type ends struct{ passes, fails float64 }

// plane is a distribution of two numbers.
type plane [][]float64

// sum is all of it.
func (x plane) sum() (sum float64) {
	for _, list := range x {
		for _, p := range list {
			sum += p
		}
	}
	return sum
}

// plus is the distribution of the sums with independent numbers, but for what is negligible.
func (x plane) plus(y plane) plane {
	width := 0
	for _, list := range x {
		width = max(width, len(list))
	}
	other := 0
	for _, list := range y {
		other = max(other, len(list))
	}
	z := make(plane, len(x)+len(y)-1)
	for i := range z {
		z[i] = make([]float64, width+other-1)
	}
	for i, list := range x {
		for j, p := range list {
			if p < negligible {
				continue
			}
			for k, others := range y {
				for l, q := range others {
					z[i+k][j+l] += p * q
				}
			}
		}
	}
	return z.trimmed()
}

// trimmed leaves out what is negligible at the upper ends.
func (x plane) trimmed() plane {
	for i, list := range x {
		for len(list) > 0 && list[len(list)-1] < negligible {
			list = list[:len(list)-1]
		}
		x[i] = list
	}
	for len(x) > 1 && len(x[len(x)-1]) == 0 {
		x = x[:len(x)-1]
	}
	return x
}

// Recording is what a recorded baseline of some size is good for.
type Recording struct {
	Trials int `json:"trials"` // of each scenario of the least weight
	// Passes is the chance that the mean of an unchanged candidate passes, and Finds that one fails that dropped by
	// delta everywhere. What is left is mostly Inconclusive: errors do not depend on the size.
	Passes float64 `json:"passes"`
	Finds  float64 `json:"finds"`
	// Failures is how many straight failures of a scenario show its collapse where its baseline never failed; 0 where
	// no number does.
	Failures int `json:"failures"`
}

// Recorded says what baselines of 1 to q.MaxRounds trials a scenario are good for, where all scenarios pass at a rate.
// A smaller one costs power, and never error.
func Recorded(ctx context.Context, q Question, rate float64) ([]Recording, error) {
	q.Sides = Stored
	d, err := New(ctx, q)
	if err != nil {
		return nil, err
	}
	q = d.question
	if !(rate > q.Delta && rate <= 1) {
		return nil, &sprt.HypothesesError{Field: "rate", Value: rate, Problem: "must be above delta, and at most 1"}
	}
	same, lower := make([]float64, q.Scenarios), make([]float64, q.Scenarios)
	for i := range same {
		same[i], lower[i] = rate, rate-q.Delta
	}
	rule := d.mean.(*pairRule)
	_, unchanged := d.atPairs(rule, same, same)
	_, dropped := d.atPairs(rule, lower, same)
	list := make([]Recording, q.MaxRounds)
	for n := range list {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		floor, err := newPairFloor(Question{
			Sides: Stored, MaxRounds: n + 1, Floor: q.Floor, Beta: q.Beta,
		}, 1, pairShare*q.Alpha/float64(q.Scenarios))
		if err != nil {
			return nil, err
		}
		list[n] = Recording{n + 1, unchanged[n].passes, dropped[n].fails, floor.straight()}
	}
	return list, nil
}

// straight is how many straight failures collapse a scenario whose stored baseline never failed; 0 where none do.
func (t *pairFloor) straight() int {
	if len(t.stored) == 0 {
		return 0
	}
	for n, at := range t.stored[0].FailAtOrAbove {
		if at <= n+1 {
			return n + 1
		}
	}
	return 0
}
