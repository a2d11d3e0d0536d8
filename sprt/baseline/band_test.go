package baseline

import (
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
)

// What is computed around the boundaries alone is what is computed over all points, while prices move.
func TestBandIsOfAllPoints(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		baseline, trials int
		giveUp           float64
		low              float64
	}{{300, 251, math.Inf(1), 0.86}, {60, 80, 80, 0.7}, {1000, 160, math.Inf(1), 0.92}, {25, 30, 30, 0.5}} {
		sample, err := Fixed(x.baseline)
		if err != nil {
			t.Fatal(err)
		}
		h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: x.low, High: 1}}
		s := newSearch(problem{h: h, sample: sample}, x.trials, defaultFavour, x.giveUp, searchDensity)
		p, banded := firstPrices(len(s.rates)), 0
		for round := range 8 {
			_, total := s.round(p)
			for _, c := range s.columns {
				found, value := c.boundaries.Clone(), c.value
				if c.induceBand(s, p) {
					banded++
				}
				c.induceAll(s, p)
				if math.Abs(value-c.value) > 1e-9*math.Abs(c.value) {
					t.Errorf("%v, round %d: %v, over all points %v", c.outcomes[0], round, value, c.value)
				}
				if slices.Max(c.mass) > 1e-6 && !same(found, c.boundaries) {
					t.Errorf("%v, round %d: %v, over all points %v", c.outcomes[0], round, found, c.boundaries)
				}
			}
			p.move(s.room, total, 1.5/(1+float64(round)/6), 1)
		}
		if banded < 4*len(s.columns) {
			t.Errorf("of a baseline of %d, %d of %d rounds were within the bands", x.baseline, banded, 8*len(s.columns))
		}
	}
}

// The cuts of a fixed sample are those of the cheaper choice at every number of failures.
func TestCutIsCheapestEverywhere(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ baseline, trials int }{{300, 179}, {60, 149}, {25, 7}} {
		sample, err := Fixed(x.baseline)
		if err != nil {
			t.Fatal(err)
		}
		h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.8, High: 1}}
		s := newSearch(problem{h: h, sample: sample}, x.trials, 0, math.Inf(1), fixedDensity)
		last, p := s.lastRow(), firstPrices(len(s.rates))
		for round := range 10 {
			total, cost := s.cut(last, p)
			want, least := newScore(len(s.rates)), 0.0
			for _, c := range s.columns {
				for f := range last.same {
					fail, pass := 0.0, 0.0
					for j, mass := range c.mass {
						fail += p.fail[j] * mass * last.same[f][j]
						pass += p.pass[j] * mass * last.lower[f][j]
					}
					passes := pass <= fail || f == 0 && c.neverBad
					least += min(fail, pass)
					for j, mass := range c.mass {
						if passes {
							want.pass[j] += mass * last.lower[f][j]
						} else {
							want.fail[j] += mass * last.same[f][j]
						}
					}
				}
			}
			if math.Abs(total.excess(s.room)-want.excess(s.room)) > 1e-9 || cost < least*(1-1e-9) {
				t.Errorf("baseline of %d, round %d: excess %v at a cost of %v, point by point %v at %v or more",
					x.baseline, round, total.excess(s.room), cost, want.excess(s.room), least)
			}
			p.move(s.room, total, 1, 1)
		}
	}
}
