package stats

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestCochranMantelHaenszelReference(t *testing.T) {
	type args struct{ Strata []twoSidedArgs }
	type want struct {
		Statistic float64
		PTwoSided float64 `json:"p_two_sided"`
		OddsRatio float64 `json:"odds_ratio"`
	}
	refdata.Each(t, "cochran-mantel-haenszel", func(t *testing.T, args args, want want) {
		var strata []Stratum
		for _, s := range args.Strata {
			strata = append(strata, Stratum{s.baseline(), s.candidate()})
		}
		got, err := CochranMantelHaenszel(strata)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "statistic", got.Statistic, want.Statistic, 1e-9)
		refdata.Close(t, "two-sided p", got.PTwoSided, want.PTwoSided, 1e-9)
		refdata.Close(t, "odds ratio", got.OddsRatio.Value, want.OddsRatio, 1e-9)
		half := got.PTwoSided / 2
		if got.OddsRatio.Value > 1 {
			half = 1 - half
		}
		refdata.Close(t, "one-sided p", got.PLess, half, 1e-9)
	})
}

// rabbits are the data of Agresti 1990, pages 231 to 237, as in R's help page of
// mantelhaen.test.
func rabbits() []Stratum {
	return []Stratum{ // baseline: 1.5 h delay, candidate: none; a cure is a pass
		{Counts{0, 5}, Counts{0, 6}},
		{Counts{0, 6}, Counts{3, 6}},
		{Counts{2, 6}, Counts{6, 6}},
		{Counts{6, 6}, Counts{5, 6}},
		{Counts{5, 5}, Counts{2, 2}},
	}
}

// With one stratum, Z² is (N-1)/N times the squared pooled z statistic.
func TestCochranMantelHaenszelOfOneStratum(t *testing.T) {
	baseline, candidate := Counts{93, 100}, Counts{71, 80}
	got, err := CochranMantelHaenszel([]Stratum{{baseline, candidate}})
	if err != nil {
		t.Fatal(err)
	}
	pooled := 164. / 180
	z := (candidate.Rate() - baseline.Rate()) / math.Sqrt(pooled*(1-pooled)*(1./100+1./80))
	refdata.Close(t, "Z", got.Z, z*math.Sqrt(179./180), 1e-13)
	ratio, err := OddsRatio(baseline, candidate)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "odds ratio", got.OddsRatio.Value, ratio.Value, 1e-14)
}

func TestCochranMantelHaenszelWithoutInformation(t *testing.T) {
	none := []Stratum{{}, {Counts{3, 3}, Counts{4, 4}}, {Counts{0, 3}, Counts{0, 4}}, {Counts{1, 3}, Counts{}},
		{Counts{}, Counts{1, 2}}}
	for _, strata := range [][]Stratum{nil, none} {
		got, err := CochranMantelHaenszel(strata)
		if err != nil {
			t.Fatal(err)
		}
		want := CochranMantelHaenszelResult{PTwoSided: 1, PLess: 1,
			OddsRatio: OddsRatioEstimate{Value: math.NaN()}}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	}
	some := rabbits()
	with, err := CochranMantelHaenszel(append(none, some...))
	without, err2 := CochranMantelHaenszel(some)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if with != without || with.Informative != 3 {
		t.Errorf("strata without information change %+v to %+v", without, with)
	}
}

func TestCochranMantelHaenszelLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		strata := drawStrata(t, 6, 60)
		got, err := CochranMantelHaenszel(strata)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []float64{got.PLess, got.PTwoSided} {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("%+v", got)
			}
		}
		swapped, err := CochranMantelHaenszel(swapSides(strata))
		if err != nil || math.Abs(swapped.Z+got.Z) > 1e-12 || math.Abs(swapped.PTwoSided-got.PTwoSided) > 1e-12 {
			t.Fatalf("swapped sides: %+v against %+v, error %v", swapped, got, err)
		}
		if got.Informative > 0 && math.Abs(swapped.PLess+got.PLess-1) > 1e-12 {
			t.Fatalf("one-sided p-values %v and %v", got.PLess, swapped.PLess)
		}
		// The sign is that of the estimate.
		if got.OddsRatio.Finite() && (got.OddsRatio.Value-1)*got.Z < -1e-9 {
			t.Fatalf("Z = %v, odds ratio %v", got.Z, got.OddsRatio.Value)
		}
	})
}

func TestCochranMantelHaenszelRefuses(t *testing.T) {
	bad := []Stratum{{Counts{1, 2}, Counts{1, 2}}, {Counts{1, 2}, Counts{3, 2}}}
	_, err := CochranMantelHaenszel(bad)
	var argument *ArgumentError
	if !errors.As(err, &argument) ||
		err.Error() != "stratum 1: candidate: passes 3 must be at most the number of trials, 2" {
		t.Errorf("error %v", err)
	}
}

func drawStrata(t *rapid.T, most, trials int) []Stratum {
	strata := make([]Stratum, rapid.IntRange(1, most).Draw(t, "strata"))
	for i := range strata {
		name := fmt.Sprintf("stratum %d ", i)
		strata[i] = Stratum{drawCounts(t, name+"baseline", trials), drawCounts(t, name+"candidate", trials)}
	}
	return strata
}

func swapSides(strata []Stratum) []Stratum {
	swapped := make([]Stratum, len(strata))
	for i, s := range strata {
		swapped[i] = Stratum{s.Candidate, s.Baseline}
	}
	return swapped
}

func ExampleCochranMantelHaenszel() {
	result, err := CochranMantelHaenszel([]Stratum{
		{Baseline: Counts{Passes: 19, Trials: 20}, Candidate: Counts{Passes: 16, Trials: 20}},
		{Baseline: Counts{Passes: 12, Trials: 20}, Candidate: Counts{Passes: 7, Trials: 20}},
		{Baseline: Counts{Passes: 20, Trials: 20}, Candidate: Counts{Passes: 20, Trials: 20}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p = %.3f from %d scenarios, odds ratio %.2f\n", result.PLess, result.Informative, result.OddsRatio.Value)
	// Output: p = 0.019 from 2 scenarios, odds ratio 0.31
}
