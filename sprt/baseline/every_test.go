package baseline

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// enumerated runs a test on a lattice of its own, whatever that of the test leaves out: the probabilities of Pass and
// Fail where a round has both, one or neither of the events with given probabilities.
func enumerated(r *Rounds, c cells) (pass, fail, rounds float64) {
	width := r.MaxRounds() + 2
	now, next := make([]float64, width*width), make([]float64, width*width)
	now[0] = 1
	for n := 1; n <= r.MaxRounds(); n++ {
		clear(next)
		left := 0.0
		for x := range n {
			for y := range n {
				w := now[x*width+y]
				if w == 0 {
					continue
				}
				left += w
				next[x*width+y] += w * c.neither
				next[x*width+y+1] += w * c.y
				next[(x+1)*width+y] += w * c.x
				next[(x+1)*width+y+1] += w * c.both
			}
		}
		rounds += left
		for x := range n + 1 {
			for y := range n + 1 {
				switch w := &next[x*width+y]; r.Outcome(n, x, y) {
				case sprt.Undecided:
				case sprt.Pass:
					pass += *w
					*w = 0
				case sprt.Fail:
					fail += *w
					*w = 0
				default:
					*w = 0
				}
			}
		}
		now, next = next, now
	}
	return pass, fail, rounds
}

// Whatever the rate of two independent sides, equal ones fail no more often than alpha, and a candidate that is lower
// by delta passes no more often than beta: also in pairs, and where few rounds are allowed.
func TestErrorsHoldAtEveryRate(t *testing.T) {
	t.Parallel()
	deltas := []float64{0.3}
	if thorough.Asked() {
		deltas = []float64{0.3, 0.2, 0.1}
	}
	const alpha, beta = 0.05, 0.1
	for _, delta := range deltas {
		for _, most := range []int{0, int(3 / delta)} {
			h := Hypotheses{Delta: delta, Alpha: alpha, Beta: beta, Guarded: EveryRate()}
			sides, err := SideBySide(t.Context(), h, Options{MaxTrials: most})
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := Matched(t.Context(), MatchedHypotheses{delta, alpha, beta, (1 + delta*delta) / 2},
				Options{MaxTrials: most})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*Rounds{sides.Test, pairs.Test} {
				for i := 1; i <= 20; i++ {
					p := float64(i) / 20
					name := fmt.Sprintf("delta %v, at most %d rounds, matched %v, rate %v", delta, most, r.Matched(), p)
					same, lower := independent(p, p), independent(p, math.Max(p-delta, 0))
					if r.Matched() {
						same, lower = apart(same), apart(lower)
					}
					if _, fail, rounds := enumerated(r, same); fail > alpha {
						t.Errorf("%s: equal sides fail with %v", name, fail)
					} else if testing.Verbose() {
						t.Logf("%s: fail %.4f, %.1f rounds", name, fail, rounds)
					}
					if pass, _, rounds := enumerated(r, lower); p >= delta && pass > beta {
						t.Errorf("%s: a drop passes with %v", name, pass)
					} else if testing.Verbose() && p >= delta {
						t.Logf("%s: a drop passes %.4f, %.1f rounds", name, pass, rounds)
					}
				}
			}
		}
	}
}

// apart are the cells of pairs of independent sides: what both do alike is no event.
func apart(c cells) cells {
	return cells{neither: c.neither + c.both, x: c.x, y: c.y}
}
