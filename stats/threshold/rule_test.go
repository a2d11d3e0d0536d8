package threshold

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

func wilsonRule(threshold float64) Rule {
	return Rule{Method: stats.WilsonInterval, Alpha: 0.05, Threshold: threshold}
}

// Cutoffs and risks against the definition, outcome by outcome.
func TestThresholdRuleAgainstEnumeration(t *testing.T) {
	for _, method := range []stats.IntervalMethod{stats.WilsonInterval, stats.ClopperPearsonInterval,
		stats.AgrestiCoullInterval, stats.JeffreysInterval} {
		for _, threshold := range []float64{0.1, 0.5, 0.85, 0.99} {
			for _, n := range []int{1, 2, 10, 37, 55} {
				rule := Rule{Method: method, Alpha: 0.05, Threshold: threshold}
				cutoffs, err := rule.Cutoffs(n)
				if err != nil {
					t.Fatal(err)
				}
				var falsePass, falseFail float64
				for k := 0; k <= n; k++ {
					interval, err := method.Interval(stats.Counts{Passes: k, Trials: n}, 0.05)
					if err != nil {
						t.Fatal(err)
					}
					passes, fails := interval.Low >= threshold, interval.High < threshold
					if passes != (k >= cutoffs.Pass) || fails != (k <= cutoffs.Fail) {
						t.Errorf("%v %v n=%d: %d passes decided otherwise than by cutoffs %+v", method, threshold, n, k, cutoffs)
					}
					falsePass += indicator(passes) * refdata.ExactBinomial(n, k, threshold)
					falseFail += indicator(fails) * refdata.ExactBinomial(n, k, threshold)
				}
				// Within a trial of what is expected, unequal rates are worse.
				if m := float64(n) * (1 - threshold); float64(n-cutoffs.Fail) < m+1 {
					falseFail = worstByEnumeration(n, n-cutoffs.Fail, m)
				}
				risks, err := rule.Risks(n)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprint(method, threshold, n)
				refdata.Near(t, name+" false pass", risks.FalsePass, falsePass, 1e-12)
				refdata.Near(t, name+" false fail", risks.FalseFail, falseFail, 1e-12)
			}
		}
	}
}

// Where a tail is half of alpha, to the last bit or nearly, the cutoffs are still those that the interval decides by.
func TestCutoffsWhereATailIsTheLevel(t *testing.T) {
	for _, threshold := range []float64{0.1, 0.5, 0.8} {
		for _, n := range []int{1, 5, 12, 30} {
			for k := range n {
				for _, factor := range []float64{1 - 1e-3, 1 - 1e-9, 1 - 1e-15, 1, 1 + 1e-15, 1 + 1e-9, 1 + 1e-3} {
					d := dist.Binomial{N: n, P: threshold}
					for _, tail := range []float64{d.CDF(k), d.Survival(k)} {
						rule := Rule{Method: stats.ClopperPearsonInterval, Alpha: 2 * tail * factor, Threshold: threshold}
						cutoffs, err := rule.Cutoffs(n)
						if err != nil {
							continue // no alpha
						}
						for passes := max(k-1, 0); passes <= min(k+2, n); passes++ {
							side := rule.Decide(stats.Counts{Passes: passes, Trials: n})
							if (side > 0) != (passes >= cutoffs.Pass) || (side < 0) != (passes <= cutoffs.Fail) {
								t.Errorf("alpha %v, %v, %d of %d: %d, with cutoffs %+v", rule.Alpha, threshold, passes, n, side, cutoffs)
							}
						}
					}
				}
			}
		}
	}
}

// From any guess the first is found, and f is asked of nothing outside.
func TestFirstFromAnyGuess(t *testing.T) {
	for n := range 20 {
		for first := 0; first <= n; first++ {
			for guess := -3; guess <= n+3; guess++ {
				got := firstFrom(guess, n, func(k int) bool {
					if k < 0 || k >= n {
						t.Fatalf("asked of %d, of %d", k, n)
					}
					return k >= first
				})
				if got != first {
					t.Errorf("n %d, guess %d: %d, not %d", n, guess, got, first)
				}
			}
		}
	}
}

// Wilson's false-Fail risk at 0.99 and 55 trials is 10.5 %: two failures fail it.
// P(X <= 53) for X ~ Binomial(55, 0.99) in closed form.
func TestWilsonExceedsAlphaNearOne(t *testing.T) {
	risks, err := wilsonRule(0.99).Risks(55)
	if err != nil {
		t.Fatal(err)
	}
	closed := 1 - math.Pow(0.99, 55) - 55*0.01*math.Pow(0.99, 54)
	refdata.Near(t, "false fail", risks.FalseFail, closed, 1e-12)
	if closed < 0.10 || closed > 0.11 {
		t.Errorf("closed form is %v", closed)
	}
	exact := Rule{Method: stats.ClopperPearsonInterval, Alpha: 0.05, Threshold: 0.99}
	for n := 1; n <= 300; n++ {
		risks, err := exact.Risks(n)
		if err != nil {
			t.Fatal(err)
		}
		if risks.FalseFail > 0.025 || risks.FalsePass > 0.025 {
			t.Errorf("Clopper-Pearson at n=%d: %+v", n, risks)
		}
	}
}

