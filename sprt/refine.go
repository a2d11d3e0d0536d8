package sprt

// refine moves single boundary points of the best candidates as long as that saves
// trials and keeps the errors within their targets, then exchanges pairs: one move
// that saves trials and errs more, with one that makes up for it.
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

// apply sets the boundaries so that the point has the outcome.
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

// effect is what a move alone does.
type effect struct {
	move
	alpha, beta, objective float64
}

// improve returns a feasible neighbour that is better: the best single move, or
// else the most promising pair of moves.
func (s *search) improve(c candidate) (candidate, bool) {
	effects := s.field.effects(c.boundaries)
	best := effect{}
	for _, e := range effects {
		if e.objective < best.objective && s.fits(c.score, e) {
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

func (s *search) fits(now score, e effect) bool {
	return now.errors.Alpha+e.alpha <= s.h.Alpha*(1-slack) && now.errors.Beta+e.beta <= s.h.Beta*(1-slack)
}

// apply makes moves and checks the result exactly.
func (s *search) apply(c candidate, moves ...move) (candidate, bool) {
	b := c.boundaries.Clone()
	for _, m := range moves {
		m.apply(b)
	}
	after := s.field.evaluate(b)
	if !s.feasible(after) || after.objective >= c.score.objective-improvement {
		return c, false
	}
	s.offer(b, after)
	return candidate{b, after}, true
}

// exchange looks for a pair of moves whose effects add up to a saving within the
// targets. Effects are nearly additive; each pair is checked exactly before use.
func (s *search) exchange(c candidate, effects []effect) (candidate, bool) {
	const tries = 40
	type pair struct {
		a, b   int
		saving float64
	}
	var best []pair
	for i, a := range effects {
		if a.objective >= 0 {
			continue
		}
		for j, b := range effects {
			saving := a.objective + b.objective
			if saving >= -improvement || i == j || len(best) == tries && saving >= best[tries-1].saving {
				continue
			}
			sum := effect{alpha: a.alpha + b.alpha, beta: a.beta + b.beta}
			if !s.fits(c.score, sum) {
				continue
			}
			at := len(best)
			for at > 0 && saving < best[at-1].saving {
				at--
			}
			best = append(best, pair{})
			copy(best[at+1:], best[at:])
			best[at] = pair{i, j, saving}
			best = best[:min(len(best), tries)]
		}
	}
	for _, p := range best {
		if better, ok := s.apply(c, effects[p.a].move, effects[p.b].move); ok {
			return better, true
		}
	}
	return c, false
}
