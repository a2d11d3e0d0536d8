package race

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Draw says which arms pass a round: it sets passes, which has a place for every arm.
type Draw func(random *rand.Rand, passes []bool)

// Independent draws arms with these pass rates, each by itself.
func Independent(rates []float64) Draw {
	return func(random *rand.Rand, passes []bool) {
		for i, p := range rates {
			passes[i] = random.Float64() < p
		}
	}
}

// Simulate are the characteristics of a race of so many arms whose rounds are drawn, by so many repetitions, at least
// 1, with random numbers of the seed. Prices count for nothing.
func Simulate(
	ctx context.Context, arms int, rule Rule, draw Draw, repetitions int, seed uint64,
) (Characteristics, error) {
	rule.Worth = 0
	c := Characteristics{Chosen: make([]float64, arms), Repetition: repetitions}
	for n := range repetitions {
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		r, err := Play(arms, rule, draw, seeded.Stream(seed, uint64(n)))
		if err != nil {
			return c, err
		}
		for i := range arms {
			c.Trials += float64(r.Judged(i))
		}
		c.Rounds += float64(r.Rounds())
		if winner, ok := r.Winner(); ok {
			c.Chosen[winner]++
		} else {
			c.Undecided++
		}
	}
	c.mean(repetitions)
	return c, nil
}

// mean makes means of sums over so many repetitions.
func (c *Characteristics) mean(repetitions int) {
	n := float64(repetitions)
	largest := 0.0
	for i := range c.Chosen {
		c.Chosen[i] /= n
		largest = math.Max(largest, c.Chosen[i])
	}
	c.Undecided /= n
	c.Trials /= n
	c.Rounds /= n
	c.Deviation = math.Sqrt(largest * (1 - largest) / n)
}

// Play runs one race to its end on rounds that are drawn.
func Play(arms int, rule Rule, draw Draw, random *rand.Rand) (*Race, error) {
	r, err := New(arms, rule)
	if err != nil {
		return nil, err
	}
	passes := make([]bool, arms)
	for round := 0; r.End() == GoesOn; round++ {
		draw(random, passes)
		for _, i := range r.Racing() {
			o := trial.Fail
			if passes[i] {
				o = trial.Pass
			}
			if err := r.Observe(i, round, o); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}
