package sprt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

func optimal(t testing.TB, h Hypotheses, o OptimalOptions) Plan {
	t.Helper()
	plan, err := Optimal(context.Background(), h, o)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The figures that the manual promises.
func TestOptimalReaches(t *testing.T) {
	prior, err := Beta(49, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		h      Hypotheses
		trials int
		w      Weighting
		want   float64
	}{
		{Hypotheses{.90, .10, .05, .10}, 152, Stable(), 36.10},
		{Hypotheses{.95, .10, .05, .10}, 107, Stable(), 29.0},
		{Hypotheses{.85, .15, .05, .10}, 89, Stable(), 22.25},
		{Hypotheses{.90, .10, .05, .05}, 189, Stable(), 44.80},
		{Hypotheses{.90, .10, .05, .10}, 152, prior, 33.6},
	} {
		plan := optimal(t, c.h, OptimalOptions{MaxTrials: c.trials, Weighting: c.w})
		if plan.Objective > c.want {
			t.Errorf("%+v: objective %v, want at most %v", c.h, plan.Objective, c.want)
		}
		if plan.Gap < 0 || plan.Gap > 0.01 {
			t.Errorf("%+v: gap %v", c.h, plan.Gap)
		}
		checkDesign(t, plan)
	}
	l, _ := optimal(t, Hypotheses{.90, .10, .05, .10}, OptimalOptions{MaxTrials: 152}).Design.Boundaries.Lattice()
	for p, want := range map[float64]float64{1: 15, .95: 29.5, .9: 58.3, .85: 77.4, .8: 56.0} {
		near(t, fmt.Sprint("trials at ", p), l.At(p).ExpectedTrials, want, 0.2)
	}
}

// checkDesign recomputes what a plan says from its boundaries alone, in floating
// point and in integers.
func checkDesign(t interface {
	Helper()
	Errorf(string, ...any)
}, plan Plan) {
	t.Helper()
	got, err := plan.Design.Errors()
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	h := plan.Design.Hypotheses
	if !got.Within(h) {
		t.Errorf("%+v: errors %+v exceed their targets", h, got)
	}
	certificate, err := plan.Design.Certify()
	if err != nil || !certificate.Holds() {
		t.Errorf("%+v: certificate %+v, %v", h, certificate, err)
		return
	}
	alpha, _ := certificate.Alpha.Float64()
	beta, _ := certificate.Beta.Float64()
	if relative(alpha, got.Alpha) > 1e-9 || relative(beta, got.Beta) > 1e-9 ||
		relative(plan.Errors.Alpha, got.Alpha) > 1e-9 || relative(plan.Errors.Beta, got.Beta) > 1e-9 {
		t.Errorf("%+v: errors %+v, from the search %+v, in integers %v %v", h, got, plan.Errors, alpha, beta)
	}
}

func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	return abs(a-b) / abs(b)
}

func abs(x float64) float64 { return max(x, -x) }

// No design ever exceeds its targets, and none is below the dual bound.
func TestOptimalKeepsItsPromises(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		decimals := func(low, high int, name string) float64 {
			return float64(rapid.IntRange(low, high).Draw(t, name)) / 100
		}
		threshold := decimals(30, 98, "threshold")
		h := Hypotheses{
			Threshold: threshold,
			Delta:     min(decimals(5, 30, "delta"), threshold-0.05),
			Alpha:     decimals(1, 20, "alpha"),
			Beta:      decimals(1, 20, "beta"),
		}
		o := OptimalOptions{MaxTrials: rapid.IntRange(3, 60).Draw(t, "max trials")}
		plan, err := Optimal(context.Background(), h, o)
		var infeasible *InfeasibleError
		if errors.As(err, &infeasible) {
			t.Skip()
		}
		if err != nil {
			t.Fatal(err)
		}
		checkDesign(t, plan)
		if plan.Objective < plan.Bound*(1-1e-9) {
			t.Errorf("%+v: objective %v is below the bound %v", h, plan.Objective, plan.Bound)
		}
		l, _ := plan.Design.Boundaries.Lattice()
		if got := o.Weighting.resolve(h).expected(l); relative(got, plan.Expected) > 1e-9 {
			t.Errorf("%+v: expected trials %v, from the lattice %v", h, plan.Expected, got)
		}
	})
}

