package baseline

import (
	"math"
	"slices"
)

// prices are what an error costs, in trials, at each rate of a grid. The best test under
// prices, less what the errors may cost, is a lower bound of the expected trials of every
// test that keeps the errors (Lagrangian duality).
//
// With λ the prices, L(λ) = min over tests of E(trials) + Σ λ·error, less Σ λ·target, is at most E(trials)
// of every test with error <= target everywhere: its sum Σ λ·(error-target) is not positive (weak duality,
// see Boyd and Vandenberghe 2004, 5.1). L is concave in λ, and error - target of the best test is a
// supergradient of it, which is what [prices.move] follows. Rates at which no price is left do not bind:
// those that keep one are the least favourable.
type prices struct{ fail, pass []float64 }

// firstPrices is where a search begins: an error costs what so many trials do. The numbers are those of all
// rates together, shared out evenly.
func firstPrices(rates int) prices {
	// Chosen; where a search ends does not depend on it, only how many rounds it takes.
	const fail, pass = 400, 200
	p := prices{make([]float64, rates), make([]float64, rates)}
	for j := range rates {
		p.fail[j], p.pass[j] = fail/float64(rates), pass/float64(rates)
	}
	return p
}

func (p prices) clone() prices { return prices{slices.Clone(p.fail), slices.Clone(p.pass)} }

// allowed is what errors as large as their targets cost. It is what the bound subtracts.
func (p prices) allowed(limit room) float64 { return p.cost(score{fail: limit.fail, pass: limit.pass}) }

// cost is what the errors of a score cost.
func (p prices) cost(s score) (sum float64) {
	for j := range p.fail {
		sum += p.fail[j]*s.fail[j] + p.pass[j]*s.pass[j]
	}
	return sum
}

// move raises the prices of errors above a share of their targets and lowers the others,
// by exponentiated gradient steps (Kivinen and Warmuth 1997) of bounded size.
//
// The rate is the length of the step: callers let it fall from round to round, so that prices settle. Steps
// are multiplied, so that prices stay positive, and bounded to -0.7..1 times the rate, for an error may be
// many times its target in the first rounds. The share is of the targets: below 1 it asks for a test that
// is safer than it must be.
func (p prices) move(limit room, total score, rate, share float64) {
	factor := func(error, target float64) float64 {
		return math.Exp(rate * math.Min(math.Max(error/(target*share)-1, -0.7), 1))
	}
	for j := range p.fail {
		p.fail[j] *= factor(total.fail[j], limit.fail[j])
		p.pass[j] *= factor(total.pass[j], limit.pass[j])
	}
}

// between returns the geometric means of prices. It is half way on the scale on which [prices.move] walks.
func (p prices) between(other prices) prices {
	c := p.clone()
	for j := range c.fail {
		c.fail[j] = math.Sqrt(c.fail[j] * other.fail[j])
		c.pass[j] = math.Sqrt(c.pass[j] * other.pass[j])
	}
	return c
}

// score is what a test, or a part of it, comes to on a grid of rates. Errors are not divided by their
// targets; scores of columns add up to that of their family.
type score struct {
	fail     []float64 // P(Fail) with both sides alike, by rate
	pass     []float64 // P(Pass) with the candidate lower by delta, by rate
	expected float64   // trials, averaged over the savings
	open     float64   // P(Inconclusive), averaged over the savings
}

func newScore(rates int) score {
	return score{fail: make([]float64, rates), pass: make([]float64, rates)}
}

// add adds what another part of the same test comes to.
func (s *score) add(other score) {
	s.expected += other.expected
	s.open += other.open
	for j := range s.fail {
		s.fail[j] += other.fail[j]
		s.pass[j] += other.pass[j]
	}
}

// room is how large the errors may be that a search is free to choose, by rate.
type room struct{ fail, pass []float64 }

// roomOf is the room of a search that is free to choose all: the targets.
func roomOf(h Hypotheses, rates int) room {
	r := room{make([]float64, rates), make([]float64, rates)}
	for j := range rates {
		r.fail[j], r.pass[j] = h.Alpha, h.Beta
	}
	return r
}

// least is the smallest.
func (r room) least() float64 { return math.Min(slices.Min(r.fail), slices.Min(r.pass)) }

// shares are the errors as shares of the room: of false Fails by rate, then of false Passes.
func (s score) shares(r room) (list []float64) {
	for j, x := range s.fail {
		list = append(list, x/r.fail[j])
	}
	for j, x := range s.pass {
		list = append(list, x/r.pass[j])
	}
	return list
}

// excess is the largest error as a share of its room.
func (s score) excess(r room) float64 { return slices.Max(s.shares(r)) }

// objective is the expected trials, and the cost of an Inconclusive where there may be
// one.
func (s score) objective(giveUp float64) float64 {
	if math.IsInf(giveUp, 1) {
		return s.expected
	}
	return s.expected + giveUp*s.open
}
