package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Choosing one of its boundaries for each column, so that the errors at all rates are within their targets
// and the expected trials least, is a multiple-choice knapsack with one capacity for each rate and kind of
// error (Kellerer, Pferschy and Pisinger 2004 treat such problems). It is solved by local search, from
// several starts: the gap to the bound of the Lagrangian says what an exact solution could still save.
//
// The score of a column does not depend on the others, so a change of one column changes the errors by a
// difference of two rows that are known.

// choice is boundaries of one column with their score.
type choice struct {
	boundaries sprt.Boundaries
	score      score
}

// keep puts the boundaries of a round into the column's pool.
func (c *column) keep() {
	c.history = append(c.history, c.store())
}

// store puts the column's boundaries into its pool, once, and returns where they are. Many rounds come to
// the same boundaries: whole numbers change less often than prices.
func (c *column) store() int {
	for i, known := range c.pool {
		if slices.Equal(known.boundaries.PassAtOrBelow, c.boundaries.PassAtOrBelow) &&
			slices.Equal(known.boundaries.FailAtOrAbove, c.boundaries.FailAtOrAbove) {
			return i
		}
	}
	c.pool = append(c.pool, choice{c.boundaries.Clone(), c.score})
	return len(c.pool) - 1
}

// vary adds to the pools of heavy columns what other prices near by give them. The errors
// move in steps as large as a point of a column is likely; the more boundaries there are
// to choose from, the less of the targets is left unused. The prices are those at which the rounds for the
// bound end, with those of each kind of error times a factor.
func (s *search) vary(p prices) {
	factors := []float64{0.8, 0.9, 0.96, 1.04, 1.1, 1.25}
	for _, failFactor := range factors {
		for _, passFactor := range factors {
			varied := prices{make([]float64, len(p.fail)), make([]float64, len(p.pass))}
			for j := range p.fail {
				varied.fail[j], varied.pass[j] = p.fail[j]*failFactor, p.pass[j]*passFactor
			}
			s.each(func(c *column) {
				if slices.Max(c.mass) < heavy {
					return
				}
				c.induce(s, varied)
				c.evaluate(s)
				c.store()
			})
		}
	}
}

// heavy is the probability of an outcome of the baseline, somewhere in the guarded range,
// from which on its column is varied. It is chosen. Baselines of few trials have such outcomes, and those
// near a rate of 1.
const heavy = 0.12

// margins that the errors on the grid keep from their targets, as shares of them: the
// first for what they may rise between two rates of the grid, and more if that was not
// enough.
const (
	firstMargin = 5e-4
	lastMargin  = 0.02
)

// choose takes one of the pool's boundaries for each column, so that the errors on the
// grid are within the targets by the margin, and few trials are expected. It begins with
// those of the rounds that were nearest to it, repairs their errors at the least cost,
// and improves the best of them, by one column after the other and by pairs, while
// something improves.
//
// False says that no start could be repaired: the caller gives up.
func (s *search) choose(margin float64) (score, bool) {
	var best *chooser
	for _, c := range s.starts(margin) {
		if !c.repair() {
			continue
		}
		for c.improve() {
		}
		if best == nil || c.objective() < best.objective() {
			best = c
		}
	}
	if best == nil {
		return score{}, false
	}
	// Pairs are tried for the best alone: they take the square of the work.
	for best.improve() || best.improvePairs() {
	}
	// The choice becomes the columns' boundaries, from which the family is made.
	for i, column := range s.columns {
		chosen := column.pool[best.chosen[i]]
		column.boundaries, column.score = chosen.boundaries, chosen.score
	}
	total := s.total()
	total.add(s.offset)
	return total, true
}

// starts are the choices of the rounds whose errors are least above the limit. There are
// more of them where there are few columns: then each column weighs more. Rounds of the first half for the
// bound are passed over: their prices were far off.
func (s *search) starts(margin float64) []*chooser {
	var list []*chooser
	for round := boundRounds / 2; round < len(s.columns[0].history); round++ {
		list = append(list, newChooser(s, margin, round))
	}
	slices.SortStableFunc(list, func(a, b *chooser) int { return cmp.Compare(a.over(), b.over()) })
	return list[:min(max(columnsStarted/len(s.columns), 2), len(list))]
}

// columnsStarted is how many columns there are in all starts together, about.
const columnsStarted = 300

// objective is what the choice costs.
func (c *chooser) objective() (sum float64) {
	for i, k := range c.chosen {
		sum += c.costs[i][k]
	}
	return sum
}

// chooser is a choice for every column, with the errors that it comes to as shares of
// their room: of false Fails by rate, then of false Passes. The errors are sums over columns, kept up to
// date by set; their limit is 1 less the margin.
type chooser struct {
	s      *search
	limit  float64
	chosen []int
	errors []float64
	shares [][][]float64 // by column and choice, as errors
	costs  [][]float64   // by column and choice
}

