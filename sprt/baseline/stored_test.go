package baseline

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// small are hypotheses that can be enumerated.
func small() Hypotheses {
	return Hypotheses{Delta: 0.4, Alpha: 0.15, Beta: 0.2, Guarded: stats.Interval{Low: 0.75, High: 1}}
}

var smallOnce = sync.OnceValues(func() (Plan, error) {
	s, err := Fixed(12)
	if err != nil {
		return Plan{}, err
	}
	return Stored(context.Background(), small(), s, Options{})
})

func smallPlan(t testing.TB) Plan {
	t.Helper()
	plan, err := smallOnce()
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The characteristics of a family are those of every sequence of both sides.
func TestCharacteristicsAreThoseOfEnumeration(t *testing.T) {
	t.Parallel()
	f := smallPlan(t).Family
	if f.MaxTrials() > 20 {
		t.Fatalf("%d trials are too many to enumerate", f.MaxTrials())
	}
	for _, rates := range [][2]float64{{1, 1}, {1, 0.6}, {0.9, 0.9}, {0.9, 0.5}, {0.8, 0.75}, {0.75, 0.35}} {
		var want Characteristics
		enumerate(fixedBoundaries(12), rates[0], func(o Outcome, _ sprt.Outcome, x float64) {
			b, ok := f.Boundaries(o)
			if !ok {
				want.Inconclusive += x
				return
			}
			// Sequences of the baseline with the same failures are alike: enumerate the candidate
			// once, for the one whose failures come last.
			enumerate(b, rates[1], func(o Outcome, outcome sprt.Outcome, y float64) {
				want.ExpectedTrials += x * y * float64(o.Trials)
				switch outcome {
				case sprt.Pass:
					want.Pass += x * y
				case sprt.Fail:
					want.Fail += x * y
				default:
					want.Inconclusive += x * y
				}
			})
		})
		got := f.At(rates[0], rates[1])
		for _, x := range [][2]float64{
			{got.Pass, want.Pass}, {got.Fail, want.Fail},
			{got.Inconclusive, want.Inconclusive}, {got.ExpectedTrials, want.ExpectedTrials},
		} {
			if math.Abs(x[0]-x[1]) > 1e-10*math.Max(1, x[1]) {
				t.Errorf("at %v: %+v, by enumeration %+v", rates, got, want)
				break
			}
		}
	}
}

// forward computes P(Fail) and P(Pass) of a family and the expected trials by carrying
// probabilities forward, beside the binomial or the given distribution of the baseline.
func forward(
	f *Family, outcomes []Outcome, mass func(Outcome) float64, candidate float64,
) (fail, pass, expected float64) {
	for _, o := range outcomes {
		b, ok := f.Boundaries(o)
		if !ok {
			continue
		}
		m := mass(o)
		row := []float64{1}
		for n := 1; n <= b.MaxTrials(); n++ {
			next := make([]float64, n+1)
			for failures, x := range row {
				next[failures] += x * candidate
				next[failures+1] += x * (1 - candidate)
			}
			for failures, x := range next {
				switch {
				case failures <= b.PassAtOrBelow[n-1]:
					pass += m * x
				case failures >= b.FailAtOrAbove[n-1]:
					fail += m * x
				default:
					continue
				}
				expected += m * x * float64(n)
				next[failures] = 0
			}
			row = next
		}
	}
	return fail, pass, expected
}

// The figures of an independent prototype of the same design, whose errors were up to
// 1 % above their targets: expected trials where nothing changed and after a drop. A change plans one of them.
func TestStoredAgainstPrototype(t *testing.T) {
	if testing.Short() {
		t.Skip("it plans three large families")
	}
	t.Parallel()
	type row struct{ rate, unchanged, dropped float64 }
	for _, x := range []struct {
		trials, maxTrials int
		low               float64
		rows              []row
	}{
		{100, 400, 0.92, []row{{1, 22, 11}, {0.98, 35.3, 39}, {0.95, 49, 68}}},
		{300, 250, 0.86, []row{{1, 22, 9}, {0.98, 30.4, 24.3}, {0.95, 43.7, 43.6}, {0.9, 67.6, 79.5}}},
		{1000, 250, 0.88, []row{{1, 22, 9}, {0.98, 29.2, 21.6}, {0.95, 40.7, 37}, {0.9, 57.7, 60}}},
	}[:thorough.Draws(1, 3)] {
		h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: x.low, High: 1}}
		s, err := Fixed(x.trials)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Stored(t.Context(), h, s, Options{MaxTrials: x.maxTrials})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Gap > 0.0125 || plan.Gap < 0 {
			t.Errorf("%d trials: the gap to the bound is %v", x.trials, plan.Gap)
		}
		for _, r := range x.rows {
			binomial := func(o Outcome) float64 { return dist.Binomial{N: o.Trials, P: r.rate}.Prob(o.Passes()) }
			fail, _, unchanged := forward(plan.Family, s.Outcomes(), binomial, r.rate)
			_, pass, dropped := forward(plan.Family, s.Outcomes(), binomial, r.rate-h.Delta)
			if r.rate >= x.low && (fail > h.Alpha || pass > h.Beta) {
				t.Errorf("%d trials at %v: P(Fail) %v, P(Pass) %v", x.trials, r.rate, fail, pass)
			}
			// 22 and 9 of one side may be 24 and 12 where the errors are not 1 % above.
			near := func(got, want float64) bool { return math.Abs(got-want) <= math.Max(0.03*want, 2.01) }
			if !near(unchanged, r.unchanged) || !near(dropped, r.dropped) {
				t.Errorf("%d trials at %v: %.2f and %.2f trials, of the prototype %v and %v",
					x.trials, r.rate, unchanged, dropped, r.unchanged, r.dropped)
			}
		}
	}
}

