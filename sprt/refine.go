package sprt

import (
	"cmp"
	"slices"
)

// The local search. The dual finds the best boundaries that some multipliers can ask
// for; on a lattice there are better ones between them, which use up what the errors
// have to spare.

// refine moves single boundary points of the best candidates as long as that saves
// trials and keeps the errors within their targets, then exchanges pairs: one move
// that saves trials and errs more, with one that makes up for it. It is a descent: each step lowers the
// objective by improvement at least, so it ends.
func (s *search) refine() error {
	starts := append([]candidate(nil), s.candidates...)
	for i, c := range starts {
		for {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			s.report(0.5 + 0.5*float64(i)/float64(len(starts)))
			better, ok := s.improve(c)
			if !ok {
				break
			}
			c = better
		}
	}
	return nil
}

// move gives one point at the edge of the undecided ones another outcome.
type move struct {
	trials, failures int
	to               Outcome
}

// apply sets the boundaries so that the point has the outcome. Pass and Fail must not overlap: the other
// limit gives way.
func (m move) apply(b Boundaries) {
	i := m.trials - 1
	switch m.to {
	case Pass:
		b.PassAtOrBelow[i] = m.failures
		b.FailAtOrAbove[i] = max(b.FailAtOrAbove[i], m.failures+1)
	case Fail:
		b.FailAtOrAbove[i] = m.failures
		b.PassAtOrBelow[i] = min(b.PassAtOrBelow[i], m.failures-1)
	default:
		if b.PassAtOrBelow[i] >= m.failures {
			b.PassAtOrBelow[i] = m.failures - 1
		} else {
			b.FailAtOrAbove[i] = m.failures + 1
		}
	}
}

// effect is what a move alone does to the errors and the objective.
type effect struct {
	move
	costToGo // after less before; negative where the move saves
}

// improve returns a feasible neighbour that is better: the best single move, or
// else the most promising pair of moves.
func (s *search) improve(c candidate) (candidate, bool) {
	effects := s.band.effects(c.boundaries)
	best := effect{}
	for _, e := range effects {
		if e.objective < best.objective && s.fits(c.score, e.costToGo) {
			best = e
		}
	}
	if best.objective < -improvement {
		if better, ok := s.apply(c, best.move); ok {
			return better, true
		}
	}
	return s.exchange(c, effects)
}

// improvement is the smallest saving, in trials, that counts.
const improvement = 1e-9

// fits reports whether the errors keep their targets after a change. The effects are sums of rounded
// numbers: slack keeps the errors below their targets.
func (s *search) fits(now score, change costToGo) bool {
	return now.errors.Alpha+change.alpha <= s.h.Alpha*(1-slack) && now.errors.Beta+change.beta <= s.h.Beta*(1-slack)
}

// apply makes moves and checks the result exactly.
func (s *search) apply(c candidate, moves ...move) (candidate, bool) {
	b := c.boundaries.Clone()
	for _, m := range moves {
		m.apply(b)
	}
	after := s.band.evaluate(b)
	if !s.feasible(after) || after.objective >= c.score.objective-improvement {
		return c, false
	}
	s.keepBest(b, after)
	return candidate{b, after}, true
}

// exchange looks for a pair of moves whose effects add up to a saving within the
// targets. Effects are nearly additive; each pair is checked exactly before use.
func (s *search) exchange(c candidate, effects []effect) (candidate, bool) {
	for _, p := range s.pairs(c.score, effects) {
		if better, ok := s.apply(c, effects[p.a].move, effects[p.b].move); ok {
			return better, true
		}
	}
	return c, false
}

// pair is two moves by their index, and what they save: less than 0.
type pair struct {
	a, b   int
	saving float64
}

// compare orders pairs by what they save, and equal ones by their moves, so that the
// search takes the same way on every machine.
func (p pair) compare(q pair) int {
	return cmp.Or(cmp.Compare(p.saving, q.saving), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
}

// pairs returns the pairs that save most and seem to keep the targets, at most 40.
// The moves are looked at from the one that saves most on, so that the rest can be
// left out as soon as a sum saves too little. 40 is chosen.
func (s *search) pairs(now score, effects []effect) (best []pair) {
	const most = 40
	order := make([]int, len(effects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(effects[i].objective, effects[j].objective) })
	for _, i := range order {
		a := &effects[i]
		if a.objective >= 0 {
			break
		}
		for _, j := range order {
			b := &effects[j]
			p := pair{i, j, a.objective + b.objective}
			if p.saving >= -improvement || len(best) == most && p.saving > best[most-1].saving {
				break
			}
			if i == j || !s.fits(now, costToGo{alpha: a.alpha + b.alpha, beta: a.beta + b.beta}) {
				continue
			}
			at, _ := slices.BinarySearchFunc(best, p, pair.compare)
			best = slices.Insert(best, at, p)
			best = best[:min(len(best), most)]
		}
	}
	return best
}
