package stats

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestCohensHReference(t *testing.T) {
	refdata.Each(t, "cohens-h", func(t *testing.T, args twoSidedArgs, want float64) {
		got, err := CohensH(args.baseline(), args.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "h", got, want, 1e-12)
	})
}

func TestCohensHEdges(t *testing.T) {
	for _, test := range []struct {
		baseline, candidate Counts
		want                float64
	}{
		{Counts{5, 5}, Counts{0, 9}, math.Pi},
		{Counts{0, 5}, Counts{9, 9}, -math.Pi},
		{Counts{5, 5}, Counts{9, 9}, 0},
		{Counts{0, 5}, Counts{0, 9}, 0},
		{Counts{1, 3}, Counts{2, 6}, 0},
		{Counts{1, 2}, Counts{0, 2}, math.Pi / 2},
		// Nearly equal rates: h is Δp/√(p(1-p)) up to terms of the third order.
		{Counts{1 << 29, 1 << 30}, Counts{1<<29 - 1, 1 << 30}, 2 / float64(1<<30)},
	} {
		got, err := CohensH(test.baseline, test.candidate)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, fmt.Sprint(test.baseline, test.candidate), got, test.want, 1e-14)
	}
}

func TestCohensHLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		baseline, candidate := drawCounts(t, "baseline", 100_000), drawCounts(t, "candidate", 100_000)
		h, err := CohensH(baseline, candidate)
		if err != nil {
			t.Fatal(err)
		}
		if swapped, _ := CohensH(candidate, baseline); swapped != -h {
			t.Fatalf("swapped sides: %v against %v", swapped, h)
		}
		failB, failC := Counts{baseline.Fails(), baseline.Trials}, Counts{candidate.Fails(), candidate.Trials}
		if failed, _ := CohensH(failB, failC); math.Abs(failed+h) > 1e-14 {
			t.Fatalf("failures for passes: %v against %v", failed, h)
		}
		if down := baseline.Rate() > candidate.Rate(); down != (h > 0) || math.Abs(h) > math.Pi+1e-15 {
			t.Fatalf("h of %v and %v is %v", baseline, candidate, h)
		}
	})
}

func TestMagnitude(t *testing.T) {
	for h, want := range map[float64]string{
		0: "negligible", 0.1999: "negligible", 0.2: "small", -0.4999: "small", 0.5: "medium", -0.7999: "medium",
		0.8: "large", math.Pi: "large", math.Inf(-1): "large", math.NaN(): "negligible",
	} {
		if got := MagnitudeOf(h); got != want {
			t.Errorf("|h| = %v is %s, want %s", h, got, want)
		}
	}
}

func FuzzEffect(f *testing.F) {
	f.Add(93, 100, 71, 100)
	f.Add(0, 1<<30, 1<<30, 1<<30)
	f.Fuzz(func(t *testing.T, kb, nb, kc, nc int) {
		baseline, candidate := Counts{kb, nb}, Counts{kc, nc}
		valid := validateBoth(baseline, candidate) == nil
		h, err := CohensH(baseline, candidate)
		if valid != (err == nil) || valid == math.IsNaN(h) || math.Abs(h) > math.Pi {
			t.Fatalf("h = %v, error %v", h, err)
		}
		ratio, err := OddsRatio(baseline, candidate)
		if valid != (err == nil) || ratio.Value < 0 ||
			ratio.Finite() != (ratio.Value >= 0 && ratio.Value <= math.MaxFloat64) {
			t.Fatalf("odds ratio %v, error %v", ratio, err)
		}
	})
}

func ExampleCohensH() {
	h, err := CohensH(Counts{Passes: 93, Trials: 100}, Counts{Passes: 71, Trials: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, %v\n", h, MagnitudeOf(h))
	// Output: 0.60, medium
}
