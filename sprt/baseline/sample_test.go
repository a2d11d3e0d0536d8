package baseline

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

// wald is a short sequential test, for baselines that were stopped.
func wald(t testing.TB, maxTrials int) sprt.Boundaries {
	t.Helper()
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.3, Alpha: 0.1, Beta: 0.1}, maxTrials)
	if err != nil {
		t.Fatal(err)
	}
	return d.Boundaries
}

// enumerate runs a test on every sequence of outcomes, and calls stop where it ends with
// the number of failures of the sequence and the probability at a rate.
func enumerate(b sprt.Boundaries, rate float64, stop func(o Outcome, outcome sprt.Outcome, probability float64)) {
	var visit func(n, f int, probability float64)
	visit = func(n, f int, probability float64) {
		if n > 0 {
			switch {
			case f <= b.PassAtOrBelow[n-1]:
				stop(Outcome{n, f}, sprt.Pass, probability)
				return
			case f >= b.FailAtOrAbove[n-1]:
				stop(Outcome{n, f}, sprt.Fail, probability)
				return
			case n == b.MaxTrials():
				stop(Outcome{n, f}, sprt.Inconclusive, probability)
				return
			}
		}
		visit(n+1, f, probability*rate)
		visit(n+1, f+1, probability*(1-rate))
	}
	visit(0, 0, 1)
}

// fixedBoundaries stop after so many trials and not before.
func fixedBoundaries(trials int) sprt.Boundaries {
	b := sprt.Boundaries{PassAtOrBelow: make([]int, trials), FailAtOrAbove: make([]int, trials)}
	for i := range trials {
		b.PassAtOrBelow[i], b.FailAtOrAbove[i] = -1, sprt.Never
	}
	return b
}

func TestSamplesAreThoseOfEnumeration(t *testing.T) {
	t.Parallel()
	stopped := wald(t, 12)
	fixed, err := Fixed(7)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := Sequential(stopped)
	if err != nil {
		t.Fatal(err)
	}
	pooled, err := Pooled(fixed, sequential, fixed)
	if err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{0, 0.2, 0.5, 0.93, 1} {
		want := map[string]map[Outcome]float64{"fixed": {}, "sequential": {}, "pooled": {}}
		enumerate(fixedBoundaries(7), rate, func(o Outcome, _ sprt.Outcome, x float64) {
			want["fixed"][o] += x
		})
		enumerate(stopped, rate, func(o Outcome, _ sprt.Outcome, x float64) {
			want["sequential"][o] += x
		})
		for a, x := range want["fixed"] {
			for b, y := range want["sequential"] {
				for c, z := range want["fixed"] {
					want["pooled"][Outcome{a.Trials + b.Trials + c.Trials, a.Failures + b.Failures + c.Failures}] += x * y * z
				}
			}
		}
		for name, s := range map[string]Sample{"fixed": fixed, "sequential": sequential, "pooled": pooled} {
			for _, o := range s.Outcomes() {
				if got := s.Probability(o, rate); math.Abs(got-want[name][o]) > 1e-12 {
					t.Errorf("%s at %v: P(%v) = %v, by enumeration %v", name, rate, o, got, want[name][o])
				}
			}
			if got, all := len(s.Outcomes()), len(want[name]); got != all {
				t.Errorf("%s has %d outcomes, by enumeration %d", name, got, all)
			}
		}
	}
}

// A guard covers the rate with at least 1-gamma, whatever the rate.
func TestGuardCovers(t *testing.T) {
	t.Parallel()
	const gamma = 0.05
	fixed, _ := Fixed(6)
	sequential, _ := Sequential(wald(t, 10))
	pooled, _ := Pooled(sequential, fixed)
	for name, s := range map[string]Sample{"fixed": fixed, "sequential": sequential, "pooled": pooled} {
		for i := 1; i < 12; i++ {
			rate := float64(i) / 12
			missed := 0.0
			for _, o := range s.Outcomes() {
				interval, err := s.Guard(o, gamma)
				if err != nil {
					t.Fatal(err)
				}
				if rate < interval.Low || rate > interval.High {
					missed += s.Probability(o, rate)
				}
			}
			if missed > gamma+1e-9 {
				t.Errorf("%s: the guard misses the rate %v with probability %v", name, rate, missed)
			}
		}
	}
}

func TestSamplesRefuse(t *testing.T) {
	t.Parallel()
	if _, err := Fixed(0); err == nil {
		t.Error("a sample of no trials was taken")
	}
	if _, err := Fixed(mostBaseline + 1); err == nil {
		t.Error("a sample of too many trials was taken")
	}
	if _, err := Pooled(); err == nil {
		t.Error("no samples were pooled")
	}
	if _, err := Sequential(sprt.Boundaries{}); err == nil {
		t.Error("a run without boundaries was taken")
	}
	s, _ := Fixed(5)
	if _, err := s.Guard(Outcome{6, 0}, 0.01); err == nil {
		t.Error("an outcome that cannot be was guarded")
	}
	if _, err := s.Guard(Outcome{5, 0}, 0); err == nil {
		t.Error("gamma 0 was taken")
	}
	if p := s.Probability(Outcome{5, 1}, 1.5); !math.IsNaN(p) {
		t.Errorf("the probability at a rate of 1.5 is %v", p)
	}
	if p := s.Probability(Outcome{6, 1}, 0.5); p != 0 {
		t.Errorf("the probability of an outcome that cannot be is %v", p)
	}
}
