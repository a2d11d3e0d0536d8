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

// store puts the column's boundaries into its pool, once, and returns where they are.
func (c *column) store() int {
	if i := c.stored(); i >= 0 {
		return i
	}
	c.pool = append(c.pool, choice{c.boundaries.Clone(), c.score})
	return len(c.pool) - 1
}

// stored is where the column's boundaries are in its pool, and -1 if they are not. Many rounds come to
// the same boundaries: whole numbers change less often than prices.
func (c *column) stored() int {
	for i, known := range slices.Backward(c.pool) {
		if slices.Equal(known.boundaries.PassAtOrBelow, c.boundaries.PassAtOrBelow) &&
			slices.Equal(known.boundaries.FailAtOrAbove, c.boundaries.FailAtOrAbove) {
			return i
		}
	}
	return -1
}

// vary adds to the pools of heavy columns what other prices near by give them. The errors
// move in steps as large as a point of a column is likely; the more boundaries there are
// to choose from, the less of the targets is left unused. The prices are those at which the rounds for the
// bound end, with those of each kind of error times a factor.
func (s *search) vary(p prices) {
	factors := []float64{0.8, 0.9, 0.96, 1.04, 1.1, 1.25}
	var list []prices
	for _, failFactor := range factors {
		for _, passFactor := range factors {
			varied := prices{make([]float64, len(p.fail)), make([]float64, len(p.pass))}
			for j := range p.fail {
				varied.fail[j], varied.pass[j] = p.fail[j]*failFactor, p.pass[j]*passFactor
			}
			list = append(list, varied)
		}
	}
	s.each(func(c *column) {
		if slices.Max(c.mass) < heavy {
			return
		}
		for _, varied := range list {
			c.induce(s, varied)
			c.evaluate(s)
			c.store()
		}
	})
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
	for _, c := range s.starts(s.pools(), margin) {
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
func (s *search) starts(pools []pool, margin float64) []*chooser {
	var list []*chooser
	for round := boundRounds / 2; round < len(s.columns[0].history); round++ {
		list = append(list, s.newChooser(pools, margin, round))
	}
	slices.SortStableFunc(list, func(a, b *chooser) int { return cmp.Compare(a.over(), b.over()) })
	return list[:min(max(columnsStarted/len(s.columns), 2), len(list))]
}

// columnsStarted is how many columns there are in all starts together, about.
const columnsStarted = 300

// pool is what there is to choose from for a column.
type pool struct {
	shares   [][]float64 // by choice, as errors of a chooser
	costs    []float64   // by choice
	cheapest []int       // the choices, by rising cost
	least    []float64   // the smallest share of each error over all choices
}

// pools are those of all columns.
func (s *search) pools() (list []pool) {
	for _, column := range s.columns {
		var p pool
		for k, choice := range column.pool {
			p.shares = append(p.shares, choice.score.shares(s.room))
			p.costs = append(p.costs, choice.score.objective(s.giveUp))
			p.cheapest = append(p.cheapest, k)
			if k == 0 {
				p.least = slices.Clone(p.shares[0])
			}
			for j, x := range p.shares[k] {
				p.least[j] = min(p.least[j], x)
			}
		}
		slices.SortStableFunc(p.cheapest, func(a, b int) int { return cmp.Compare(p.costs[a], p.costs[b]) })
		list = append(list, p)
	}
	return list
}

// chooser is a choice for every column, with the errors that it comes to as shares of
// their room: of false Fails by rate, then of false Passes. The errors are sums over columns, kept up to
// date by set; their limit is 1 less the margin.
type chooser struct {
	limit  float64
	pools  []pool
	chosen []int
	errors []float64
	tight  int // the error that was found above its limit last
}

// newChooser begins with what a round of prices gave to each column.
func (s *search) newChooser(pools []pool, margin float64, round int) *chooser {
	c := &chooser{limit: 1 - margin, pools: pools, errors: make([]float64, 2*len(s.rates))}
	for i, column := range s.columns {
		c.chosen = append(c.chosen, column.history[round])
		c.add(pools[i].shares[column.history[round]], 1)
	}
	return c
}

// objective is what the choice costs.
func (c *chooser) objective() (sum float64) {
	for i, k := range c.chosen {
		sum += c.pools[i].costs[k]
	}
	return sum
}

// add adds, or with a sign of -1 takes away, the shares of one choice of one column.
func (c *chooser) add(shares []float64, sign float64) {
	for j, x := range shares {
		c.errors[j] += sign * x
	}
}

// set changes the choice of a column.
func (c *chooser) set(column, choice int) {
	c.add(c.pools[column].shares[c.chosen[column]], -1)
	c.chosen[column] = choice
	c.add(c.pools[column].shares[choice], 1)
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
		for i, p := range c.pools {
			from := p.shares[c.chosen[i]]
			for k, to := range p.shares {
				cost := math.Max(p.costs[k]-p.costs[c.chosen[i]], leastGain)
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
	for i, p := range c.pools {
		from := p.shares[c.chosen[i]]
		best := c.chosen[i]
		for k, to := range p.shares {
			if p.costs[k] < p.costs[best]-leastGain && c.feasible(from, to) {
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
	for i, p := range c.pools {
		for k := range p.shares {
			gain := p.costs[c.chosen[i]] - p.costs[k]
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
	// What is furthest above the limit rules out most columns as a whole.
	for j, x := range c.errors {
		if x > c.errors[c.tight] {
			c.tight = j
		}
	}
	worst := c.tight
	for j, p := range c.pools {
		if j == other || c.errors[worst]-p.shares[c.chosen[j]][worst]+p.least[worst] > c.limit {
			continue
		}
		from, now := p.shares[c.chosen[j]], p.costs[c.chosen[j]]
		for _, l := range p.cheapest {
			cost := p.costs[l] - now
			if cost >= below {
				break
			}
			if c.feasible(from, p.shares[l]) {
				below, column, choice = cost, j, l
				break
			}
		}
	}
	return column, choice
}

// feasible reports whether no error would be above the limit after a change. What was above it last is looked at first,
// for it mostly is again.
func (c *chooser) feasible(from, to []float64) bool {
	if t := c.tight; c.errors[t]-from[t]+to[t] > c.limit {
		return false
	}
	from, to = from[:len(c.errors)], to[:len(c.errors)]
	for j, x := range c.errors {
		if x-from[j]+to[j] > c.limit {
			c.tight = j
			return false
		}
	}
	return true
}
