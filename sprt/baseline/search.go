package baseline

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/spread"
)

// search looks for the family of least expected trials. The errors at each rate of a
// grid are constraints with a price each; under prices the Lagrangian separates over
// the outcomes of the baseline, and each column is one backward induction.
//
// A round is: [column.induce] for the boundaries of least cost and that cost, [column.evaluate] for their
// errors, [prices.move] for the next prices. [search.run] drives the rounds, [search.choose] picks from
// what they gave.
type search struct {
	h          Hypotheses // with targets that leave room for gamma
	sample     Sample
	trials     int
	giveUp     float64   // cost of an Inconclusive in trials; +Inf if it must not be
	rates      []float64 // grid over the guarded range
	savings    []float64 // weight of the trials at each rate; sums to 1
	columns    []*column
	before     *Family   // of a chain of tiers: the one before, whose outcomes keep their boundaries; or nil
	fixed      []*column // of these
	offset     score     // what they come to
	room       room      // what the others may come to
	problem    problem
	references [referenceSteps + 1]*reference // by step; made when first asked for
}

// negligible is the probability below which an outcome of the baseline, everywhere in
// the guarded range, has no boundaries of its own. What is left out ends with Inconclusive at once, which
// is an error of neither kind: the promise holds without it.
const negligible = 1e-9

// newSearch begins a search on a grid of so many rates a standard deviation. Favour and giveUp are those of
// the savings and of an Inconclusive, the density that of the grid.
func newSearch(p problem, trials int, favour, giveUp, density float64) *search {
	s := &search{h: p.targets(), sample: p.sample, before: p.before, problem: p, trials: trials, giveUp: giveUp}
	s.grid(favour, density)
	s.addColumns()
	s.addFixed()
	return s
}

// problem is what a family is sought for.
type problem struct {
	h      Hypotheses
	sample Sample
	before *Family // of a chain of tiers; nil for the first, and for a guarded range that was given
	gamma  float64 // as [Family.Gamma]
	spare  slack
}

// slack are the shares of the targets that are left unused.
type slack struct{ alpha, beta float64 }

// targets are the hypotheses with lower errors: with gamma they are those that are asked for.
func (p problem) targets() Hypotheses {
	h := p.h
	h.Alpha = (h.Alpha - p.gamma) * (1 - p.spare.alpha)
	h.Beta = (h.Beta - p.gamma) * (1 - p.spare.beta)
	return h
}

// length is the most trials of any column, those of the tier before included.
func (s *search) length() int {
	if s.before == nil {
		return s.trials
	}
	return max(s.trials, s.before.trials)
}

// grid chooses the rates. On the scale of the arcsine, on which the standard deviation
// of a rate is 1/(2√n) everywhere, there are so many to a standard deviation of the
// difference between the two sides.
func (s *search) grid(favour, density float64) {
	most := 0
	for _, o := range s.sample.outcomes {
		most = max(most, o.Trials)
	}
	// The variance of the difference is that of the baseline's rate plus that of the candidate's.
	information := 1 / (1/float64(most) + 1/float64(s.trials))
	low, high := math.Asin(math.Sqrt(s.h.Guarded.Low)), math.Asin(math.Sqrt(s.h.Guarded.High))
	steps := max(int(math.Ceil((high-low)*2*density*math.Sqrt(information))), fewestSteps)
	total := 0.0
	for i := range steps + 1 {
		// The variance-stabilising transform backwards: rate = sin²(angle) (Anscombe 1948 discusses the
		// transform).
		root := math.Sin(low + (high-low)*float64(i)/float64(steps))
		rate := root * root
		switch i {
		// The ends are taken as given: sin(asin(x)) may be off by a rounding, and a guarded rate of 1 is a
		// special case.
		case 0:
			rate = s.h.Guarded.Low
		case steps:
			rate = s.h.Guarded.High
		}
		s.rates = append(s.rates, rate)
	}
	for i, rate := range s.rates {
		width := 0.0 // of the trapezium rule
		if i > 0 {
			width += (rate - s.rates[i-1]) / 2
		}
		if i < steps {
			width += (s.rates[i+1] - rate) / 2
		}
		s.savings = append(s.savings, width*math.Pow(rate, favour))
		total += s.savings[i]
	}
	for i := range s.savings {
		s.savings[i] /= total
	}
}

// fewestSteps is the least number of steps of a grid, where the guarded range is narrow; chosen.
const fewestSteps = 8

