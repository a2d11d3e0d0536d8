package sprt

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

// Clopper and Pearson's limits of 196 of 200 are [0.9496, 0.9945].
func TestFromBaseline(t *testing.T) {
	b, err := FromBaseline(stats.Counts{Passes: 196, Trials: 200}, 0.10, 0.05, 0.10, DefaultGamma)
	if err != nil {
		t.Fatal(err)
	}
	// statsmodels proportion_confint(196, 200, 0.05, "beta")
	refdata.Close(t, "threshold", b.Hypotheses.Threshold, 0.9495863909101037, 1e-9)
	refdata.Close(t, "lower rate", b.Hypotheses.Lower(), 0.9945244341204436-0.10, 1e-9)
	var notReady *NotReadyError
	_, err = FromBaseline(stats.Counts{Passes: 45, Trials: 50}, 0.10, 0.05, 0.10, DefaultGamma)
	if !errors.As(err, &notReady) || notReady.Needed <= 50 || notReady.Comfortable <= notReady.Needed {
		t.Fatalf("45 of 50: %v", err)
	}
	// The number that it names does suffice.
	n := notReady.Needed
	if _, err := FromBaseline(stats.Counts{Passes: int(math.Round(0.9 * float64(n))), Trials: n}, 0.10, 0.05, 0.10,
		DefaultGamma); err != nil {
		t.Errorf("with %d trials: %v", n, err)
	}
}

// Over baselines and tests of an unchanged system, a test fails with at most alpha
// wherever the limits hold the true rate, and they do with probability 1-gamma.
func TestStoredBaselineKeepsAlpha(t *testing.T) {
	const n, rate, delta = 300, 0.95, 0.10
	missed, covered := 0.0, 0.0
	for passes := 0; passes <= n; passes++ {
		mass := dist.Binomial{N: n, P: rate}.Prob(passes)
		if mass < 1e-6 {
			continue
		}
		b, err := FromBaseline(stats.Counts{Passes: passes, Trials: n}, delta, 0.05, 0.10, DefaultGamma)
		if err != nil {
			t.Fatalf("%d of %d: %v", passes, n, err)
		}
		if !b.Limits.Contains(rate) {
			missed += mass
			continue
		}
		covered += mass
		d, err := Wald(b.Hypotheses, 2)
		if err != nil || d.Hypotheses.Threshold > rate || d.Hypotheses.Lower() < rate-delta {
			t.Errorf("%d of %d: hypotheses %+v do not hold the true rates", passes, n, b.Hypotheses)
		}
	}
	if missed > DefaultGamma || covered < 0.9 {
		t.Errorf("limits miss the rate with probability %v, hold it with %v", missed, covered)
	}
}

func TestBaselineTrials(t *testing.T) {
	// p(1-p)(4z/delta)² = 0.09 · (4 · 1.959964 / 0.1)² = 553.2
	if _, comfortable := BaselineTrials(0.9, 0.1, 0.05); comfortable < 554 || comfortable > 620 {
		t.Errorf("comfortable %d", comfortable)
	}
	if needed, _ := BaselineTrials(math.NaN(), 0.1, 0.05); needed != 0 {
		t.Errorf("NaN needs %d", needed)
	}
}

// A confidence sequence holds at all times at once.
func TestConfidenceSequenceHoldsAtAllTimes(t *testing.T) {
	t.Parallel()
	const trials, alpha = 300, 0.05
	runs := thorough.Draws(200, 500)
	for _, p := range []float64{0.5, 0.9, 0.99} {
		r := rand.New(rand.NewPCG(11, math.Float64bits(p)))
		missed := 0
		for range runs {
			var c stats.Counts
			for range trials {
				c.Trials++
				if r.Float64() < p {
					c.Passes++
				}
				interval, err := ConfidenceSequence(c, alpha, 1, 1)
				if err != nil {
					t.Fatal(err)
				}
				if !interval.Contains(p) {
					missed++
					break
				}
			}
		}
		if share := float64(missed) / float64(runs); share > alpha+3*math.Sqrt(alpha*(1-alpha)/float64(runs)) {
			t.Errorf("at %v: missed in %v of the runs", p, share)
		}
	}
}

// With a uniform mixture and passes only, the limit solves 1/((n+1) pⁿ) = 1/alpha.
func TestConfidenceSequenceClosedForm(t *testing.T) {
	for _, n := range []int{1, 5, 50, 1000} {
		got, err := ConfidenceSequence(stats.Counts{Passes: n, Trials: n}, 0.05, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "low", got.Low, math.Pow(0.05/float64(n+1), 1/float64(n)), 1e-9)
		near(t, "high", got.High, 1, 0)
	}
	for _, bad := range []stats.Counts{{Passes: 2, Trials: 1}, {Passes: -1, Trials: 1}} {
		if _, err := ConfidenceSequence(bad, 0.05, 1, 1); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if all, err := ConfidenceSequence(stats.Counts{}, 0.05, 1, 1); err != nil || all != (stats.Interval{Low: 0, High: 1}) {
		t.Errorf("nothing observed: %v, %v", all, err)
	}
}