// Against every pair of boundaries of a few trials, by exhaustion.
func TestOptimalAgainstExhaustion(t *testing.T) {
	h := Hypotheses{.8, .5, .2, .2}
	const trials = 5
	plan := optimal(t, h, OptimalOptions{MaxTrials: trials})
	fixed, ok := h.FixedSample()
	if !ok || fixed.Trials > trials {
		t.Fatalf("the example needs %d trials", fixed.Trials)
	}
	best := 1e9
	w := Stable().resolve(h)
	b := open(trials)
	var visit func(n int)
	visit = func(n int) {
		if n > trials {
			l := b.lattice()
			if l.errors(h).Within(h) && l.At(0.5).Inconclusive == 0 {
				best = min(best, w.expected(l))
			}
			return
		}
		for pass := -1; pass < n; pass++ {
			for fail := pass + 1; fail <= n+1; fail++ {
				if n == trials && fail != pass+1 {
					break
				}
				b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1] = pass, fail
				visit(n + 1)
			}
		}
	}
	visit(1)
	if plan.Expected > best*1.02 || plan.Expected < best*(1-1e-9) || plan.Bound > best*(1+1e-9) {
		t.Errorf("expected %v, bound %v; exhaustion finds %v", plan.Expected, plan.Bound, best)
	}
}

func TestWorstWeighting(t *testing.T) {
	h := Hypotheses{.9, .1, .05, .1}
	stable := optimal(t, h, OptimalOptions{MaxTrials: 152})
	worst := optimal(t, h, OptimalOptions{MaxTrials: 152, Weighting: Worst()})
	checkDesign(t, worst)
	most := func(p Plan) float64 {
		l, _ := p.Design.Boundaries.Lattice()
		return l.At(slowestRate(l, h)).ExpectedTrials
	}
	if most(worst) >= most(stable) {
		t.Errorf("at most %v trials expected, %v for the stable weighting", most(worst), most(stable))
	}
}

func TestHistoryNeverCostsErrors(t *testing.T) {
	h := Hypotheses{.9, .1, .05, .1}
	cold := optimal(t, h, OptimalOptions{MaxTrials: 152})
	for _, c := range []stats.Counts{{Passes: 19, Trials: 20}, {Passes: 95, Trials: 100}, {Passes: 10, Trials: 100}} {
		w, err := History(c)
		if err != nil {
			t.Fatal(err)
		}
		warm := optimal(t, h, OptimalOptions{MaxTrials: 152, Weighting: w})
		checkDesign(t, warm)
		if c.Passes != 95 {
			continue
		}
		l, _ := warm.Design.Boundaries.Lattice()
		k, _ := cold.Design.Boundaries.Lattice()
		if l.At(.95).ExpectedTrials >= k.At(.95).ExpectedTrials {
			t.Errorf("a right history saves nothing: %v against %v", l.At(.95).ExpectedTrials, k.At(.95).ExpectedTrials)
		}
	}
}

// The paper's warm start counts the past as evidence on the present: with 19 of 20
// in the past it passes a system at .80 nearly half of the time, and within 100
// trials it finds the regression in two cases of five only.
func TestDensityRatioBreaksItsPromise(t *testing.T) {
	h := Hypotheses{.9, .1, .05, .1}
	d, err := DensityRatio(h, stats.Counts{Passes: 19, Trials: 20}, 100)
	if err != nil {
		t.Fatal(err)
	}
	errors, err := d.Errors()
	if err != nil {
		t.Fatal(err)
	}
	if errors.Beta < 4*h.Beta {
		t.Errorf("beta is %v", errors.Beta)
	}
	// Started at 0 it is Wald's test.
	cold, _ := DensityRatio(h, stats.Counts{}, 100)
	wald, _ := Wald(h, 100)
	if fmt.Sprint(cold.Boundaries) != fmt.Sprint(wald.Boundaries) {
		t.Error("without a history the boundaries are not Wald's")
	}
}