// addColumns makes a column for every outcome that may matter, and one for several where
// they say the same: their rates are an eighth of a standard deviation of the difference
// apart or less, and their trials a twentieth.
//
// Where a rate of 1 is guarded, a candidate without failures must not fail beside a
// baseline without failures: at that rate nothing else happens, so it would be a false
// Fail for certain. Every valid family does so, and the search need not learn it.
//
// Outcomes that share a column get the same boundaries, which costs a little optimality but no validity:
// the errors of the family are added up over every outcome that it holds. The bound is then one for
// families that share alike.
func (s *search) addColumns() {
	known := map[outcomeClass]*column{}
	for i, o := range s.sample.outcomes {
		if s.before != nil && s.before.settled[i] {
			continue
		}
		mass := s.masses(i)
		if slices.Max(mass) < negligible {
			continue
		}
		key := s.alike(o)
		if c := known[key]; c != nil {
			c.outcomes = append(c.outcomes, o)
			for j, x := range mass {
				c.mass[j] += x
			}
			continue
		}
		// The reference is where the paths of this column matter: near the share of passes, half a drop
		// lower.
		rate := float64(o.Passes())/float64(o.Trials) - s.h.Delta/2
		c := newColumn(o, mass, s.referenceOf(rate), s.trials)
		c.neverBad = o.Failures == 0 && s.h.Guarded.High == 1
		s.columns = append(s.columns, c)
		known[key] = c
	}
	for _, c := range s.columns {
		c.narrow()
	}
}

// masses are the probabilities of an outcome, by rate.
func (s *search) masses(place int) []float64 {
	mass := make([]float64, len(s.rates))
	for j, rate := range s.rates {
		mass[j] = s.sample.mass(place, rate)
	}
	return mass
}

// addFixed makes a column for every outcome that a tier before settled, and adds up what
// they come to. They are part of all errors, and of no search.
func (s *search) addFixed() {
	s.offset = newScore(len(s.rates))
	for _, m := range s.before.settledMembers() {
		rate := shareOf(m.outcome) - s.h.Delta/2
		c := newColumn(m.outcome, s.masses(s.sample.place(m.outcome)), s.referenceOf(rate), m.boundaries.MaxTrials())
		c.boundaries = m.boundaries
		s.fixed = append(s.fixed, c)
	}
	s.eachOf(s.fixed, func(c *column) { c.evaluate(s) })
	for _, c := range s.fixed {
		s.offset.add(c.score)
	}
	// What is settled comes near to the targets at the rates of the tiers before. They left a share of the targets;
	// this one leaves half of that to those after it.
	left := 0.0
	if s.problem.gamma > 0 {
		left = leftShare / math.Exp2(float64(s.before.depth()))
	}
	s.room = roomOf(s.h, len(s.rates))
	for j := range s.rates {
		s.room.fail[j] = s.room.fail[j]*(1-left) - s.offset.fail[j]
		s.room.pass[j] = s.room.pass[j]*(1-left) - s.offset.pass[j]
	}
}

// leftShare is what the first tier leaves of the targets to later ones; chosen.
const leftShare = 3e-3

// outcomeClass is the same for outcomes that share a column. Trials are steps of their logarithm; the rate is
// steps on the scale of the arcsine. Outcomes without failures stay apart, because of neverBad.
type outcomeClass struct {
	trials, rate int
	clean        bool // no failure
}

// alike returns the key of an outcome.
func (s *search) alike(o Outcome) outcomeClass {
	const nearTrials, nearRate = 0.05, 0.125
	root := math.Asin(math.Sqrt(float64(o.Passes()) / float64(o.Trials)))
	deviation := math.Sqrt(1/float64(o.Trials)+1/float64(s.trials)) / 2
	return outcomeClass{
		trials: int(math.Log(float64(o.Trials)) / nearTrials),
		rate:   int(root / (deviation * nearRate)),
		clean:  o.Failures == 0,
	}
}

// each calls do for all columns, on all processors. What do writes belongs to its column alone.
func (s *search) each(do func(c *column)) { s.eachOf(s.columns, do) }

func (s *search) eachOf(columns []*column, do func(c *column)) {
	spread.Over(len(columns), func(i int) { do(columns[i]) })
}

// round finds the family of least cost under prices. The bound is a lower bound of the
// expected trials of every family whose errors on the grid are within the targets.
//
// It is the Lagrangian: the columns' least costs, less what errors as large as the targets cost. Outcomes
// without a column would only add to the columns' costs, so it is a bound without them too.
func (s *search) round(p prices) (bound float64, total score) {
	s.each(func(c *column) {
		c.induce(s, p)
		c.evaluate(s)
	})
	return s.bound(p), s.total()
}

// bound is that of the last values of the columns.
func (s *search) bound(p prices) (bound float64) {
	for _, c := range s.columns {
		bound += c.value
	}
	targets := roomOf(s.h, len(s.rates))
	return bound + s.offset.objective(s.giveUp) + p.cost(s.offset) - p.allowed(targets)
}

// total adds up the scores of the columns, without what is settled. The errors of a family are sums over the
// outcomes of the baseline, for these exclude each other.
func (s *search) total() score {
	total := newScore(len(s.rates))
	for _, c := range s.columns {
		total.add(c.score)
	}
	return total
}

// family returns the boundaries of all columns. Outcomes that share a column share its boundaries.
func (s *search) family() *Family {
	f := &Family{hypotheses: s.problem.h, sample: s.sample, gamma: s.problem.gamma, trials: s.trials, before: s.before}
	f.settle()
	for _, m := range s.before.settledMembers() {
		f.members = append(f.members, member{m.outcome, m.boundaries, true})
	}
	for _, c := range s.columns {
		b := c.boundaries.Clone()
		for _, o := range c.outcomes {
			f.members = append(f.members, member{outcome: o, boundaries: b})
		}
	}
	f.sort()
	return f
}
