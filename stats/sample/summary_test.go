package sample

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestSumIsCompensated(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{1, 1e100, 1, -1e100}, 2},
		{[]float64{1e16, 1, 1, -1e16}, 2},
		{slices.Repeat([]float64{0.1}, 1_000_000), 100_000},
		{[]float64{math.Inf(1), 1}, math.Inf(1)},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.Inf(1)},
	} {
		if got := Sum(test.values); got != test.want {
			t.Errorf("sum of %d values is %v, want %v", len(test.values), got, test.want)
		}
	}
	for _, values := range [][]float64{{1, math.NaN()}, {math.Inf(1), math.Inf(-1)}} {
		if got := Sum(values); !math.IsNaN(got) {
			t.Errorf("sum of %v is %v", values, got)
		}
	}
}

func TestMean(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, math.NaN()},
		{[]float64{3}, 3},
		{[]float64{1, 2, 6}, 3},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.Inf(-1), 2}, math.Inf(-1)},
		{[]float64{math.NaN(), 2}, math.NaN()},
	} {
		if got := Mean(test.values); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("mean of %v is %v, want %v", test.values, got, test.want)
		}
	}
}

// NumPy 1.24.2: quantile([1, 2, 4, 8, 16], p) and quantile([3.5, 7], p).
func TestQuantileAgainstNumPy(t *testing.T) {
	for _, test := range []struct {
		sorted  []float64
		p, want float64
	}{
		{[]float64{1, 2, 4, 8, 16}, 0, 1},
		{[]float64{1, 2, 4, 8, 16}, 0.1, 1.4},
		{[]float64{1, 2, 4, 8, 16}, 0.25, 2},
		{[]float64{1, 2, 4, 8, 16}, 0.5, 4},
		{[]float64{1, 2, 4, 8, 16}, 0.9, 12.8},
		{[]float64{1, 2, 4, 8, 16}, 1, 16},
		{[]float64{3.5, 7}, 0.3, 4.55},
		{[]float64{5}, 0.7, 5},
		{[]float64{math.Inf(-1), math.Inf(-1), 1}, 0.25, math.Inf(-1)},
	} {
		if got := Quantile(test.sorted, test.p); got != test.want && math.Abs(got-test.want) > 1e-14 {
			t.Errorf("%v-quantile of %v is %v, want %v", test.p, test.sorted, got, test.want)
		}
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if got := Quantile([]float64{1, 2}, p); !math.IsNaN(got) {
			t.Errorf("%v-quantile is %v", p, got)
		}
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("quantile of nothing is %v", got)
	}
}

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 5, 7}
	if got := Median(values); got != 6 {
		t.Errorf("median is %v, want 6", got)
	}
	if want := []float64{9, 1, 5, 7}; !slices.Equal(values, want) {
		t.Errorf("the values were reordered to %v", values)
	}
	if got := Median([]float64{2, math.NaN(), 1}); !math.IsNaN(got) {
		t.Errorf("median with NaN is %v", got)
	}
	if got := Median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing is %v", got)
	}
}

func TestSummaryLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 1, 60).Draw(t, "values")
		exact := new(big.Float).SetPrec(400)
		for _, v := range values {
			exact.Add(exact, big.NewFloat(v))
		}
		want, _ := exact.Float64()
		scale := 0.0
		for _, v := range values {
			scale += math.Abs(v)
		}
		if got := Sum(values); math.Abs(got-want) > 2.3e-16*math.Abs(want)+1e-28*scale {
			t.Fatalf("sum %v, want %v", got, want)
		}
		sorted := slices.Sorted(slices.Values(values))
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		q := Quantile(sorted, p)
		if q < sorted[0] || q > sorted[len(sorted)-1] || Quantile(sorted, math.Min(1, p+0.01)) < q-1e-3 {
			t.Fatalf("%v-quantile %v", p, q)
		}
		if m := Median(values); m != Quantile(sorted, 0.5) {
			t.Fatalf("median %v", m)
		}
	})
}

func ExampleMedian() {
	fmt.Println(Median([]float64{12, 3, 5, 40}))
	// Output: 8.5
}
