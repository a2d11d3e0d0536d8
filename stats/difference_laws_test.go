package stats

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// twoSidedArgs are the arguments of the reference rows with two sides.
type twoSidedArgs struct {
	BaselinePasses  int `json:"baseline_passes"`
	BaselineTrials  int `json:"baseline_trials"`
	CandidatePasses int `json:"candidate_passes"`
	CandidateTrials int `json:"candidate_trials"`
}

func (a twoSidedArgs) baseline() Counts  { return Counts{a.BaselinePasses, a.BaselineTrials} }
func (a twoSidedArgs) candidate() Counts { return Counts{a.CandidatePasses, a.CandidateTrials} }

type limits struct{ Low, High float64 }

type differenceInterval func(baseline, candidate Counts, alpha float64) (Interval, error)

// checkDifferenceInterval checks the laws of every interval of candidate minus
// baseline.
func checkDifferenceInterval(t *testing.T, interval differenceInterval) {
	thorough.Check(t, func(t *rapid.T) {
		baseline, candidate := drawCounts(t, "baseline", 3000), drawCounts(t, "candidate", 3000)
		alpha := rapid.Float64Range(1e-6, 0.6).Draw(t, "alpha")
		must := func(baseline, candidate Counts, alpha float64) Interval {
			got, err := interval(baseline, candidate, alpha)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		same := func(law string, got, want Interval) {
			if math.Abs(got.Low-want.Low) > 1e-11 || math.Abs(got.High-want.High) > 1e-11 {
				t.Fatalf("%s: got %v, want %v", law, got, want)
			}
		}
		got := must(baseline, candidate, alpha)
		if !(got.Low >= -1 && got.High <= 1 && got.Contains(candidate.Rate()-baseline.Rate())) {
			t.Fatalf("%v leaves -1..1 or misses the estimate", got)
		}
		swapped := must(candidate, baseline, alpha)
		same("swapped sides", Interval{-swapped.High, -swapped.Low}, got)
		failed := must(Counts{baseline.Fails(), baseline.Trials}, Counts{candidate.Fails(), candidate.Trials}, alpha)
		same("passes for failures", Interval{-failed.High, -failed.Low}, got)

		surer := must(baseline, candidate, alpha/2)
		if surer.Low > got.Low || surer.High < got.High {
			t.Fatalf("level 1-%v gives %v within %v", alpha/2, surer, got)
		}
		times := rapid.IntRange(2, 50).Draw(t, "times")
		more := must(Counts{baseline.Passes * times, baseline.Trials * times},
			Counts{candidate.Passes * times, candidate.Trials * times}, alpha)
		if more.Width() >= got.Width() {
			t.Fatalf("%d times the trials: %v is no narrower than %v", times, more, got)
		}
		if candidate.Fails() > 0 {
			better := must(baseline, Counts{candidate.Passes + 1, candidate.Trials}, alpha)
			if better.Low < got.Low || better.High < got.High {
				t.Fatalf("one more pass lowers %v to %v", got, better)
			}
		}
	})
}

func checkDifferenceRefusals(t *testing.T, interval differenceInterval) {
	good := Counts{3, 4}
	for _, test := range []struct {
		name                string
		baseline, candidate Counts
		alpha               float64
		argument            string
	}{
		{"no baseline trials", Counts{}, good, 0.05, "trials"},
		{"no candidate trials", good, Counts{}, 0.05, "trials"},
		{"negative", Counts{-1, 4}, good, 0.05, "passes"},
		{"more passes than trials", good, Counts{5, 4}, 0.05, "passes"},
		{"alpha 0", good, good, 0, "alpha"},
		{"alpha 1", good, good, 1, "alpha"},
		{"alpha NaN", good, good, math.NaN(), "alpha"},
	} {
		_, err := interval(test.baseline, test.candidate, test.alpha)
		var argument *ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument {
			t.Errorf("%s: error %v, want one about %s", test.name, err, test.argument)
		}
	}
}

func fuzzDifferenceInterval(f *testing.F, interval differenceInterval) {
	f.Add(93, 100, 71, 100, 0.05)
	f.Add(0, 1, 1, 1, 1e-300)
	f.Add(1<<30, 1<<30, 0, 1<<30, 0.999)
	f.Fuzz(func(t *testing.T, kb, nb, kc, nc int, alpha float64) {
		baseline, candidate := Counts{kb, nb}, Counts{kc, nc}
		got, err := interval(baseline, candidate, alpha)
		if valid := validateBoth(baseline, candidate) == nil && argument.OpenUnit("alpha", alpha) == nil; valid != (err == nil) {
			t.Fatalf("error %v", err)
		}
		if err != nil {
			return
		}
		estimate := candidate.Rate() - baseline.Rate()
		if !(got.Low >= -1 && got.Low <= estimate+1e-15 && got.High >= estimate-1e-15 && got.High <= 1) {
			t.Fatalf("%v and %v at %v: %v does not contain %v", baseline, candidate, alpha, got, estimate)
		}
	})
}