// No rate of a fine grid has a larger error than the proved one, and one nearly has it.
func TestErrorsAreTheLargest(t *testing.T) {
	t.Parallel()
	plan := smallPlan(t)
	f, h := plan.Family, plan.Family.Hypotheses()
	got := f.Errors()
	if !got.Within(h) {
		t.Errorf("the errors are %+v", got)
	}
	outcomes := f.Sample().Outcomes()
	fail, pass := 0.0, 0.0
	const steps = 4000
	for i := range steps + 1 {
		rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/steps
		binomial := func(o Outcome) float64 { return dist.Binomial{N: o.Trials, P: rate}.Prob(o.Passes()) }
		failed, _, _ := forward(f, outcomes, binomial, rate)
		_, passed, _ := forward(f, outcomes, binomial, rate-h.Delta)
		fail, pass = math.Max(fail, failed), math.Max(pass, passed)
	}
	for _, x := range []struct {
		name       string
		got, found float64
	}{{"alpha", got.Alpha, fail}, {"beta", got.Beta, pass}} {
		if x.got < x.found*(1-1e-12) || x.got > x.found*(1+2*maximumTolerance) {
			t.Errorf("%s is %v, on the grid %v", x.name, x.got, x.found)
		}
	}
}

// Of every family of a tiny problem that keeps the errors, none costs less than the
// bound, and the plan is one of them.
func TestBoundHoldsForEveryFamily(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.6, Alpha: 0.3, Beta: 0.3, Guarded: stats.Interval{Low: 0.75, High: 0.95}}
	s, err := Fixed(1)
	if err != nil {
		t.Fatal(err)
	}
	const trials = 3
	plan, err := Stored(t.Context(), h, s, Options{MaxTrials: trials})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Inconclusive > 1e-12 {
		t.Fatalf("a test of %d trials does not always decide: %v", trials, plan.Inconclusive)
	}
	search := newSearch(problem{h: h, sample: s}, trials, defaultFavour, math.Inf(1), searchDensity)
	every := boundariesOf(trials)
	scores := make([][]score, len(search.columns))
	for i, c := range search.columns {
		for _, b := range every {
			c.boundaries = b
			c.evaluate(search)
			scores[i] = append(scores[i], c.score)
		}
	}
	best := math.Inf(1)
	var visit func(i int, total score)
	visit = func(i int, total score) {
		if i == len(scores) {
			if total.excess(search.room) <= 1 {
				best = math.Min(best, total.expected)
			}
			return
		}
		for _, x := range scores[i] {
			sum := newScore(len(total.fail))
			sum.expected = total.expected + x.expected
			for j := range sum.fail {
				sum.fail[j], sum.pass[j] = total.fail[j]+x.fail[j], total.pass[j]+x.pass[j]
			}
			visit(i+1, sum)
		}
	}
	visit(0, score{fail: make([]float64, len(search.rates)), pass: make([]float64, len(search.rates))})
	if best < plan.Bound*(1-1e-9) {
		t.Errorf("a family expects %v trials, the bound is %v", best, plan.Bound)
	}
	if plan.Expected < best*(1-1e-9) {
		t.Errorf("the plan expects %v trials, the best of all families %v", plan.Expected, best)
	}
	if plan.Expected > best*1.05 {
		t.Errorf("the plan expects %v trials, the best of all families %v", plan.Expected, best)
	}
}

