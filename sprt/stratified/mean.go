package stratified

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/sprt"
)

// meanTest is the search for the boundaries of the mean: failures by whole rounds, at which it passes or fails.
//
// For equal rates the expected rounds are minimised by backward induction under Lagrange multipliers of both errors
// (Arrow, Blackwell & Girshick 1949), whose dual value is a lower bound (see [sprt.Optimal]). What it yields is then
// proved against the adversary, and single boundaries are moved to use up what is left.
type meanTest struct {
	ctx          context.Context
	trials       int     // of a round
	rounds       int     // at most
	passFrom     int     // the first round after which it may pass
	mean         float64 // failure rate of H0: no test fails where no more have failed
	alpha, beta  float64
	upper, lower []([]float64) // masses by round and failures at the two means
	weighed      []([]float64) // the same averaged over the rates for which trials are saved
	steps        [][][]float64 // by round, failures and failures of the next round: see step
	fail, pass   *adversary
	bound        float64
	best         meanScore
	found        bool
	refinements  int // tried
}

// meanScore is what boundaries of the mean come to.
type meanScore struct {
	boundaries  sprt.Boundaries
	alpha, beta float64 // proved
	expected    float64 // trials of whole rounds, averaged over the weights
}

// weight is how much the trials at a failure rate count.
type weight struct{ rate, share float64 }

// newMeanTest computes what does not depend on boundaries.
func newMeanTest(ctx context.Context, trials, rounds, passFrom int, upper, lower float64, weights []weight) *meanTest {
	m := &meanTest{ctx: ctx, trials: trials, rounds: rounds, passFrom: passFrom,
		mean: upper, bound: math.Inf(-1)}
	m.upper, m.lower = make([][]float64, rounds+1), make([][]float64, rounds+1)
	m.weighed, m.steps = make([][]float64, rounds+1), make([][][]float64, rounds)
	for r := range rounds + 1 {
		m.upper[r], m.lower[r] = binomial(r*trials, upper), binomial(r*trials, lower)
		m.weighed[r] = make([]float64, r*trials+1)
		for _, w := range weights {
			for f, p := range binomial(r*trials, w.rate) {
				m.weighed[r][f] += w.share * p
			}
		}
	}
	for r := range rounds {
		m.steps[r] = make([][]float64, r*trials+1)
		for f := range m.steps[r] {
			m.steps[r][f] = step(r*trials, f, trials)
		}
	}
	return m
}

// step are the shares of the paths to a point, n trials and f failures, that those to each point one round later are
// made of: C(n,f) C(m,k) / C(n+m,f+k).
func step(n, f, m int) []float64 {
	shares := make([]float64, m+1)
	choose := func(n, k int) float64 { return special.LogChoose(float64(n), float64(k)) }
	for k := range shares {
		shares[k] = math.Exp(choose(n, f) + choose(m, k) - choose(n+m, f+k))
	}
	return shares
}

// induce returns the boundaries with the least Lagrangian, and that value.
func (m *meanTest) induce(fail, pass float64) (sprt.Boundaries, float64) {
	b := sprt.Boundaries{PassAtOrBelow: make([]int, m.rounds), FailAtOrAbove: make([]int, m.rounds)}
	var next []float64
	for r := m.rounds; r >= 1; r-- {
		now := make([]float64, r*m.trials+1)
		b.PassAtOrBelow[r-1], b.FailAtOrAbove[r-1] = -1, len(now)
		for f := len(now) - 1; f >= 0; f-- {
			failing, passing, on := fail*m.upper[r][f], pass*m.lower[r][f], math.Inf(1)
			if r < m.passFrom {
				passing = math.Inf(1)
			}
			if float64(f) <= m.mean*float64(r*m.trials) {
				failing = math.Inf(1)
			}
			if r < m.rounds {
				on = float64(m.trials) * m.weighed[r][f]
				for k, share := range m.steps[r][f] {
					on += share * next[f+k]
				}
			}
			now[f] = math.Min(failing, math.Min(passing, on))
			switch {
			case failing <= passing && failing <= on:
				b.FailAtOrAbove[r-1] = f
			case passing <= on && b.PassAtOrBelow[r-1] < 0:
				b.PassAtOrBelow[r-1] = f
			}
		}
		next = now
	}
	value := float64(m.trials)
	for _, v := range next {
		value += v
	}
	return b, value
}

