package baseline

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

var (
	_ sprt.TrialTest = (*sprt.RobustTest)(nil)
	_ sprt.TrialTest = (*RoundsTest)(nil)
	_ sprt.TrialTest = (*CandidateTest)(nil)
)

// endedByHand goes through every way to read the errors of both sides of the rounds: those
// that speak most against a drop, and most for it.
func endedByHand(r *Rounds, marks []trial.Outcome) (o sprt.Outcome, rounds int) {
	ends := func(baselineError, candidateError bool) (sprt.Outcome, int) {
		x, y := 0, 0
		for n := 1; n <= len(marks)/2; n++ {
			base, candidate := marks[2*n-2], marks[2*n-1]
			failedBase := base == trial.Fail || base == trial.Error && baselineError
			failedCandidate := candidate == trial.Fail || candidate == trial.Error && candidateError
			switch {
			case r.Matched() && failedBase == failedCandidate:
			case failedBase && failedCandidate:
				x, y = x+1, y+1
			case failedBase:
				x++
			case failedCandidate:
				y++
			}
			if o := r.Outcome(n, x, y); o != sprt.Undecided {
				return o, n
			}
		}
		return sprt.Undecided, len(marks)
	}
	low, atLow := ends(false, true)
	high, atHigh := ends(true, false)
	switch {
	case low == sprt.Pass && (high != sprt.Fail || atLow <= atHigh):
		return sprt.Pass, atLow
	case high == sprt.Fail:
		return sprt.Fail, atHigh
	case low != sprt.Undecided && high != sprt.Undecided:
		return sprt.Inconclusive, max(atLow, atHigh)
	}
	return sprt.Undecided, len(marks) / 2
}