func TestGroupDesign(t *testing.T) {
	h := Hypotheses{.9, .1, .05, .1}
	single := optimal(t, h, OptimalOptions{MaxTrials: 150})
	for _, group := range []int{5, 10, 25} {
		plan := optimal(t, h, OptimalOptions{MaxTrials: 150, Group: group})
		checkDesign(t, plan)
		if plan.Expected < single.Bound || plan.Gap > 0.05 {
			t.Errorf("groups of %d: expected %v, gap %v", group, plan.Expected, plan.Gap)
		}
		for i := range plan.Design.Boundaries.PassAtOrBelow {
			if n := i + 1; n%group != 0 && (plan.Design.Boundaries.PassAtOrBelow[i] != -1 ||
				plan.Design.Boundaries.FailAtOrAbove[i] != Never) {
				t.Errorf("groups of %d: a look after %d trials", group, n)
			}
		}
	}
}

func TestHopelessDesigns(t *testing.T) {
	for _, c := range []struct {
		h      Hypotheses
		trials int
	}{
		{Hypotheses{.9, .9, .05, .1}, 100}, {Hypotheses{.9, .95, .05, .1}, 100}, {Hypotheses{1, .1, .05, .1}, 100},
		{Hypotheses{.9, .1, .6, .4}, 100}, {Hypotheses{.9, 0, .05, .1}, 100}, {Hypotheses{.9, .1, .05, .1}, 0},
		{Hypotheses{.9, .1, .05, .1}, 30_000},
	} {
		var hypotheses *HypothesesError
		if _, err := Optimal(context.Background(), c.h, OptimalOptions{MaxTrials: c.trials}); !errors.As(err, &hypotheses) {
			t.Errorf("%+v, %d trials: %v", c.h, c.trials, err)
		}
	}
	var infeasible *InfeasibleError
	_, err := Optimal(context.Background(), Hypotheses{.9, .1, .05, .1}, OptimalOptions{MaxTrials: 10})
	if !errors.As(err, &infeasible) || infeasible.Nearest != 11 {
		t.Errorf("ten trials: %v", err)
	}
	if plan := optimal(t, Hypotheses{.9, .1, .05, .1}, OptimalOptions{MaxTrials: 11}); plan.Inconclusive == 0 {
		t.Error("eleven trials always decide")
	}
}

// Hypotheses that are far too close for the trials: points so improbable that their
// probability is 0 in a float64 must not move a boundary.
func TestCloseHypotheses(t *testing.T) {
	t.Parallel()
	plan := optimal(t, Hypotheses{.9, .001, .05, .1}, OptimalOptions{MaxTrials: thorough.Draws(250, 700)})
	checkDesign(t, plan)
	if plan.Inconclusive < 0.3 || plan.Gap > 0.01 {
		t.Errorf("inconclusive %v, gap %v", plan.Inconclusive, plan.Gap)
	}
}

func TestOptimalStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Optimal(ctx, Hypotheses{.9, .1, .05, .1},
		OptimalOptions{MaxTrials: 400, Progress: func(float64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func BenchmarkOptimal(b *testing.B) {
	for _, trials := range []int{152, 1000} {
		b.Run(fmt.Sprint(trials), func(b *testing.B) {
			for b.Loop() {
				plan := optimal(b, Hypotheses{.9, .1, .05, .1}, OptimalOptions{MaxTrials: trials})
				b.ReportMetric(plan.Objective, "trials")
			}
		})
	}
}

func BenchmarkCharacteristics(b *testing.B) {
	d, err := Wald(Hypotheses{.9, .1, .05, .1}, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Boundaries.Characteristics(0.9); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCertify(b *testing.B) {
	for _, trials := range []int{152, 1000} {
		d, err := Wald(Hypotheses{.9, .1 * math.Sqrt(152/float64(trials)), .05, .1}, trials)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(trials), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Certify(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEstimate(b *testing.B) {
	d, err := Wald(Hypotheses{.9, .1, .05, .1}, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Boundaries.Estimate(20, 0, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}
