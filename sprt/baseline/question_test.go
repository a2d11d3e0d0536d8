package baseline

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestAgainstAGivenGuardIsStored(t *testing.T) {
	t.Parallel()
	s, err := Fixed(12)
	if err != nil {
		t.Fatal(err)
	}
	h := small()
	q := Question{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta, Guard: h.Guarded.Low}
	plan, err := Against(t.Context(), q, s, Outcome{12, 1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := smallPlan(t).Family.Digest(); plan.Family.Digest() != want {
		t.Errorf("the family is %s, want %s", plan.Family.Digest(), want)
	}
	if plan.Family.Gamma() != 0 {
		t.Errorf("a guard that was given is missed with probability %v", plan.Family.Gamma())
	}
}

func TestAgainstRefuses(t *testing.T) {
	t.Parallel()
	s, err := Fixed(12)
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Delta: 0.4, Alpha: 0.15, Beta: 0.2, Guard: 0.75}
	for name, o := range map[string]Outcome{"no outcome": {12, 13}, "other trials": {11, 0}, "none": {}} {
		_, err := Against(t.Context(), q, s, o, Options{})
		if _, ok := errors.AsType[*OutcomeError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = Against(t.Context(), q, Sample{}, Outcome{12, 0}, Options{})
	if _, ok := errors.AsType[*HypothesesError](err); !ok {
		t.Errorf("no sample: %v", err)
	}
	q.Guard = 0.999
	_, err = Against(t.Context(), q, s, Outcome{12, 9}, Options{})
	if e, ok := errors.AsType[*OutcomeError](err); !ok || e.Guarded.Low != q.Guard {
		t.Errorf("an outcome far below the guard: %v", err)
	}
	q = Question{Delta: 0.4, Alpha: 0.15, Beta: 0.2, Gamma: 1.5}
	_, err = Against(t.Context(), q, s, Outcome{12, 0}, Options{})
	if _, ok := errors.AsType[*HypothesesError](err); !ok {
		t.Errorf("gamma 1.5: %v", err)
	}
}

// A baseline that is too small is told by the trials that it had, and by about how many would do.
func TestAgainstASmallBaselineSaysWhatItTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	fixed, err := Fixed(10)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := Sequential(wald(t, 40))
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Delta: 0.3, Alpha: 0.05, Beta: 0.1}
	// The shortest run without a failure; that with failures alone cannot drop at all.
	all := stopped.Outcomes()
	failed, shortest := all[0], all[slices.IndexFunc(all, func(o Outcome) bool { return o.Failures == 0 })]
	_, err = Against(t.Context(), q, stopped, failed, Options{})
	if e, ok := errors.AsType[*HypothesesError](err); !ok || e.Name != "delta" {
		t.Errorf("a baseline without a pass: %v", err)
	}
	for name, x := range map[string]struct {
		sample  Sample
		outcome Outcome
	}{"fixed": {fixed, Outcome{10, 1}}, "stopped": {stopped, shortest}} {
		_, err := Against(t.Context(), q, x.sample, x.outcome, Options{})
		small, ok := errors.AsType[*TooSmallError](err)
		if !ok || small.Trials != x.outcome.Trials || small.Needed < 15 || small.Needed > 200 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// So many do.
		enough, err := Fixed(small.Needed)
		if err != nil {
			t.Fatal(err)
		}
		usual := usualOutcome(small.Needed, shareOf(x.outcome))
		if _, err := Against(t.Context(), q, enough, usual, Options{}); err != nil {
			t.Errorf("%s: with %d trials: %v", name, small.Needed, err)
		}
	}
}

// Tiers depend on the size of the baseline and the drop alone; each holds the one before, the last every rate that can
// drop by delta.
func TestTiersWiden(t *testing.T) {
	t.Parallel()
	for _, trials := range []int{1, 10, 100, 300, 1000, 100_000} {
		for _, delta := range []float64{0.01, 0.05, 0.1, 0.15, 0.2, 0.5, 0.9} {
			s, err := Fixed(trials)
			if err != nil {
				t.Fatal(err)
			}
			guards, first := guardsOf(s, delta, DefaultGamma)
			for i, low := range guards {
				if low <= delta || low >= 1 || i > 0 && low >= guards[i-1] {
					t.Errorf("%d trials, delta %v: the guards are %v", trials, delta, guards)
				}
			}
			if len(guards) == 0 {
				continue
			}
			if last := guards[len(guards)-1]; first >= len(guards) || last > delta*1.2+0.1 || len(guards) > mostTiers {
				t.Errorf("%d trials, delta %v: the guards are %v, first %d", trials, delta, guards, first)
			}
		}
	}
	s, err := Fixed(300)
	if err != nil {
		t.Fatal(err)
	}
	// At .86128 so many passes or more, 285 of 300, have probability 5e-7: the binomial sum in whole numbers of Python.
	if guards, first := guardsOf(s, 0.1, DefaultGamma); guards[first] != 0.86 {
		t.Errorf("the guards are %v, first %d", guards, first)
	}
}

// The chance that a guarded range misses is lost in the digits of the errors, also of small ones: a part of an alpha
// that many tests share.
func TestGammaOfSmallErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	for alpha, want := range map[float64]float64{0.05: DefaultGamma, 1e-4: DefaultGamma, 1e-6: 1e-8} {
		if got := (Question{Delta: 0.3, Alpha: alpha, Beta: 0.1}).gamma(); math.Abs(got-want) > 1e-18 {
			t.Errorf("alpha %v: gamma %v, want %v", alpha, got, want)
		}
	}
	trials, delta := 300, 0.3
	if !thorough.Asked() {
		trials, delta = 90, 0.6
	}
	sample, err := Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Against(t.Context(), Question{Delta: delta, Alpha: 1e-6, Beta: 0.1}, sample,
		Outcome{Trials: trials, Failures: trials / 20}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := plan.Family.Errors().Plus(plan.Family.Gamma()); e.Alpha > 1e-6 || e.Beta > 0.1 {
		t.Errorf("%+v", e)
	}
}
