package stats

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// R's help page of mantelhaen.test gives p = 0.040 for exact = TRUE on these data,
// and p = 0.020 against a higher cure rate without delay.
func TestStratifiedExactPublished(t *testing.T) {
	worse, err := StratifiedExact(context.Background(), swapSides(rabbits()))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%.3f %.3f %d", worse.PTwoSided, worse.PLess, worse.Informative); got != "0.040 0.020 3" {
		t.Errorf("got %s", got)
	}
}

// enumerateStrata assigns the outcomes of each stratum to the sides in all ways,
// and returns the number of assignments for every total of the candidate.
func enumerateStrata(strata []Stratum) map[int]float64 {
	totals := map[int]float64{0: 1}
	for _, s := range strata {
		n, passes := s.Baseline.Trials+s.Candidate.Trials, s.Baseline.Passes+s.Candidate.Passes
		next := map[int]float64{}
		for candidate := range uint(1) << n { // the trials that are the candidate's
			if bits.OnesCount(candidate) != s.Candidate.Trials {
				continue
			}
			passed := bits.OnesCount(candidate & (1<<passes - 1)) // the first trials pass
			for total, ways := range totals {
				next[total+passed] += ways
			}
		}
		totals = next
	}
	return totals
}

func TestStratifiedExactMatchesEnumeration(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		strata := drawStrata(t, 4, 5)
		got, err := StratifiedExact(context.Background(), strata)
		if err != nil {
			t.Fatal(err)
		}
		observed := 0
		for _, s := range strata {
			observed += s.Candidate.Passes
		}
		totals := enumerateStrata(strata)
		var all, less, noMoreLikely float64
		for total, ways := range totals {
			all += ways
			if total <= observed {
				less += ways
			}
			if ways <= totals[observed] {
				noMoreLikely += ways
			}
		}
		if math.Abs(got.PLess-less/all) > 1e-13*less/all || math.Abs(got.PTwoSided-noMoreLikely/all) > 1e-13 {
			t.Fatalf("%v: got %+v, want %v and %v", strata, got, less/all, noMoreLikely/all)
		}
	})
}

// With one stratum it is Fisher's exact test, which scipy gives.
func TestStratifiedExactOfOneStratumIsFisher(t *testing.T) {
	refdata.Each(t, "fisher-less", func(t *testing.T, args twoSidedArgs, want float64) {
		got, err := StratifiedExact(context.Background(), []Stratum{{args.baseline(), args.candidate()}})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "less", got.PLess, want, 1e-9)
	})
	refdata.Each(t, "fisher-two-sided", func(t *testing.T, args twoSidedArgs, want float64) {
		got, err := StratifiedExact(context.Background(), []Stratum{{args.baseline(), args.candidate()}})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "two-sided", got.PTwoSided, want, 1e-9)
	})
}

// In the far tail there is a closed form: every stratum at its least likely end.
func TestStratifiedExactFarTail(t *testing.T) {
	const strata = 90
	worst := make([]Stratum, strata)
	for i := range worst {
		worst[i] = Stratum{Counts{5, 5}, Counts{0, 5}}
	}
	got, err := StratifiedExact(context.Background(), worst)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "less", got.PLess, math.Exp(-strata*math.Log(252)), 1e-12) // C(10,5) = 252
	refdata.Close(t, "two-sided", got.PTwoSided, 2*math.Exp(-strata*math.Log(252)), 1e-12)
}

// For many strata the normal approximation with half a pass of correction is near.
func TestStratifiedExactApproachesTheNormal(t *testing.T) {
	strata := make([]Stratum, 1000)
	var mean, variance float64
	observed := 0
	for i := range strata {
		s := Stratum{Counts{(i + 1) * 3 % 5, 4}, Counts{i * 7 % 5, 4}}
		passes := float64(s.Baseline.Passes + s.Candidate.Passes)
		mean += passes / 2
		variance += passes * (8 - passes) * 16 / (64 * 7)
		observed += s.Candidate.Passes
		strata[i] = s
	}
	got, err := StratifiedExact(context.Background(), strata)
	if err != nil {
		t.Fatal(err)
	}
	want := dist.NormalCDF((float64(observed) + 0.5 - mean) / math.Sqrt(variance))
	refdata.Close(t, "less", got.PLess, want, 0.001)
}

func TestStratifiedExactLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		strata := drawStrata(t, 8, 40)
		got, err := StratifiedExact(context.Background(), strata)
		if err != nil {
			t.Fatal(err)
		}
		swapped, err := StratifiedExact(context.Background(), swapSides(strata))
		if err != nil {
			t.Fatal(err)
		}
		if !(got.PLess >= 0 && got.PLess <= 1 && got.PTwoSided >= 0 && got.PTwoSided <= 1) ||
			got.PLess+swapped.PLess < 1-1e-12 {
			t.Fatalf("%+v, swapped %+v", got, swapped)
		}
		if math.Abs(got.PTwoSided-swapped.PTwoSided) > 1e-9 {
			t.Fatalf("swapped sides: two-sided %v against %v", swapped.PTwoSided, got.PTwoSided)
		}
	})
}

func TestStratifiedExactWithoutInformation(t *testing.T) {
	for _, strata := range [][]Stratum{nil, {{}, {Counts{3, 3}, Counts{4, 4}}, {Counts{1, 3}, Counts{}}}} {
		got, err := StratifiedExact(context.Background(), strata)
		if want := (StratifiedExactResult{PLess: 1, PTwoSided: 1}); err != nil || got != want {
			t.Errorf("got %+v, error %v", got, err)
		}
	}
}

func TestStratifiedExactRefuses(t *testing.T) {
	var argument *ArgumentError
	if _, err := StratifiedExact(context.Background(), []Stratum{{Counts{-1, 2}, Counts{}}}); !errors.As(err, &argument) ||
		argument.Argument != "passes" {
		t.Errorf("negative passes: error %v", err)
	}
}

// As many trials as there may be are no reason to refuse: where both sides are the same, so are both tails.
func TestStratifiedExactOfAsManyTrialsAsThereMayBe(t *testing.T) {
	most := Counts{1 << 28, 1 << 29}
	got, err := StratifiedExact(context.Background(), []Stratum{{most, most}, {most, most}})
	// The middle itself, by Stirling's formula, is in both tails.
	half := 0.5 + 0.5/math.Sqrt(2*math.Pi*math.Ldexp(1, 29)/4)
	if err != nil || math.Abs(got.PLess-half) > 1e-9 || math.Abs(got.PTwoSided-1) > 1e-9 {
		t.Errorf("got %+v, error %v; the lower tail is %v", got, err, half)
	}
}

func FuzzStratified(f *testing.F) {
	f.Add(3, 4, 1, 4, 0, 2, 2, 2)
	f.Add(1, 1<<20, 1, 1<<30, 0, 0, 7, 9)
	f.Fuzz(func(t *testing.T, kb1, nb1, kc1, nc1, kb2, nb2, kc2, nc2 int) {
		strata := []Stratum{{Counts{kb1, nb1}, Counts{kc1, nc1}}, {Counts{kb2, nb2}, Counts{kc2, nc2}}}
		valid := validateStrata(strata) == nil
		asymptotic, err := CochranMantelHaenszel(strata)
		if valid != (err == nil) || valid && !(asymptotic.PLess >= 0 && asymptotic.PLess <= 1) {
			t.Fatalf("%+v, error %v", asymptotic, err)
		}
		if nb1 > 1<<16 || nc1 > 1<<16 || nb2 > 1<<16 || nc2 > 1<<16 {
			return // exact, but slow
		}
		exact, err := StratifiedExact(context.Background(), strata)
		if valid != (err == nil) || valid && !(exact.PLess >= 0 && exact.PLess <= 1 && exact.PTwoSided <= 1) {
			t.Fatalf("%+v, error %v", exact, err)
		}
		if valid && exact.Informative != asymptotic.Informative {
			t.Fatalf("%d and %d informative strata", exact.Informative, asymptotic.Informative)
		}
	})
}

func BenchmarkStratifiedExact(b *testing.B) {
	for _, size := range []struct{ strata, trials int }{{50, 4}, {1000, 4}, {100, 100}, {10, 1000}} {
		b.Run(fmt.Sprintf("%dx%d+%d", size.strata, size.trials, size.trials), func(b *testing.B) {
			strata := make([]Stratum, size.strata)
			for i := range strata {
				strata[i] = Stratum{Counts{size.trials * 3 / 4, size.trials}, Counts{size.trials / 2, size.trials}}
			}
			for b.Loop() {
				if _, err := StratifiedExact(context.Background(), strata); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleStratifiedExact() {
	result, err := StratifiedExact(context.Background(), []Stratum{
		{Baseline: Counts{Passes: 4, Trials: 4}, Candidate: Counts{Passes: 2, Trials: 4}},
		{Baseline: Counts{Passes: 3, Trials: 4}, Candidate: Counts{Passes: 1, Trials: 4}},
		{Baseline: Counts{Passes: 4, Trials: 4}, Candidate: Counts{Passes: 3, Trials: 4}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", result.PLess)
	// Output: 0.0316
}
