package sprt

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// jointByHand judges marks by the definition: every test by itself, and the first Fail,
// or the last end, decides.
func jointByHand(list []Boundaries, marks []trial.Outcome) (o Outcome, trials int) {
	for n := 0; n <= len(marks); n++ {
		failed, open, passed := false, false, true
		for _, b := range list {
			x, _ := byHand(b, marks[:n])
			failed = failed || x == Fail
			open = open || x == Undecided
			passed = passed && x == Pass
		}
		switch {
		case failed:
			return Fail, n
		case !open && passed:
			return Pass, n
		case !open:
			return Inconclusive, n
		}
	}
	return Undecided, len(marks)
}

// Whatever the order in which trials end, the joint test is that of the definition, and no
// launch was wasted that WasteFree allowed.
func TestJointTestByDefinition(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		list := []Boundaries{someBoundaries(t), someBoundaries(t)}
		most := max(list[0].MaxTrials(), list[1].MaxTrials())
		kinds := []trial.Outcome{trial.Pass, trial.Pass, trial.Fail, trial.Error}
		marks := rapid.SliceOfN(rapid.SampledFrom(kinds), most, most).Draw(t, "marks")
		var tests []TrialTest
		for _, b := range list {
			r, err := NewRobustTest(Design{Boundaries: b})
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, r)
		}
		j, err := NewJointTest(tests...)
		if err != nil {
			t.Fatal(err)
		}
		want, trials := jointByHand(list, marks)
		launched, flying := 0, []int{}
		for !j.Decided() {
			for launched-j.Trials() < j.WasteFree() {
				flying = append(flying, launched)
				launched++
			}
			i := rapid.IntRange(0, len(flying)-1).Draw(t, "ends")
			if err := j.Observe(flying[i], marks[flying[i]]); err != nil {
				t.Fatal(err)
			}
			flying = append(flying[:i], flying[i+1:]...)
		}
		if j.Outcome() != want || j.Trials() != trials || launched != trials {
			t.Fatalf("%v after %d of %d launched, want %v after %d", j.Outcome(), j.Trials(), launched, want, trials)
		}
		failures, errs := 0, 0
		for _, m := range marks[:trials] {
			switch m {
			case trial.Fail:
				failures++
			case trial.Error:
				errs++
			}
		}
		if j.Failures() != failures || j.Errors() != errs || j.WasteFree() != 0 {
			t.Fatalf("%d failures, %d errors, want %d and %d", j.Failures(), j.Errors(), failures, errs)
		}
		for i, b := range list {
			if o, _ := byHand(b, marks[:trials]); j.Ended(i) != o {
				t.Fatalf("test %d stood at %v, want %v", i, j.Ended(i), o)
			}
		}
	})
}

func TestJointTestRefuses(t *testing.T) {
	if _, err := NewJointTest(); err == nil {
		t.Error("no tests were taken")
	}
	r, err := NewRobustTest(Design{Boundaries: open(5)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJointTest(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Observe(0, trial.Pass), j.Observe(0, trial.Pass)); err != nil {
		t.Error(err)
	}
	if err := j.Observe(0, trial.Fail); !errors.Is(err, ErrObserved) {
		t.Error(err)
	}
	if _, err := NewJointTest(r); err == nil {
		t.Error("a test that has judged trials was taken")
	}
}
