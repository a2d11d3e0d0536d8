package stats

import (
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestNewcombeReference(t *testing.T) {
	refdata.Each(t, "difference-newcombe", func(t *testing.T, args twoSidedArgs, want limits) {
		got, err := Newcombe(args.baseline(), args.candidate(), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "low", got.Low, want.Low, 1e-9)
		refdata.Close(t, "high", got.High, want.High, 1e-9)
	})
}

// Newcombe 1998, Statistics in Medicine 17:873, Table II, method 10.
func TestNewcombePublished(t *testing.T) {
	for _, test := range []struct {
		candidate, baseline Counts
		want                string
	}{
		{Counts{56, 70}, Counts{48, 80}, "+0.0524 +0.3339"},
		{Counts{9, 10}, Counts{3, 10}, "+0.1705 +0.8090"},
		{Counts{6, 7}, Counts{2, 7}, "+0.0582 +0.8062"},
		{Counts{5, 56}, Counts{0, 29}, "-0.0381 +0.1926"},
		{Counts{0, 10}, Counts{0, 20}, "-0.1611 +0.2775"},
		{Counts{10, 10}, Counts{0, 20}, "+0.6791 +1.0000"},
	} {
		got, err := Newcombe(test.baseline, test.candidate, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%+.4f %+.4f", got.Low, got.High); text != test.want {
			t.Errorf("%v - %v: got %s, want %s", test.candidate, test.baseline, text, test.want)
		}
	}
}

func TestNewcombeLaws(t *testing.T) { checkDifferenceInterval(t, Newcombe) }

func TestNewcombeRefuses(t *testing.T) { checkDifferenceRefusals(t, Newcombe) }

func FuzzNewcombe(f *testing.F) { fuzzDifferenceInterval(f, Newcombe) }

func ExampleNewcombe() {
	baseline, candidate := Counts{Passes: 93, Trials: 100}, Counts{Passes: 71, Trials: 100}
	interval, err := Newcombe(baseline, candidate, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f to %.4f\n", interval.Low, interval.High)
	// Output: -0.3218 to -0.1154
}
