package stratified

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// betting decides the mean against a threshold by bets on every scenario, between rounds, as long as anybody likes.
//
// Theorem. Let the failure rates of a round add up to S at most, and let centres a_i, fixed before the round, add up to
// S. Then the product of 1 + l(X_i - a_i) over its trials has an expectation of at most 1 for every l from 0 on that
// loses no more than there is: log E = Σ log(1 + l(q_i - a_i)) <= l Σ (q_i - a_i) <= 0. The same holds of
// 1 + l(a_i - X_i) where the rates add up to S at least. So over rounds either product is a supermartingale, for every
// vector of rates and also where they move, and reaches 1/error with a chance of error at most (Ville 1939).
//
// Where the rates are b_i the best bet is the likelihood ratio of b_i to centres with b_i - a_i = l a_i(1 - a_i): with
// one l for all, each factor is of the form above. The b_i are estimated from the rounds before. Equal ones are the
// likelihood ratio of equal rates, and are used as long as the others have not earned lead more.
type betting struct {
	question   Question
	fail, pass float64 // logarithms that the evidence has to reach
}

// lead is in nats; chosen, like how many trials the common rate counts for where a scenario's own is estimated.
const (
	lead   = 2
	common = 2
)

func newBetting(q Question, alpha float64) *betting {
	return &betting{question: q, fail: -math.Log(alpha), pass: -math.Log(q.Beta)}
}

// decide looks after each round.
func (b *betting) decide(v view) (sprt.Outcome, int) {
	upper, lower := 1-b.question.Threshold, 1-b.question.hypotheses().Lower()
	worse, better := newBet(b.question, upper, lower), newBet(b.question, lower, upper)
	for round := 1; round <= b.question.MaxRounds; round++ {
		for i, list := range v.candidate {
			if len(list) < round*b.question.Weight(i) {
				return sprt.Undecided, round
			}
		}
		worse.take(v, round)
		better.take(v, round)
		switch {
		case worse.wealth >= b.fail:
			return sprt.Fail, round
		case better.wealth >= b.pass:
			return sprt.Pass, round
		}
	}
	return sprt.Inconclusive, b.question.MaxRounds
}

// bets is one side: that the mean failure rate is another than the null's.
type bets struct {
	question       Question
	null, other    float64
	wealth         float64   // logarithm
	equal, unequal float64   // what either way would have earned
	failures       []float64 // by scenario, of the rounds before
	trials         []float64
}

func newBet(q Question, null, other float64) *bets {
	return &bets{question: q, null: null, other: other, failures: make([]float64, q.Scenarios),
		trials: make([]float64, q.Scenarios)}
}

// take bets on a round.
func (b *bets) take(v view, round int) {
	rates, centres := b.centres()
	equal, unequal := 0.0, 0.0
	for i, list := range v.candidate {
		w := b.question.Weight(i)
		for _, failed := range list[(round-1)*w : round*w] {
			b.trials[i]++
			if failed {
				b.failures[i]++
				equal += math.Log(b.other / b.null)
				unequal += math.Log(rates[i] / centres[i])
			} else {
				equal += math.Log((1 - b.other) / (1 - b.null))
				unequal += math.Log((1 - rates[i]) / (1 - centres[i]))
			}
		}
	}
	if b.unequal-b.equal >= lead {
		b.wealth += unequal
	} else {
		b.wealth += equal
	}
	b.equal += equal
	b.unequal += unequal
}

// centres are the estimated rates, moved so that their mean is the other one, and the centres that go with them.
func (b *bets) centres() (rates, centres []float64) {
	guess := make([]float64, len(b.failures))
	for i, f := range b.failures {
		guess[i] = (f + common*b.other) / (b.trials[i] + common)
	}
	// The odds of all are changed alike, until the mean is right.
	rates, centres = make([]float64, len(guess)), make([]float64, len(guess))
	root(-30, 30, func(shift float64) float64 {
		odds := math.Exp(shift)
		for i, p := range guess {
			rates[i] = p * odds / (1 - p + p*odds)
		}
		return b.mean(rates) - b.other
	})
	// b - a = l a(1-a); as l rises from the least, -1/max(1-a), the centres fall.
	root(-1, 1, func(x float64) float64 {
		l := x / (1 - math.Abs(x)) // all numbers
		for i, p := range rates {
			centres[i] = centre(p, l)
		}
		return b.null - b.mean(centres)
	})
	return rates, centres
}

// centre is the root a in (0, 1) of a + l a(1-a) = p, in a form that does not cancel.
func centre(p, l float64) float64 {
	return 2 * p / (1 + l + math.Sqrt((1+l)*(1+l)-4*l*p))
}

// mean is that of rates over the trials of a round.
func (b *bets) mean(rates []float64) (mean float64) {
	for i, p := range rates {
		mean += p * float64(b.question.Weight(i))
	}
	return mean / float64(b.question.Round())
}

// root halves an interval until a rising function is 0, from above: at what it was called with last it is not below.
func root(low, high float64, f func(x float64) float64) {
	for range 60 {
		if middle := (low + high) / 2; f(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	f(high)
}
