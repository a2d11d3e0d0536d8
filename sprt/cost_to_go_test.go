package sprt

import "testing"

// The effect of a move, from one pass forward and one backward, is the difference
// of two evaluations.
func TestEffectsMatchEvaluation(t *testing.T) {
	for _, c := range []struct{ trials, group int }{{152, 1}, {60, 1}, {150, 10}} {
		s := newSearch(t.Context(), usual, OptimalOptions{MaxTrials: c.trials, Group: c.group})
		b, _ := s.band.best(multipliers{fail: 900, pass: 400})
		before := s.band.evaluate(b)
		effects := s.band.effects(b)
		if len(effects) < 20 {
			t.Fatalf("%d trials: only %d moves", c.trials, len(effects))
		}
		for _, e := range effects {
			moved := b.Clone()
			e.apply(moved)
			if err := moved.Validate(); err != nil {
				t.Fatalf("%+v: %v", e.move, err)
			}
			after := s.band.evaluate(moved)
			near(t, "alpha", e.alpha, after.errors.Alpha-before.errors.Alpha, 1e-12)
			near(t, "beta", e.beta, after.errors.Beta-before.errors.Beta, 1e-12)
			near(t, "objective", e.objective, after.objective-before.objective, 1e-9)
			if t.Failed() {
				t.Fatalf("%d trials, group %d: %+v", c.trials, c.group, e.move)
			}
		}
	}
}
