package race

import (
	"fmt"
	"math"
)

// Characteristics are those of a race of arms with given pass rates.
type Characteristics struct {
	Chosen     []float64 // probability that each arm is chosen
	Undecided  float64   // probability that the rounds are used up before
	Trials     float64   // expected, of all arms together
	Rounds     float64   // expected
	Deviation  float64   // standard error of the largest of Chosen; 0: they are exact
	Repetition int       // races that were simulated; 0: they are exact
}

// mostExactStates bounds what [Exact] computes with: how far each arm is behind. It is chosen.
const mostExactStates = 1 << 14

// Exact are the characteristics of a race of independent arms with these pass rates, by the distribution of how far
// each arm is behind after every round. It is for few arms: with a lead r, r to the power of their number must be at
// most 16,384. Prices count for nothing.
func Exact(rates []float64, rule Rule) (c Characteristics, err error) {
	if err := checkRates(rates, rule); err != nil {
		return c, err
	}
	if math.Pow(float64(rule.Lead+1), float64(len(rates))) > mostExactStates {
		return c, fmt.Errorf("a race of %d variants with a lead of %d has too many states", len(rates), rule.Lead)
	}
	c.Chosen = make([]float64, len(rates))
	states := walk(rates, rule.Lead)
	now, next := make([]float64, len(states)), make([]float64, len(states))
	now[0] = 1
	const negligible = 1e-15
	for round, left := 0, 1.0; round < rule.MaxRounds && left > negligible; round++ {
		clear(next)
		for i, p := range now {
			if p == 0 {
				continue
			}
			c.Trials += p * float64(states[i].racing)
			c.Rounds += p
			for winner, chance := range states[i].wins {
				c.Chosen[winner] += p * chance
			}
			for _, s := range states[i].next {
				next[s.to] += p * s.chance
			}
		}
		now, next = next, now
		left = 0
		for _, p := range now {
			left += p
		}
		c.Undecided = left
	}
	return c, nil
}

// state is how far each arm is behind, with what a round more makes of it.
type state struct {
	racing int       // arms that have not been dropped
	wins   []float64 // chance that each arm is left alone
	next   []move    // where several are left
}

type move struct {
	to     int
	chance float64
}

// walk are the states that a race can come to, from the first on in which all are level.
func walk(rates []float64, lead int) (states []state) {
	x := exact{rates: rates, lead: lead}
	level := string(make([]byte, len(rates)))
	place, found := map[string]int{level: 0}, []string{level}
	for i := 0; i < len(found); i++ {
		s := state{wins: make([]float64, len(rates))}
		for _, behind := range []byte(found[i]) {
			if behind != gone {
				s.racing++
			}
		}
		x.step([]byte(found[i]), 1, func(after []byte, p float64) {
			if winner, ok := alone(after); ok {
				s.wins[winner] += p
				return
			}
			to, known := place[string(after)]
			if !known {
				to = len(found)
				place[string(after)] = to
				found = append(found, string(after))
			}
			s.next = append(s.next, move{to, p})
		})
		states = append(states, s)
	}
	return states
}

// checkRates refuses what cannot race.
func checkRates(rates []float64, rule Rule) error {
	if len(rates) < 2 || len(rates) > MostArms {
		return fmt.Errorf("%d variants are not from 2 to %d", len(rates), MostArms)
	}
	for _, p := range rates {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("the rate %v must be from 0 to 1", p)
		}
	}
	return rule.Validate()
}

// gone marks an arm that was dropped. A lead of so many has too many states.
const gone = 255

// exact steps from how far each arm is behind to the same after one round more.
type exact struct {
	rates []float64
	lead  int
}

// step hands every state after one round more to found, with its probability.
func (x exact) step(state []byte, p float64, found func(after []byte, p float64)) {
	ahead := make([]int, len(state)) // of the leader before, negative where an arm is behind
	x.each(state, 0, p, ahead, found)
}

// each tries both outcomes of an arm, and of those after it.
func (x exact) each(state []byte, i int, p float64, ahead []int, found func(after []byte, p float64)) {
	if p == 0 {
		return
	}
	if i < len(state) && state[i] == gone {
		x.each(state, i+1, p, ahead, found)
		return
	}
	if i < len(state) {
		ahead[i] = 1 - int(state[i])
		x.each(state, i+1, p*x.rates[i], ahead, found)
		ahead[i] = -int(state[i])
		x.each(state, i+1, p*(1-x.rates[i]), ahead, found)
		return
	}
	most := math.MinInt
	for j := range state {
		if state[j] != gone {
			most = max(most, ahead[j])
		}
	}
	after := make([]byte, len(state))
	for j := range state {
		after[j] = gone
		if behind := most - ahead[j]; state[j] != gone && behind < x.lead {
			after[j] = byte(behind)
		}
	}
	found(after, p)
}

// alone is the arm that is left, if one is.
func alone(state []byte) (winner int, ok bool) {
	winner = -1
	for i := range state {
		switch {
		case state[i] == gone:
		case winner >= 0:
			return 0, false
		default:
			winner = i
		}
	}
	return winner, winner >= 0
}