// equal returns both errors at equal rates, and the expected trials of whole rounds.
func (m *meanTest) equal(b sprt.Boundaries) (alpha, beta, expected float64) {
	going := []float64{1}
	for r := 1; r <= m.rounds; r++ {
		now := make([]float64, r*m.trials+1)
		for f, w := range going {
			if w == 0 {
				continue
			}
			expected += float64(m.trials) * w * m.weighed[r-1][f]
			for k, share := range m.steps[r-1][f] {
				now[f+k] += w * share
			}
		}
		for f, w := range now {
			switch {
			case f <= b.PassAtOrBelow[r-1]:
				beta += w * m.lower[r][f]
				now[f] = 0
			case f >= b.FailAtOrAbove[r-1]:
				alpha += w * m.upper[r][f]
				now[f] = 0
			}
		}
		going = now
	}
	return alpha, beta, expected
}

// try keeps boundaries if they are proved and better than the best so far.
func (m *meanTest) try(b sprt.Boundaries) bool {
	alpha, beta, expected := m.equal(b)
	if alpha > m.alpha || beta > m.beta || m.found && expected >= m.best.expected {
		return false
	}
	alpha, beta = m.fail.largest(b, sprt.Fail), m.pass.largest(b, sprt.Pass)
	if alpha > m.alpha || beta > m.beta {
		return false
	}
	m.best, m.found = meanScore{b.Clone(), alpha, beta, expected}, true
	return true
}

// search sets the bound and the best boundaries that were found.
func (m *meanTest) search() error {
	top := math.Log(100 * float64(m.rounds*m.trials) / math.Min(m.alpha, m.beta))
	low, high := 0.0, top
	for range bisections {
		if err := context.Cause(m.ctx); err != nil {
			return err
		}
		middle := (low + high) / 2
		if m.inner(middle, top) > m.alpha {
			low = middle
		} else {
			high = middle
		}
	}
	m.inner(high, top)
	if !m.found {
		b, _ := m.induce(math.Exp(top), math.Exp(top))
		m.try(b)
	}
	for m.found && m.refine() {
		if err := context.Cause(m.ctx); err != nil {
			return err
		}
	}
	return nil
}

// bisections of the logarithm of a multiplier.
const bisections = 24

// inner finds the multiplier of a false Pass for that of a false Fail, and returns the false Fail there.
func (m *meanTest) inner(fail, top float64) (alpha float64) {
	low, high := 0.0, top
	for range bisections {
		middle := (low + high) / 2
		b, value := m.induce(math.Exp(fail), math.Exp(middle))
		m.bound = math.Max(m.bound, value-math.Exp(fail)*m.alpha-math.Exp(middle)*m.beta)
		a, beta, _ := m.equal(b)
		if beta > m.beta {
			low = middle
			continue
		}
		high, alpha = middle, a
		m.try(b)
	}
	return alpha
}

// mostRefinements keeps a search of many rounds short; chosen.
const mostRefinements = 5000

// refine moves one boundary, or two, by one failure where that saves trials and stays proved.
func (m *meanTest) refine() bool {
	around := m.best.boundaries.Clone()
	single := moves(m.rounds)
	for _, x := range single {
		for _, y := range append([]move{{}}, single...) {
			b := around.Clone()
			x.apply(b)
			y.apply(b)
			if m.refinements++; m.refinements > mostRefinements {
				return false
			}
			if m.valid(b) && m.try(b) {
				return true
			}
		}
	}
	return false
}

// move is a change of one boundary.
type move struct{ round, pass, fail int }

func (x move) apply(b sprt.Boundaries) {
	if x.round > 0 {
		b.PassAtOrBelow[x.round-1] += x.pass
		b.FailAtOrAbove[x.round-1] += x.fail
	}
}

// moves are all changes by one failure; of the last round both boundaries move together.
func moves(rounds int) (list []move) {
	for r := 1; r < rounds; r++ {
		list = append(list, move{r, 1, 0}, move{r, -1, 0}, move{r, 0, 1}, move{r, 0, -1})
	}
	return append(list, move{rounds, 1, 1}, move{rounds, -1, -1})
}

// valid reports whether boundaries may be moved so.
func (m *meanTest) valid(b sprt.Boundaries) bool {
	for i, pass := range b.PassAtOrBelow {
		if pass < -1 || pass >= b.FailAtOrAbove[i] || i+1 < m.passFrom && pass >= 0 {
			return false
		}
	}
	return true
}