// Whatever the order in which trials end, a test in rounds is that of the definition, and
// no launch was wasted that WasteFree allowed.
func TestRoundsTestByDefinition(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*Rounds{"side by side": smallRounds(t).Test, "matched": smallMatched(t).Test} {
		ended := map[sprt.Outcome]int{}
		for seed := range uint64(3000) {
			random := rand.New(rand.NewPCG(seed, 7))
			wrong := []float64{random.Float64(), random.Float64(), random.Float64() * 0.4} // failures of both sides, errors
			marks := make([]trial.Outcome, 2*r.MaxRounds())
			for i := range marks {
				switch {
				case random.Float64() < wrong[2]:
					marks[i] = trial.Error
				case random.Float64() < wrong[i%2]:
					marks[i] = trial.Fail
				default:
					marks[i] = trial.Pass
				}
			}
			want, rounds := endedByHand(r, marks)
			test := NewRoundsTest(r)
			launched, flying := 0, []int{}
			for !test.Decided() {
				for launched-test.Trials() < test.WasteFree() {
					flying = append(flying, launched)
					launched++
				}
				if len(flying) == 0 {
					t.Fatalf("%s: nothing may be launched after %d rounds", name, test.Rounds())
				}
				i := random.IntN(len(flying))
				if err := test.Observe(flying[i], marks[flying[i]]); err != nil {
					t.Fatal(err)
				}
				flying = append(flying[:i], flying[i+1:]...)
			}
			if test.Outcome() != want || test.Rounds() != rounds || launched != 2*rounds || test.WasteFree() != 0 {
				t.Fatalf("%s: %v after %d rounds with %d launched, want %v after %d",
					name, test.Outcome(), test.Rounds(), launched, want, rounds)
			}
			ended[want]++
			counts := [2]SideCounts{}
			for i, m := range marks[:2*rounds] {
				counts[i%2].Trials++
				switch m {
				case trial.Fail:
					counts[i%2].Failures++
				case trial.Error:
					counts[i%2].Errors++
				}
			}
			if test.Side(BaselineSide) != counts[0] || test.Side(CandidateSide) != counts[1] ||
				test.Failures() != counts[0].Failures+counts[1].Failures ||
				test.Errors() != counts[0].Errors+counts[1].Errors || test.Trials() != 2*rounds {
				t.Fatalf("%s: counted %+v, want %+v", name, test.sides, counts)
			}
			// Where it ended is an end of the test, but beyond the lattice.
			n, x, y := test.Deciding()
			if _, err := r.place(n, x, y); err != nil && want != sprt.Inconclusive {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, o := range []sprt.Outcome{sprt.Pass, sprt.Fail, sprt.Inconclusive} {
			if ended[o] == 0 {
				t.Errorf("%s: no test ended with %v", name, o)
			}
		}
	}
}

// Tests side by side that are planned have stop points in order, so that no error raises
// their error rates. Of matched pairs many discordant ones alone leave a test open for longer.
func TestPlannedRoundsAreOrdered(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.8, High: 1}}
	larger, err := SideBySide(t.Context(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Rounds{"small": smallRounds(t).Test, "larger": larger.Test} {
		if !r.Ordered() {
			t.Errorf("%s: the stop points are not in order", name)
		}
	}
	if smallMatched(t).Test.Ordered() {
		t.Error("a test of matched pairs passes with no pair fixed, and continues three: that is not in order")
	}
}

// A threshold of the candidate beside a test in rounds: both judge the same rounds, in
// whatever order the trials end.
func TestCandidateTestBesideRounds(t *testing.T) {
	t.Parallel()
	r := smallRounds(t).Test
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.1, Beta: 0.1}, r.MaxRounds())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 9))
		rate := random.Float64()
		var marks []trial.Outcome
		for range 2 * r.MaxRounds() {
			marks = append(marks, []trial.Outcome{trial.Pass, trial.Fail}[map[bool]int{true: 1}[random.Float64() > rate]])
		}
		robust, err := sprt.NewRobustTest(design)
		if err != nil {
			t.Fatal(err)
		}
		joint, err := sprt.NewJointTest(NewRoundsTest(r), NewCandidateTest(robust))
		if err != nil {
			t.Fatal(err)
		}
		// By hand: the candidate's trials alone.
		plain, err := sprt.NewTest(design)
		if err != nil {
			t.Fatal(err)
		}
		ended, rounds := endedByHand(r, marks)
		for i := 0; i < r.MaxRounds() && !plain.Decided(); i++ {
			if err := plain.Observe(i, marks[2*i+1] == trial.Pass); err != nil {
				t.Fatal(err)
			}
		}
		want, at := sprt.Inconclusive, max(rounds, plain.Trials())
		switch {
		case ended == sprt.Fail && plain.Outcome() == sprt.Fail:
			want, at = sprt.Fail, min(rounds, plain.Trials())
		case ended == sprt.Fail:
			want, at = sprt.Fail, rounds
		case plain.Outcome() == sprt.Fail:
			want, at = sprt.Fail, plain.Trials()
		case ended == sprt.Pass && plain.Outcome() == sprt.Pass:
			want = sprt.Pass
		}
		launched, flying := 0, []int{}
		for !joint.Decided() {
			for launched-joint.Trials() < joint.WasteFree() {
				flying = append(flying, launched)
				launched++
			}
			i := random.IntN(len(flying))
			if err := joint.Observe(flying[i], marks[flying[i]]); err != nil {
				t.Fatal(err)
			}
			flying = append(flying[:i], flying[i+1:]...)
		}
		if joint.Outcome() != want || joint.Trials() != 2*at || launched != 2*at {
			t.Fatalf("%v after %d trials, %d launched; want %v after %d rounds",
				joint.Outcome(), joint.Trials(), launched, want, at)
		}
	}
}

func TestRoundsTestRefuses(t *testing.T) {
	t.Parallel()
	r := smallRounds(t).Test
	for name, test := range map[string]sprt.TrialTest{
		"rounds": NewRoundsTest(r), "candidate": NewCandidateTest(NewRoundsTest(r)),
	} {
		if test.Observe(-1, trial.Pass) == nil || test.Observe(0, 9) == nil || test.Observe(1<<30, trial.Pass) == nil {
			t.Errorf("%s: a place or an outcome that is none was taken", name)
		}
		if err := errors.Join(test.Observe(1, trial.Pass), test.Observe(1, trial.Pass)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := test.Observe(1, trial.Fail); !errors.Is(err, sprt.ErrObserved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
