package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt/race"
)

// wrong is a choice of an arm that is worse than the best by delta or more.
const wrong = "wrong"

// calibrateRace measures how often a race chooses an arm that is worse than the best by delta or more. Arms that are
// equal but for the best are the hardest to tell apart; arms in between may drop the best and be dropped by a worse one
// in turn. In a round all arms try the same scenario with the same seed, so that they depend on each other: that they
// pass alike is promised to do no harm. Arms of which each passes where the other fails are beyond what is promised of
// alpha, and keep the bound that needs no independence.
func calibrateRace(c *calibrator) error {
	const alpha = .05
	for _, arms := range pick(c, []int{2, 8}, []int{2, 3, 4, 8, 16}) {
		for _, best := range pick(c, []float64{.6, .85, .98}, []float64{.5, .6, .75, .85, .95, .98}) {
			delta := math.Min(.1, best/4)
			field, err := newField(arms, best, delta, alpha)
			if err != nil {
				return err
			}
			for _, rounds := range []struct {
				name string
				draw race.Draw
			}{
				{"independent", race.Independent(field.rates)},
				{"scenarios of unlike difficulty", byDifficulty(field.rates)},
				{"half of the rounds by one seed", oneSeed(field.rates)},
			} {
				if err := c.raced("race", field, rounds.name, rounds.draw, atMost(alpha)); err != nil {
					return err
				}
			}
			if arms == 2 {
				continue // none is between
			}
			if err := c.raced("race", field.between(), "variants in between", nil, atMost(alpha)); err != nil {
				return err
			}
		}
	}
	for _, arms := range []int{2, 3} {
		field, err := newField(arms, .85, .1, alpha)
		if err != nil {
			return err
		}
		x, err := race.Exact(field.rates, field.rule)
		if err != nil {
			return err
		}
		c.exact("race", fmt.Sprintf("%s, enumerated", field), wrong, 1-x.Chosen[0]-x.Undecided,
			atMost(1-race.Guarantee(field.rule.Lead, field.rates)))
	}
	field, err := newField(2, .85, .1, alpha)
	if err != nil {
		return err
	}
	// The best alone passes where the others fail, and these alone where it fails.
	ratio := (1 - field.rates[1]) / (1 - field.rates[0])
	bound := race.Bound(len(field.rates)-1, field.rule.Lead, ratio)
	if err := c.raced("specialists", field, "as the bound says", opposed(field.rates), atMost(bound)); err != nil {
		return err
	}
	return c.raced("specialists at alpha", field, "each passes where the other fails", opposed(field.rates),
		unpromised(alpha))
}

// field is what races: the best first.
type field struct {
	rates []float64
	delta float64
	rule  race.Rule
}

// newField is a field of which all but the best pass less often by delta, with the lead for that.
func newField(arms int, best, delta, alpha float64) (field, error) {
	f := field{rates: make([]float64, arms), delta: delta}
	for i := range f.rates {
		f.rates[i] = best - delta
	}
	f.rates[0] = best
	ratio, err := race.OddsRatio(best, delta)
	if err != nil {
		return f, err
	}
	lead, err := race.LeadFor(arms, ratio, alpha)
	f.rule = race.Rule{Lead: lead, MaxRounds: race.UsualRounds(lead, delta)}
	return f, err
}

// between moves every other arm half of the way to the best: to choose it is not wrong.
func (f field) between() field {
	f.rates = slices.Clone(f.rates)
	for i := 1; i < len(f.rates); i += 2 {
		f.rates[i] += f.delta / 2
	}
	return f
}

// String names the field.
func (f field) String() string {
	return fmt.Sprintf("%d variants, best %v, delta %v", len(f.rates), f.rates[0], f.delta)
}

// raced adds the row of a field; nil draws its arms independently.
func (c *calibrator) raced(decision string, f field, name string, draw race.Draw, p promise) error {
	if draw == nil {
		draw = race.Independent(f.rates)
	}
	runs := c.runs(200, 4000)
	if len(f.rates) == 2 { // which takes a tenth of the time
		runs *= 10
	}
	return c.simulate(decision, fmt.Sprintf("%s, %s", f, name), wrong, runs, p, func(random *rand.Rand) (bool, error) {
		r, err := race.Play(len(f.rates), f.rule, draw, random)
		if err != nil {
			return false, err
		}
		winner, ok := r.Winner()
		const rounding = 1e-9
		return ok && f.rates[winner] <= f.rates[0]-f.delta+rounding, nil
	})
}

// byDifficulty draws rounds of easy and hard scenarios, in which every arm passes more and less often than on average
// by as much.
func byDifficulty(rates []float64) race.Draw {
	shift := .25
	for _, p := range rates {
		shift = math.Min(shift, math.Min(p, 1-p))
	}
	return func(random *rand.Rand, passes []bool) {
		sign := 1.0
		if random.IntN(2) == 0 {
			sign = -1
		}
		for i, p := range rates {
			passes[i] = random.Float64() < p+sign*shift
		}
	}
}

// oneSeed draws rounds of which in half all arms pass or fail by one random number, and in the others each by its own.
func oneSeed(rates []float64) race.Draw {
	return func(random *rand.Rand, passes []bool) {
		one, shared := random.Float64(), random.IntN(2) == 0
		for i, p := range rates {
			u := random.Float64()
			if shared {
				u = one
			}
			passes[i] = u < p
		}
	}
}

// opposed draws rounds in which the best fails where the others pass, as far as their rates allow.
func opposed(rates []float64) race.Draw {
	return func(random *rand.Rand, passes []bool) {
		u := random.Float64()
		for i, p := range rates {
			passes[i] = u < p
			if i > 0 {
				passes[i] = 1-u < p
			}
		}
	}
}
