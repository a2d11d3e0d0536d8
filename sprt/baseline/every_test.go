package baseline

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
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
	var table strings.Builder
	for _, delta := range deltas {
		most := [2]int{} // rounds, side by side and matched: as many as it takes, and then four fifths of that
		for range 2 {
			h := Hypotheses{Delta: delta, Alpha: alpha, Beta: beta, Guarded: EveryRate()}
			sides, err := SideBySide(t.Context(), h, Options{MaxTrials: most[0]})
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := Matched(t.Context(), MatchedHypotheses{delta, alpha, beta, (1 + delta*delta) / 2},
				Options{MaxTrials: most[1]})
			if err != nil {
				t.Fatal(err)
			}
			most = [2]int{sides.Test.MaxRounds() * 4 / 5, pairs.Test.MaxRounds() * 4 / 5}
			for _, r := range []*Rounds{sides.Test, pairs.Test} {
				fmt.Fprintf(&table, "\ndelta %v, at most %d rounds, matched %v: rate fail miss rounds\n", delta, r.MaxRounds(),
					r.Matched())
				for i := 1; i <= 20; i++ {
					p := float64(i) / 20
					name := fmt.Sprintf("delta %v, at most %d rounds, matched %v, rate %v", delta, r.MaxRounds(), r.Matched(), p)
					same, lower := independent(p, p), independent(p, math.Max(p-delta, 0))
					if r.Matched() {
						same, lower = apart(same), apart(lower)
					}
					_, fail, rounds := enumerated(r, same)
					if fail > alpha {
						t.Errorf("%s: equal sides fail with %v", name, fail)
					}
					miss := 0.0
					if p >= delta {
						if miss, _, _ = enumerated(r, lower); miss > beta {
							t.Errorf("%s: a drop passes with %v", name, miss)
						}
					}
					fmt.Fprintf(&table, "%.2f %.4f %.4f %.1f; ", p, fail, miss, rounds)
				}
			}
		}
	}
	t.Log(table.String())
}

// apart are the cells of pairs of independent sides: what both do alike is no event.
func apart(c cells) cells {
	return cells{neither: c.neither + c.both, x: c.x, y: c.y}
}

// A test whose errors of unlike scenarios stay above their targets is none, and the error says so.
func TestUnlikeScenariosThatStayAbove(t *testing.T) {
	sample, err := Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	p := &problem{h: Hypotheses{Delta: 0.5, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.8, High: 1}},
		sample: sample}
	_, err = p.planUnlike(t.Context(), Options{}, func(*Family) Errors { return Errors{Alpha: 1.02, Beta: 1} })
	if err == nil || !strings.Contains(err.Error(), "a false Fail of 0.051 and a false Pass of 0.1;") {
		t.Errorf("%v", err)
	}
	// The first lower targets suffice.
	tries := 0
	plan, err := p.planUnlike(t.Context(), Options{}, func(*Family) Errors {
		tries++
		return Errors{Alpha: 1, Beta: 1.3 - 0.2*float64(tries)}
	})
	if err != nil || tries != 2 || plan.Errors.Beta > 0.1/1.1 {
		t.Errorf("%v after %d plans, errors %+v", err, tries, plan.Errors)
	}
}

// The errors of unlike scenarios that a test is planned by are no lower than those of a brute force over scenarios of
// one trial that pass never, always, or as often as each other: by convolution, for every number of them.
func TestUnlikeIsNoLowerThanBruteForce(t *testing.T) {
	const scenarios, delta = 12, 0.5
	sample, err := Fixed(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	h := Hypotheses{Delta: delta, Alpha: 0.1, Beta: 0.2, Guarded: stats.Interval{Low: 0.75, High: 1}}
	plan, err := (&problem{h: h, sample: sample}).plan(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	most := plan.Family.unlike(scenarios)
	if e, known := plan.Family.Unlike(scenarios); !known || math.Abs(e.Alpha-0.1*most.Alpha) > 1e-12 ||
		math.Abs(e.Beta-0.2*most.Beta) > 1e-12 {
		t.Errorf("%+v and %v of shares %+v", e, known, most)
	}
	if _, known := plan.Family.Unlike(1); known {
		t.Error("one scenario is unlike itself")
	}
	// chances are those of Pass and Fail beside so many failures of the baseline, trial by trial.
	chances := func(failures int, rate float64) (pass, fail float64) {
		b, ok := plan.Family.Boundaries(Outcome{scenarios, failures})
		if !ok {
			return 0, 0
		}
		going := []float64{1}
		for n := range b.MaxTrials() {
			next := make([]float64, len(going)+1)
			for f, x := range going {
				next[f] += x * rate
				next[f+1] += x * (1 - rate)
			}
			for f := range next {
				switch {
				case f <= b.PassAtOrBelow[n]:
					pass, next[f] = pass+next[f], 0
				case f >= b.FailAtOrAbove[n]:
					fail, next[f] = fail+next[f], 0
				}
			}
			going = next
		}
		return pass, fail
	}
	for i := range 51 {
		mean := h.Guarded.Low + h.Guarded.Width()*float64(i)/50
		var pass, fail [scenarios + 1]float64
		for f := range pass {
			pass[f], _ = chances(f, mean-delta)
			_, fail[f] = chances(f, mean)
		}
		for never := range scenarios + 1 {
			for always := range scenarios + 1 - never {
				others := scenarios - never - always
				rate := (mean*scenarios - float64(always)) / math.Max(float64(others), 1)
				if others == 0 || rate < 0 || rate > 1 {
					continue
				}
				counts := []float64{1} // of failures
				for range others {
					next := make([]float64, len(counts)+1)
					for f, x := range counts {
						next[f] += x * rate
						next[f+1] += x * (1 - rate)
					}
					counts = next
				}
				passed, failed := 0.0, 0.0
				for f, x := range counts {
					passed, failed = passed+x*pass[never+f], failed+x*fail[never+f]
				}
				// Between the rates of the grid an error may be a little larger.
				if passed > most.Beta*h.Beta*1.002 || failed > most.Alpha*h.Alpha*1.002 {
					t.Errorf("mean %v, %d never, %d always: Pass %v, Fail %v; bounds %v, %v", mean, never, always, passed, failed,
						most.Beta*h.Beta, most.Alpha*h.Alpha)
				}
			}
		}
	}
}
