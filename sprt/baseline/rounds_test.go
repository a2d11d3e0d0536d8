package baseline

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

func smallRounds(t testing.TB) RoundsPlan {
	t.Helper()
	h := Hypotheses{Delta: 0.5, Alpha: 0.15, Beta: 0.2, Guarded: stats.Interval{Low: 0.8, High: 1}}
	plan, err := SideBySide(t.Context(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func smallMatched(t testing.TB) RoundsPlan {
	t.Helper()
	m := MatchedHypotheses{Delta: 0.4, Alpha: 0.15, Beta: 0.2, MostDiscordant: 0.6}
	plan, err := Matched(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// play runs a test on every sequence of rounds, with the probabilities of what a round
// adds to the events of the baseline and of the candidate.
func play(r *Rounds, c cells, stop func(rounds, baseline, candidate int, o sprt.Outcome, probability float64)) {
	type point struct{ x, y int }
	going := map[point]float64{{0, 0}: 1}
	for n := 1; len(going) > 0; n++ {
		next := map[point]float64{}
		for p, w := range going {
			next[p] += w * c.neither
			next[point{p.x + 1, p.y}] += w * c.x
			next[point{p.x, p.y + 1}] += w * c.y
			next[point{p.x + 1, p.y + 1}] += w * c.both
		}
		going = map[point]float64{}
		for p, w := range next {
			if w == 0 {
				continue
			}
			if o := r.Outcome(n, p.x, p.y); o == sprt.Undecided {
				going[p] = w
			} else {
				stop(n, p.x, p.y, o, w)
			}
		}
	}
}

func played(r *Rounds, c cells) (got Characteristics) {
	play(r, c, func(n, _, _ int, o sprt.Outcome, w float64) {
		got.ExpectedTrials += float64(n) * w
		switch o {
		case sprt.Pass:
			got.Pass += w
		case sprt.Fail:
			got.Fail += w
		default:
			got.Inconclusive += w
		}
	})
	return got
}

func near(a, b Characteristics) bool {
	close := func(x, y float64) bool { return math.Abs(x-y) <= 1e-8*math.Max(1, y) }
	return close(a.Pass, b.Pass) && close(a.Fail, b.Fail) && close(a.Inconclusive, b.Inconclusive) &&
		close(a.ExpectedTrials, b.ExpectedTrials)
}

func TestRoundsAreThoseOfPlay(t *testing.T) {
	t.Parallel()
	sides := smallRounds(t).Test
	for _, rates := range [][2]float64{{1, 1}, {1, 0.5}, {0.9, 0.9}, {0.9, 0.4}, {0.8, 0.8}, {0.8, 0.3}, {0.85, 0.7}} {
		got, want := sides.At(rates[0], rates[1]), played(sides, independent(rates[0], rates[1]))
		if !near(got, want) {
			t.Errorf("at %v: %+v, played %+v", rates, got, want)
		}
	}
	pairs := smallMatched(t).Test
	for _, d := range [][2]float64{{0, 0}, {0, 0.4}, {0.1, 0.1}, {0.05, 0.45}, {0.1, 0.5}, {0.3, 0.3}} {
		got := pairs.AtPairs(d[0], d[1])
		want := played(pairs, cells{neither: 1 - d[0] - d[1], x: d[0], y: d[1]})
		if !near(got, want) {
			t.Errorf("pairs at %v: %+v, played %+v", d, got, want)
		}
	}
	for _, c := range []Characteristics{
		sides.At(1.5, 0), pairs.At(0.5, 0.5), sides.AtPairs(0.1, 0.1), pairs.AtPairs(0.6, 0.6),
	} {
		if !math.IsNaN(c.Pass) {
			t.Errorf("there are characteristics where there cannot be any: %+v", c)
		}
	}
}

// The errors are kept at every rate of a fine grid, and one of them is nearly as large as
// is proved.
func TestRoundsKeepTheErrors(t *testing.T) {
	t.Parallel()
	const steps = 300
	sides, pairs := smallRounds(t), smallMatched(t)
	for _, x := range []struct {
		name        string
		plan        RoundsPlan
		same, lower func(at float64) cells
	}{
		{"side by side", sides,
			func(at float64) cells { return independent(0.8+0.2*at, 0.8+0.2*at) },
			func(at float64) cells { return independent(0.8+0.2*at, 0.3+0.2*at) }},
		{"matched", pairs,
			func(at float64) cells { return discordant(0.6*at, 0) },
			func(at float64) cells { return discordant(0.4+0.2*at, 0.4) }},
	} {
		fail, pass := 0.0, 0.0
		for i := range steps + 1 {
			at := float64(i) / steps
			fail = math.Max(fail, played(x.plan.Test, x.same(at)).Fail)
			pass = math.Max(pass, played(x.plan.Test, x.lower(at)).Pass)
		}
		h, e := x.plan.Test.Hypotheses(), x.plan.Errors
		if fail > h.Alpha || pass > h.Beta || !e.Within(h) {
			t.Errorf("%s: P(Fail) %v, P(Pass) %v, proved %+v", x.name, fail, pass, e)
		}
		if e.Alpha < fail || e.Alpha > fail*(1+1e-3) || e.Beta < pass || e.Beta > pass*(1+1e-3) {
			t.Errorf("%s: proved %+v, on the grid %v and %v", x.name, e, fail, pass)
		}
		if x.plan.Gap < 0 || x.plan.Expected < x.plan.Bound*(1-1e-9) || x.plan.Inconclusive > 1e-8 {
			t.Errorf("%s: %+v", x.name, x.plan)
		}
	}
}

// Of every test of a tiny problem that keeps the errors, none expects fewer rounds than
// the bound.
func TestBoundHoldsForEveryTestInRounds(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.7, Alpha: 0.35, Beta: 0.35, Guarded: stats.Interval{Low: 0.8, High: 0.95}}
	plan, err := SideBySide(t.Context(), h, Options{MaxTrials: 2})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Inconclusive > 1e-9 {
		t.Fatal("two rounds do not always decide")
	}
	rates, savings := []float64{}, []float64{}
	total := 0.0
	const steps = 40
	for i := range steps + 1 {
		p := 0.8 + 0.15*float64(i)/steps
		rates = append(rates, p)
		savings = append(savings, math.Pow(p, defaultFavour))
		total += savings[i]
	}
	// A test: what is done after one round at each of four points, and after two at each of
	// nine. After two it decides.
	best := math.Inf(1)
	for first := range 81 { // Pass, Fail or go on, at (0,0), (0,1), (1,0), (1,1)
		for second := range 512 {
			decide := func(n, x, y int) sprt.Outcome {
				if n == 1 {
					return [...]sprt.Outcome{sprt.Pass, sprt.Fail, sprt.Undecided}[first/[...]int{1, 3, 9, 27}[2*x+y]%3]
				}
				if second>>(3*x+y)&1 == 0 {
					return sprt.Pass
				}
				return sprt.Fail
			}
			objective, ok := 0.0, true
			for j, p := range rates {
				at := func(candidate float64) (c Characteristics) {
					cell := independent(p, candidate)
					one := [4]float64{cell.neither, cell.y, cell.x, cell.both}
					for i, w := range one {
						switch decide(1, i/2, i%2) {
						case sprt.Pass:
							c.Pass += w
							c.ExpectedTrials += w
						case sprt.Fail:
							c.Fail += w
							c.ExpectedTrials += w
						default:
							for k, v := range one {
								c.ExpectedTrials += 2 * w * v
								if decide(2, i/2+k/2, i%2+k%2) == sprt.Pass {
									c.Pass += w * v
								} else {
									c.Fail += w * v
								}
							}
						}
					}
					return c
				}
				same, half, lower := at(p), at(p-h.Delta/2), at(p-h.Delta)
				if same.Fail > h.Alpha || lower.Pass > h.Beta {
					ok = false
					break
				}
				objective += savings[j] / total * (same.ExpectedTrials/2 + half.ExpectedTrials/4 + lower.ExpectedTrials/4)
			}
			if ok {
				best = math.Min(best, objective)
			}
		}
	}
	// The savings are averaged over another grid, so by a little.
	if plan.Bound > best*1.01 || plan.Expected < best*0.99 {
		t.Errorf("the best of all tests expects %v rounds, the plan %v with the bound %v", best, plan.Expected, plan.Bound)
	}
}

func TestPValuesOfRoundsAreValid(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]RoundsPlan{"side by side": smallRounds(t), "matched": smallMatched(t)} {
		r := plan.Test
		h := r.Hypotheses()
		type place struct{ n, x, y int }
		known := map[place]PValues{}
		for _, e := range r.ends {
			p, err := r.PValues(e.rounds, e.baseline, e.candidate)
			if err != nil {
				t.Fatal(err)
			}
			known[place{e.rounds, e.baseline, e.candidate}] = p
			if e.outcome == sprt.Fail && p.Unchanged > h.Alpha || e.outcome == sprt.Pass && p.Dropped > h.Beta {
				t.Errorf("%s: %v after %+v with p-values %+v", name, e.outcome, e, p)
			}
		}
		for i := range 5 {
			at := float64(i) / 4
			same, lower := independent(0.8+0.2*at, 0.8+0.2*at), independent(0.8+0.2*at, 0.3+0.2*at)
			if r.Matched() {
				same, lower = discordant(0.6*at, 0), discordant(0.4+0.2*at, 0.4)
			}
			for _, level := range []float64{0.01, 0.05, 0.1, 0.15, 0.3, 0.6} {
				unchanged, dropped := 0.0, 0.0
				play(r, same, func(n, x, y int, _ sprt.Outcome, w float64) {
					if p, ok := known[place{n, x, y}]; ok && p.Unchanged <= level {
						unchanged += w
					}
				})
				play(r, lower, func(n, x, y int, _ sprt.Outcome, w float64) {
					if p, ok := known[place{n, x, y}]; ok && p.Dropped <= level {
						dropped += w
					}
				})
				if unchanged > level*(1+1e-9) || dropped > level*(1+1e-9) {
					t.Errorf("%s at %v: P(p <= %v) are %v and %v", name, at, level, unchanged, dropped)
				}
			}
		}
		if _, err := r.PValues(1, 0, 5); err == nil {
			t.Error("a test that cannot end there has p-values")
		}
	}
}

func TestRoundsRefuse(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.9, High: 1}}
	bad := h
	bad.Delta = 0
	_, err := SideBySide(t.Context(), bad, Options{})
	if _, ok := errors.AsType[*HypothesesError](err); !ok {
		t.Errorf("no delta: %v", err)
	}
	_, err = SideBySide(t.Context(), h, Options{MaxTrials: MostRounds + 1})
	if _, ok := errors.AsType[*HypothesesError](err); !ok {
		t.Errorf("too many rounds: %v", err)
	}
	for _, m := range []MatchedHypotheses{
		{0.1, 0.05, 0.1, 0.1}, {0.1, 0.05, 0.1, 1.1}, {0.1, 0, 0.1, 0.5}, {0, 0.05, 0.1, 0.5}, {0.1, 0.05, 0.1, math.NaN()},
	} {
		_, err := Matched(t.Context(), m, Options{})
		if _, ok := errors.AsType[*HypothesesError](err); !ok {
			t.Errorf("%+v: %v", m, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := SideBySide(ctx, h, Options{MaxTrials: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}

// The intervals of the difference cover it, at every pair of rates of a grid.
func TestDifferenceOfRoundsCovers(t *testing.T) {
	t.Parallel()
	const alpha = 0.1
	for name, plan := range map[string]RoundsPlan{"side by side": smallRounds(t), "matched": smallMatched(t)} {
		r := plan.Test
		type place struct{ n, x, y int }
		known := map[place]Difference{}
		for i := range 5 {
			for j := range 5 {
				first, second := 0.04+0.24*float64(i), 0.04+0.24*float64(j)
				c, difference := independent(first, second), second-first
				if r.Matched() {
					c = cells{neither: 1 - (first+second)/2, x: second / 2, y: first / 2}
					difference = c.x - c.y
				}
				missed := 0.0
				play(r, c, func(n, x, y int, _ sprt.Outcome, w float64) {
					d, ok := known[place{n, x, y}]
					if !ok {
						var err error
						if d, err = r.Difference(n, x, y, alpha); err != nil {
							missed += w // beyond the lattice, with next to no probability in the guarded range
							return
						}
						known[place{n, x, y}] = d
					}
					if difference < d.Interval.Low || difference > d.Interval.High {
						missed += w
					}
				})
				if missed > alpha+1e-6 {
					t.Errorf("%s at %v and %v: missed with probability %v", name, first, second, missed)
				}
			}
		}
		for k, d := range known {
			if !(d.Interval.Low <= d.MedianUnbiased && d.MedianUnbiased <= d.Interval.High) {
				t.Errorf("%s %v: the estimate %v is not in %v", name, k, d.MedianUnbiased, d.Interval)
			}
		}
		if _, err := r.Difference(1, 0, 99, alpha); err == nil {
			t.Error("a test that cannot end there has a difference")
		}
	}
}

// A test is found wherever one may take as many rounds as it needs: these questions have none within what the search
// allows beside the fixed sample at first. Its errors are counted by going through all paths.
func TestATestIsFoundInMoreRounds(t *testing.T) {
	t.Parallel()
	for _, h := range []Hypotheses{
		{Delta: 0.33, Alpha: 0.05, Beta: 0.1}, {Delta: 0.38, Alpha: 0.05, Beta: 0.1}, {Delta: 0.47, Alpha: 0.1, Beta: 0.1},
		{Delta: 0.52, Alpha: 0.05, Beta: 0.1}, {Delta: 0.54, Alpha: 0.05, Beta: 0.05},
	} {
		h.Guarded = EveryRate()
		plan, err := SideBySide(t.Context(), h, Options{})
		if err != nil {
			t.Errorf("%+v: %v", h, err)
			continue
		}
		for p := 0.0; p <= 1; p += 0.02 {
			if same := played(plan.Test, independent(p, p)); same.Fail > h.Alpha+1e-9 {
				t.Errorf("%+v: Fail in %v at a rate of %v that has not changed", h, same.Fail, p)
			}
			if p >= h.Delta {
				if drop := played(plan.Test, independent(p, p-h.Delta)); drop.Pass > h.Beta+1e-9 {
					t.Errorf("%+v: Pass in %v after a drop from %v", h, drop.Pass, p)
				}
			}
		}
	}
}