// boundariesOf returns all boundaries of so many trials that always decide.
func boundariesOf(trials int) (list []sprt.Boundaries) {
	b := fixedBoundaries(trials)
	var visit func(n int)
	visit = func(n int) {
		if n > trials {
			list = append(list, b.Clone())
			return
		}
		for pass := -1; pass <= n; pass++ {
			for fail := pass + 1; fail <= n+1; fail++ {
				if n == trials && fail != pass+1 {
					continue
				}
				b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1] = pass, fail
				visit(n + 1)
			}
		}
	}
	visit(1)
	return list
}

// A baseline that a sequential test stopped, and one that was pooled, keep the errors too.
func TestStoppedBaselinesKeepTheErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it plans two large families")
	}
	t.Parallel()
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.15, Alpha: 0.1, Beta: 0.1}, 60)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := Sequential(d.Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	pooled, err := Pooled(sequential, fixed)
	if err != nil {
		t.Fatal(err)
	}
	h := Hypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.85, High: 1}}
	for name, s := range map[string]Sample{"sequential": sequential, "pooled": pooled} {
		plan, err := Stored(t.Context(), h, s, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, rate := range []float64{0.85, 0.9, 0.95, 0.98, 1} {
			mass := func(o Outcome) float64 { return s.Probability(o, rate) }
			fail, _, _ := forward(plan.Family, s.Outcomes(), mass, rate)
			_, pass, _ := forward(plan.Family, s.Outcomes(), mass, rate-h.Delta)
			if fail > h.Alpha || pass > h.Beta {
				t.Errorf("%s at %v: P(Fail) %v, P(Pass) %v", name, rate, fail, pass)
			}
		}
	}
}