// Passing all of n trials has Wilson's lower limit n/(n+z²): 35 trials for 0.9.
func TestLeastTrials(t *testing.T) {
	z := 1.959963984540054
	for _, threshold := range []float64{0.5, 0.9, 0.95, 0.999} {
		want := int(math.Ceil(threshold * z * z / (1 - threshold)))
		if got, ok := wilsonRule(threshold).LeastTrialsToPass(); !ok || got != want {
			t.Errorf("threshold %v: %d trials, want %d", threshold, got, want)
		}
	}
	if got, _ := wilsonRule(0.9).LeastTrialsToPass(); got != 35 {
		t.Errorf("at 0.9: %d, want 35", got)
	}
}

func TestMoreTrials(t *testing.T) {
	rule := wilsonRule(0.85)
	more, ok := rule.MoreTrials(stats.Counts{Passes: 45, Trials: 50}, 0.8, nil)
	if !ok {
		t.Fatal("no answer")
	}
	// By enumeration: that number reaches the chance, and none clearly smaller does.
	for m := 1; m <= more.Trials; m++ {
		chance := 0.0
		for k := 0; k <= m; k++ {
			interval, _ := stats.Wilson(stats.Counts{Passes: 45 + k, Trials: 50 + m}, 0.05)
			if interval.Low >= 0.85 || interval.High < 0.85 {
				chance += dist.Binomial{N: m, P: 0.9}.Prob(k)
			}
		}
		if float64(m) < 0.9*float64(more.Trials) && chance >= 0.8 {
			t.Fatalf("only %d more trials suffice, %d reported", m, more.Trials)
		}
		if m == more.Trials {
			refdata.Near(t, "chance", more.Chance, chance, 1e-12)
		}
	}
	// Fifteen more passes make 35 of 35, the least that passes 0.9.
	if more, ok := wilsonRule(0.9).MoreTrials(stats.Counts{Passes: 20, Trials: 20}, 0.8, nil); !ok || more.Trials != 15 ||
		more.Chance != 1 {
		t.Errorf("20/20 at 0.9: %+v, %v", more, ok)
	}
	if more, ok := wilsonRule(0.5).MoreTrials(stats.Counts{Passes: 50, Trials: 100}, 0.8, nil); ok {
		t.Errorf("a rate at the threshold is decided after %+v", more)
	}
	if more, ok := wilsonRule(0.5).MoreTrials(stats.Counts{Passes: 0, Trials: 0}, 0.8, nil); ok {
		t.Errorf("no trials at all: %+v", more)
	}
}

// At no number of trials does a guarded rule err more often than alpha: every outcome is weighed, at the threshold. The
// fewest trials that pass, or fail, are those that trying every number finds.
func TestGuardedRuleKeepsAlpha(t *testing.T) {
	for _, method := range []stats.IntervalMethod{stats.WilsonInterval, stats.AgrestiCoullInterval,
		stats.JeffreysInterval} {
		above := false
		for _, theta := range []float64{.01, .1, .5, .8, .85, .95, .99} {
			rule := Rule{Method: method, Alpha: .05, Threshold: theta, Guarded: true}
			leastPass := 0
			for n := 1; n <= 60; n++ {
				passes, fails := 0.0, 0.0
				plain := 0.0
				for k := 0; k <= n; k++ {
					counts := stats.Counts{Passes: k, Trials: n}
					mass := refdata.ExactBinomial(n, k, theta)
					switch rule.Decide(counts) {
					case 1:
						passes += mass
					case -1:
						fails += mass
					}
					if i, _ := method.Interval(counts, .05); i.High < theta {
						plain += mass
					}
				}
				if max(passes, fails) > .05+1e-12 {
					t.Errorf("%v, theta %v, n %d: %v and %v", method, theta, n, passes, fails)
				}
				above = above || plain > .05
				if leastPass == 0 && rule.Decide(stats.Counts{Passes: n, Trials: n}) > 0 {
					leastPass = n
				}
			}
			if n, ok := rule.LeastTrialsToPass(); ok && leastPass > 0 && n != leastPass {
				t.Errorf("%v, theta %v: %d trials pass, want %d", method, theta, n, leastPass)
			}
		}
		if !above {
			t.Errorf("%v needs no guard: the test says nothing", method)
		}
	}
}

func FuzzThresholdRule(f *testing.F) {
	f.Add(45, 50, 0.05, 0.85, 10, uint8(0))
	f.Fuzz(func(t *testing.T, k, n int, alpha, threshold float64, more int, method uint8) {
		rule := Rule{Method: stats.IntervalMethod(method % 5), Alpha: alpha, Threshold: threshold}
		n %= 2000
		if risks, err := rule.Risks(n); err == nil {
			if !(risks.FalsePass >= 0 && risks.FalsePass <= 1 && risks.FalseFail >= 0 && risks.FalseFail <= 1) {
				t.Fatalf("%+v n=%d: %+v", rule, n, risks)
			}
		}
		if c := (stats.Counts{Passes: k, Trials: n}); rule.Validate() == nil && checkTrials(c) == nil && more >= 0 {
			if chance := rule.decisionChance(c, more%5000, nil); !(chance >= 0 && chance <= 1) {
				t.Fatalf("%+v: chance %v", rule, chance)
			}
		}
	})
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// How long the question takes that follows most verdicts: how many more trials would decide.
func BenchmarkMoreTrials(b *testing.B) {
	for _, method := range []stats.IntervalMethod{stats.WilsonInterval, stats.ClopperPearsonInterval} {
		b.Run(fmt.Sprint(method), func(b *testing.B) {
			rule := Rule{Method: method, Alpha: 0.01, Threshold: 0.8, Guarded: true}
			for b.Loop() {
				if _, ok := rule.MoreTrials(stats.Counts{Passes: 190, Trials: 240}, 0.8, nil); !ok {
					b.Fatal("no number of trials decides")
				}
			}
		})
	}
}