// newChooser begins with what a round of prices gave to each column.
func newChooser(s *search, margin float64, round int) *chooser {
	c := &chooser{s: s, limit: 1 - margin, errors: make([]float64, 2*len(s.rates))}
	for _, column := range s.columns {
		shares, costs := make([][]float64, len(column.pool)), make([]float64, len(column.pool))
		for k, choice := range column.pool {
			shares[k] = choice.score.shares(s.room)
			costs[k] = choice.score.objective(s.giveUp)
		}
		c.shares, c.costs = append(c.shares, shares), append(c.costs, costs)
		c.chosen = append(c.chosen, column.history[round])
		c.add(shares[column.history[round]], 1)
	}
	return c
}

// add adds, or with a sign of -1 takes away, the shares of one choice of one column.
func (c *chooser) add(shares []float64, sign float64) {
	for j, x := range shares {
		c.errors[j] += sign * x
	}
}

// set changes the choice of a column.
func (c *chooser) set(column, choice int) {
	c.add(c.shares[column][c.chosen[column]], -1)
	c.chosen[column] = choice
	c.add(c.shares[column][choice], 1)
}

// over is by how much errors are above the limit, added up.
func (c *chooser) over() (sum float64) {
	for _, x := range c.errors {
		sum += max(0, x-c.limit)
	}
	return sum
}

// overAfter is what over would be after a change, or anything above most. It stops adding when most is
// passed, since the change is then no better than one that is known.
func (c *chooser) overAfter(from, to []float64, most float64) (sum float64) {
	for j, x := range c.errors {
		if x += to[j] - from[j] - c.limit; x > 0 {
			if sum += x; sum > most {
				return sum
			}
		}
	}
	return sum
}

// repair makes the errors feasible: each time by the change that lowers what is over the
// limit the most for its cost.
//
// It is the greedy rule of the gain for the cost. A change that costs nothing, or saves, counts as one of
// leastGain, so that the quotient is finite. False says that no single change lowers what is over the
// limit.
func (c *chooser) repair() bool {
	for {
		now := c.over()
		if now == 0 {
			return true
		}
		best, column, choice := 0.0, -1, -1
		for i := range c.chosen {
			from := c.shares[i][c.chosen[i]]
			for k, to := range c.shares[i] {
				cost := math.Max(c.costs[i][k]-c.costs[i][c.chosen[i]], leastGain)
				if gain := now - c.overAfter(from, to, now-best*cost); gain > best*cost {
					best, column, choice = gain/cost, i, k
				}
			}
		}
		if column < 0 {
			return false
		}
		c.set(column, choice)
	}
}

// improve changes columns, each to the cheapest choice that keeps the errors feasible,
// and reports whether one was changed. Every change lowers the cost by leastGain at least, so repeating it
// ends.
func (c *chooser) improve() bool {
	changed := false
	for i := range c.chosen {
		from := c.shares[i][c.chosen[i]]
		best := c.chosen[i]
		for k, to := range c.shares[i] {
			if c.costs[i][k] < c.costs[i][best]-leastGain && c.feasible(from, to) {
				best = k
			}
		}
		if best != c.chosen[i] {
			c.set(i, best)
			changed = true
		}
	}
	return changed
}

// improvePairs makes one column cheaper, which may take errors over the limit, and
// another one as much safer as it takes, where both together save something. It reports
// whether it found such a pair.
func (c *chooser) improvePairs() bool {
	changed := false
	for i := range c.chosen {
		for k := range c.shares[i] {
			gain := c.costs[i][c.chosen[i]] - c.costs[i][k]
			if gain < leastGain {
				continue
			}
			// The cheaper choice is tried in place; it stays only if another column can pay for it with
			// less than it saves.
			before := c.chosen[i]
			c.set(i, k)
			if column, choice := c.cheapestRepair(i, gain); column >= 0 {
				c.set(column, choice)
				changed = true
				continue
			}
			c.set(i, before)
		}
	}
	return changed
}

// leastGain is what a change must save, in trials.
const leastGain = 1e-5

// cheapestRepair returns the change of another column that makes the errors feasible
// for the least cost below the given one; -1 if there is none.
func (c *chooser) cheapestRepair(other int, below float64) (column, choice int) {
	column = -1
	below -= leastGain
	for j := range c.chosen {
		if j == other {
			continue
		}
		from, now := c.shares[j][c.chosen[j]], c.costs[j][c.chosen[j]]
		for l, to := range c.shares[j] {
			if cost := c.costs[j][l] - now; cost < below && c.feasible(from, to) {
				below, column, choice = cost, j, l
			}
		}
	}
	return column, choice
}

// feasible reports whether no error would be above the limit after a change.
func (c *chooser) feasible(from, to []float64) bool {
	for j, x := range c.errors {
		if x-from[j]+to[j] > c.limit {
			return false
		}
	}
	return true
}