// With fewer trials than a fixed sample needs, the errors are kept by Inconclusive.
func TestShortTestsAreInconclusive(t *testing.T) {
	t.Parallel()
	s, _ := Fixed(12)
	full, err := Stored(t.Context(), small(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Stored(t.Context(), small(), s, Options{MaxTrials: full.FixedTrials / 2})
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Errors.Within(small()) || plan.Inconclusive < 0.001 {
		t.Errorf("%+v", plan)
	}
}

func TestStoredRefuses(t *testing.T) {
	t.Parallel()
	s, _ := Fixed(20)
	good := small()
	for name, change := range map[string]func(h *Hypotheses){
		"delta":            func(h *Hypotheses) { h.Delta = 0 },
		"alpha":            func(h *Hypotheses) { h.Alpha = math.NaN() },
		"beta":             func(h *Hypotheses) { h.Beta = 1 },
		"both errors":      func(h *Hypotheses) { h.Alpha, h.Beta = 0.5, 0.5 },
		"a low guard":      func(h *Hypotheses) { h.Guarded.Low = h.Delta },
		"an empty guard":   func(h *Hypotheses) { h.Guarded.High = h.Guarded.Low },
		"a guard beyond 1": func(h *Hypotheses) { h.Guarded.High = 1.1 },
	} {
		h := good
		change(&h)
		_, err := Stored(t.Context(), h, s, Options{})
		if _, ok := errors.AsType[*HypothesesError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, o := range map[string]Options{
		"trials": {MaxTrials: MostTrials + 1}, "fewer": {MaxTrials: -1},
		"favour": {Favour: -1}, "no favour": {Favour: math.NaN()},
	} {
		_, err := Stored(t.Context(), good, s, o)
		if _, ok := errors.AsType[*HypothesesError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Stored(t.Context(), good, Sample{}, Options{}); err == nil {
		t.Error("a sample without outcomes was taken")
	}
	// 30 trials at a drop of .05: the noise of the baseline alone is larger.
	few, _ := Fixed(30)
	tight := Hypotheses{Delta: 0.05, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.7, High: 1}}
	_, err := Stored(t.Context(), tight, few, Options{})
	if small, ok := errors.AsType[*TooSmallError](err); !ok || small.Trials != 30 || small.Needed <= 30 {
		t.Errorf("a baseline that is too small: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Stored(ctx, good, s, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}

// A test that ends somewhere is as extreme as all ends that order as high: the largest
// probability of these, over a grid, is the p-value, and it is not below any x more often
// than x.
func TestPValuesAreValid(t *testing.T) {
	t.Parallel()
	f := smallPlan(t).Family
	h := f.Hypotheses()
	type place struct {
		base    Outcome
		end     Outcome
		outcome sprt.Outcome
		p       PValues
	}
	var places []place
	for _, m := range f.members {
		seen := map[Outcome]bool{}
		enumerate(m.boundaries, 0.5, func(o Outcome, outcome sprt.Outcome, _ float64) {
			if seen[o] {
				return
			}
			seen[o] = true
			p, err := f.PValues(m.outcome, o.Trials, o.Failures)
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, place{m.outcome, o, outcome, p})
		})
	}
	probability := func(x place, baseline, candidate float64) (sum float64) {
		b, _ := f.Boundaries(x.base)
		enumerate(b, candidate, func(o Outcome, _ sprt.Outcome, y float64) {
			if o == x.end {
				sum += y
			}
		})
		return sum * f.sample.Probability(x.base, baseline)
	}
	const steps = 10
	for i := range steps + 1 {
		rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/steps
		same, lower := make([]float64, len(places)), make([]float64, len(places))
		for j, x := range places {
			same[j], lower[j] = probability(x, rate, rate), probability(x, rate, rate-h.Delta)
		}
		for _, x := range places {
			unchanged, dropped := 0.0, 0.0
			for k, y := range places {
				if y.p.Unchanged <= x.p.Unchanged {
					unchanged += same[k]
				}
				if y.p.Dropped <= x.p.Dropped {
					dropped += lower[k]
				}
			}
			if unchanged > x.p.Unchanged*(1+1e-9) || dropped > x.p.Dropped*(1+1e-9) {
				t.Fatalf("at %v: P(p <= %+v) are %v and %v", rate, x.p, unchanged, dropped)
			}
		}
	}
	for _, x := range places {
		if x.outcome == sprt.Fail && x.p.Unchanged > h.Alpha || x.outcome == sprt.Pass && x.p.Dropped > h.Beta {
			t.Errorf("%v with p-values %+v", x.outcome, x.p)
		}
	}
	if _, err := f.PValues(Outcome{12, 0}, 500, 0); err == nil {
		t.Error("a test that cannot end there has p-values")
	}
}

// The intervals of the difference cover it, at every pair of rates of a grid.
func TestDifferenceCovers(t *testing.T) {
	t.Parallel()
	f := smallPlan(t).Family
	h := f.Hypotheses()
	const alpha = 0.1
	type key struct{ base, end Outcome }
	known := map[key]Difference{}
	for i := range 4 {
		baseline := h.Guarded.Low + h.Guarded.Width()*float64(i)/3
		for j := range 5 {
			candidate := 0.15 + 0.2*float64(j)
			missed, high, low := 0.0, 0.0, 0.0
			for _, m := range f.members {
				mass := f.sample.Probability(m.outcome, baseline)
				enumerate(m.boundaries, candidate, func(o Outcome, _ sprt.Outcome, x float64) {
					k := key{m.outcome, o}
					d, ok := known[k]
					if !ok {
						var err error
						if d, err = f.Difference(m.outcome, o.Trials, o.Failures, alpha); err != nil {
							t.Fatal(err)
						}
						known[k] = d
					}
					switch difference := candidate - baseline; {
					case difference < d.Interval.Low:
						low += mass * x
					case difference > d.Interval.High:
						high += mass * x
					}
				})
			}
			if missed = low + high; missed > alpha+1e-6 {
				t.Errorf("at %v and %v the interval misses the difference with probability %v", baseline, candidate, missed)
			}
		}
	}
	for k, d := range known {
		if !(d.Interval.Low <= d.MedianUnbiased && d.MedianUnbiased <= d.Interval.High) {
			t.Errorf("%v: the estimate %v is not in %v", k, d.MedianUnbiased, d.Interval)
		}
	}
	if _, err := f.Difference(Outcome{12, 0}, 500, 0, alpha); err == nil {
		t.Error("a test that cannot end there has a difference")
	}
	if _, err := f.Difference(Outcome{12, 0}, 1, 1, 0); err == nil {
		t.Error("alpha 0 was taken")
	}
}

// The bound of a long test over unlike rates is one: by weak duality it is no more than the trials of a test that keeps
// the errors, which there is here, with 374 trials that are fixed.
func TestTheBoundIsFinite(t *testing.T) {
	t.Parallel()
	s, err := Fixed(400)
	if err != nil {
		t.Fatal(err)
	}
	h := Hypotheses{Delta: 0.1, Alpha: 0.0025, Beta: 0.1, Guarded: stats.Interval{Low: 0.87, High: 1}}
	const trials = 524
	search := newSearch(problem{h: h, sample: s}, trials, defaultFavour, math.Inf(1), searchDensity)
	p := firstPrices(len(search.rates))
	for round := range 3 {
		bound, total := search.round(p)
		if !(bound <= trials) {
			t.Errorf("round %d: the bound is %v", round+1, bound)
		}
		p.move(search.room, total, 1, 1)
	}
}
