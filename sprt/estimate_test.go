package sprt

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func estimatedDesigns(t *testing.T) map[string]Design {
	t.Helper()
	wald, err := Wald(usual, 200)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Design{
		"optimal": usualDesign(t),
		"wald":    wald,
		"small":   optimal(t, Hypotheses{.8, .3, .1, .1}, OptimalOptions{MaxTrials: 30}).Design,
	}
}

// Coverage of the stage-wise intervals, over all ends of the tests, exactly.
func TestIntervalsCover(t *testing.T) {
	for name, d := range estimatedDesigns(t) {
		l, err := d.Boundaries.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		estimates := make([]Estimates, len(l.stops))
		for i, s := range l.stops {
			if estimates[i], err = d.Boundaries.Estimate(s.trials, s.failures, 0.05); err != nil {
				t.Fatal(err)
			}
		}
		for step := 0; step <= 200; step++ {
			p := float64(step) / 200
			covered, low, high, mean, largest := 0.0, 0.0, 0.0, 0.0, 0.0
			for i, s := range l.stops {
				mass := s.probability(p)
				if estimates[i].Interval.Contains(p) {
					covered += mass
				}
				if estimates[i].MedianUnbiased < p-1e-9 {
					low += mass
				}
				if estimates[i].MedianUnbiased > p+1e-9 {
					high += mass
				}
				mean += mass * estimates[i].Unbiased
				largest = max(largest, mass)
			}
			if covered < 0.95-1e-9 {
				t.Errorf("%s at %v: coverage %v", name, p, covered)
			}
			// As often too low as too high, up to the probability of one end.
			if low > 0.5+largest || high > 0.5+largest {
				t.Errorf("%s at %v: the median estimate is too low in %v, too high in %v", name, p, low, high)
			}
			near(t, fmt.Sprint(name, ": mean of the unbiased estimate at ", p), mean, p, 1e-9)
		}
	}
}

func TestDecisionLimitAgreesWithTheVerdict(t *testing.T) {
	for name, d := range estimatedDesigns(t) {
		l, _ := d.Boundaries.Lattice()
		for _, s := range l.stops {
			limit, level, err := d.DecisionLimit(s.trials, s.failures)
			if err != nil {
				t.Fatal(err)
			}
			if below := limit < d.Hypotheses.Threshold; below != (s.outcome == Fail) {
				t.Errorf("%s: %v after %d trials, %d failures, upper limit %v at %v", name, s.outcome, s.trials, s.failures, limit,
					level)
			}
		}
	}
}

// A test of a fixed number of trials has Clopper and Pearson's interval, and the
// share of passes is unbiased.
func TestFixedSampleEstimates(t *testing.T) {
	b := open(20)
	b.PassAtOrBelow[19], b.FailAtOrAbove[19] = 3, 4
	got, err := b.Estimate(20, 2, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// statsmodels proportion_confint(18, 20, 0.05, "beta")
	refdata.Close(t, "low", got.Interval.Low, 0.6830172859809177, 1e-8)
	refdata.Close(t, "high", got.Interval.High, 0.9876514728297052, 1e-8)
	refdata.Close(t, "unbiased", got.Unbiased, 0.9, 1e-12)
	refdata.Close(t, "naive", got.Naive, 0.9, 1e-12)
}

func TestEstimateWhereNoTestEnds(t *testing.T) {
	b := usualDesign(t).Boundaries
	for _, c := range [][2]int{{0, 0}, {1, 0}, {15, 20}, {500, 1}, {-3, 0}} {
		if e, err := b.Estimate(c[0], c[1], 0.05); err == nil {
			t.Errorf("%v gives %+v", c, e)
		}
	}
	for _, alpha := range []float64{0, 1, math.NaN()} {
		if _, err := b.Estimate(15, 0, alpha); err == nil {
			t.Errorf("alpha %v is accepted", alpha)
		}
	}
}

// The estimate of pass^k is unbiased: over all ends of a test, weighed with their
// probabilities, it is p^k.
func TestPassHatKIsUnbiased(t *testing.T) {
	p, err := Optimal(t.Context(), Hypotheses{Threshold: .9, Delta: .2, Alpha: .05, Beta: .1},
		OptimalOptions{MaxTrials: 40})
	if err != nil {
		t.Fatal(err)
	}
	b := p.Design.Boundaries
	l, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{1, .95, .7, .3} {
		for k := 1; ; k++ {
			mean := 0.0
			for _, s := range l.stops {
				hat, err := b.PassHatK(s.trials, s.failures, k)
				if err != nil {
					if k <= 3 {
						t.Fatal(err)
					}
					mean = -1
					break
				}
				mean += hat * s.probability(rate)
			}
			if mean < 0 {
				break
			}
			if want := math.Pow(rate, float64(k)); math.Abs(mean-want) > 1e-9 {
				t.Errorf("rate %v, k %d: %v, want %v", rate, k, mean, want)
			}
		}
	}
	for _, k := range []int{0, 41} {
		if _, err := b.PassHatK(l.stops[0].trials, l.stops[0].failures, k); err == nil {
			t.Errorf("k %d", k)
		}
	}
	if _, err := b.PassHatK(1, 0, 1); err == nil {
		t.Error("the test cannot end there")
	}
}

// Over all ends, the p-values of both sides are at most a level no more often than the
// level says, at their own rate; and a test that looks once has those of the binomial.
func TestTails(t *testing.T) {
	p, err := Optimal(t.Context(), Hypotheses{Threshold: .9, Delta: .2, Alpha: .05, Beta: .1},
		OptimalOptions{MaxTrials: 40})
	if err != nil {
		t.Fatal(err)
	}
	b := p.Design.Boundaries
	l, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{.95, .9, .8, .5} {
		for _, level := range []float64{.01, .05, .2, .5} {
			low, high := 0.0, 0.0
			for _, s := range l.stops {
				atMost, atLeast, err := b.Tails(s.trials, s.failures, rate)
				if err != nil || atMost+atLeast < 1-1e-9 {
					t.Fatal(atMost, atLeast, err)
				}
				if atMost <= level {
					low += s.probability(rate)
				}
				if atLeast <= level {
					high += s.probability(rate)
				}
			}
			if low > level+1e-9 || high > level+1e-9 {
				t.Errorf("rate %v, level %v: %v and %v", rate, level, low, high)
			}
		}
	}
	once, err := Fixed(Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}, 50)
	if err != nil {
		t.Fatal(err)
	}
	atMost, atLeast, err := once.Boundaries.Tails(50, 7, .9)
	// SciPy: binom.cdf(43, 50, .9) and binom.sf(42, 50, .9)
	if err != nil || math.Abs(atMost-0.22977) > 5e-6 || math.Abs(atLeast-0.87785) > 5e-6 {
		t.Errorf("%v, %v, %v", atMost, atLeast, err)
	}
	if _, _, err := b.Tails(1, 0, .9); err == nil {
		t.Error("the test cannot end there")
	}
	if _, _, err := b.Tails(l.stops[0].trials, l.stops[0].failures, 1.5); err == nil {
		t.Error("no rate")
	}
}
