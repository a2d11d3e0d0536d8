package sprt

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// byHand judges marks by the definition: the boundaries, applied twice.
func byHand(b Boundaries, marks []trial.Outcome) (o Outcome, trials int) {
	low, high := Undecided, Undecided
	failures, errs := 0, 0
	for i, m := range marks {
		switch m {
		case trial.Fail:
			failures++
		case trial.Error:
			errs++
		}
		if low == Undecided {
			low = b.at(i+1, failures+errs)
		}
		if high == Undecided {
			high = b.at(i+1, failures)
		}
		switch {
		case low == Pass:
			return Pass, i + 1
		case high == Fail:
			return Fail, i + 1
		case low != Undecided && high != Undecided:
			return Inconclusive, i + 1
		}
	}
	return Undecided, len(marks)
}

// someBoundaries draws boundaries that need not be of any good.
func someBoundaries(t *rapid.T) Boundaries {
	n := rapid.IntRange(1, 12).Draw(t, "max trials")
	b := open(n)
	for i := range n {
		b.PassAtOrBelow[i] = rapid.IntRange(-1, i).Draw(t, "pass")
		b.FailAtOrAbove[i] = rapid.IntRange(b.PassAtOrBelow[i]+1, i+3).Draw(t, "fail")
	}
	return b
}

// Whatever the order in which trials end, the test is that of the definition, and no
// launch was wasted that WasteFree allowed.
func TestRobustTestByDefinition(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		b := someBoundaries(t)
		marks := rapid.SliceOfN(rapid.SampledFrom([]trial.Outcome{trial.Pass, trial.Fail, trial.Error}), b.MaxTrials(),
			b.MaxTrials()).Draw(t, "marks")
		r, err := NewRobustTest(Design{Boundaries: b})
		if err != nil {
			t.Fatal(err)
		}
		want, trials := byHand(b, marks)
		launched, flying := 0, []int{}
		for !r.Decided() {
			for launched-r.Trials() < r.WasteFree() {
				flying = append(flying, launched)
				launched++
			}
			if len(flying) == 0 {
				t.Fatalf("nothing may be launched after %d trials", r.Trials())
			}
			i := rapid.IntRange(0, len(flying)-1).Draw(t, "ends")
			if err := r.Observe(flying[i], marks[flying[i]]); err != nil {
				t.Fatal(err)
			}
			flying = append(flying[:i], flying[i+1:]...)
		}
		if r.Outcome() != want || r.Trials() != trials {
			t.Fatalf("%v after %d, want %v after %d", r.Outcome(), r.Trials(), want, trials)
		}
		if launched != trials {
			t.Fatalf("%d launched for %d trials", launched, trials)
		}
		if r.WasteFree() != 0 {
			t.Fatal("more is needed after the end")
		}
	})
}

// Under errors of any share, also when only failures, or only passes, turn into them,
// neither error rate exceeds the design's. Exact: all sequences of marks are weighed.
func TestRobustTestKeepsErrorRates(t *testing.T) {
	p, err := Optimal(t.Context(), Hypotheses{Threshold: .8, Delta: .5, Alpha: .1, Beta: .1},
		OptimalOptions{MaxTrials: 10})
	if err != nil {
		t.Fatal(err)
	}
	exact, err := p.Design.Errors()
	if err != nil {
		t.Fatal(err)
	}
	b := p.Design.Boundaries
	// shares of passes and of failures that end in errors
	for _, hidden := range [][2]float64{{0, 0}, {.3, 0}, {0, .3}, {.2, .2}, {0, 1}} {
		for _, rate := range []float64{.8, .3} {
			weights := map[trial.Outcome]float64{trial.Pass: rate * (1 - hidden[0]), trial.Fail: (1 - rate) * (1 - hidden[1])}
			weights[trial.Error] = 1 - weights[trial.Pass] - weights[trial.Fail]
			got := enumerate(b, weights, nil)
			if rate == .8 && got[Fail] > exact.Alpha+1e-12 || rate == .3 && got[Pass] > exact.Beta+1e-12 {
				t.Errorf("hidden %v, rate %v: %v, exact %+v", hidden, rate, got, exact)
			}
			if sum := got[Pass] + got[Fail] + got[Inconclusive]; math.Abs(sum-1) > 1e-9 {
				t.Errorf("probabilities sum to %v", sum)
			}
			if hidden == [2]float64{} &&
				math.Abs(map[bool]float64{true: got[Fail] - exact.Alpha, false: got[Pass] - exact.Beta}[rate == .8]) > 1e-9 {
				t.Errorf("without errors: %v, exact %+v", got, exact)
			}
		}
	}
}

func enumerate(b Boundaries, weights map[trial.Outcome]float64, marks []trial.Outcome) map[Outcome]float64 {
	if o, _ := byHand(b, marks); o != Undecided {
		return map[Outcome]float64{o: 1}
	}
	total := map[Outcome]float64{}
	for m, w := range weights {
		if w > 0 {
			for o, p := range enumerate(b, weights, append(marks[:len(marks):len(marks)], m)) {
				total[o] += w * p
			}
		}
	}
	return total
}

func TestRobustTestRefuses(t *testing.T) {
	r, err := NewRobustTest(Design{Boundaries: open(5)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Observe(0, 9) == nil || r.Observe(-1, trial.Pass) == nil {
		t.Error("an outcome that is none, or a number that is none")
	}
	if err := errors.Join(r.Observe(1, trial.Pass), r.Observe(1, trial.Pass)); err != nil {
		t.Error(err)
	}
	if err := r.Observe(1, trial.Error); !errors.Is(err, ErrObserved) {
		t.Error(err)
	}
	if err := errors.Join(r.Observe(0, trial.Unjudged), r.Observe(0, trial.Error)); err != nil || r.Errors() != 1 {
		t.Errorf("a trial without an outcome is no error: %d, %v", r.Errors(), err)
	}
	if _, err := NewRobustTest(Design{}); err == nil {
		t.Error("a design without boundaries")
	}
}
