package sample

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

func repeat(x float64, n int) (values []float64) {
	for range n {
		values = append(values, x)
	}
	return values
}

// Fixed prices of 1 and 3: only the odds are uncertain, 0.25 in 1/9..1.
func TestPerSuccessOfFixedPrices(t *testing.T) {
	limits := stats.Interval{Low: 0.5, High: 0.9}
	x, interval, err := PerSuccess(repeat(1, 16), repeat(3, 4), 0.8, limits, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "per success", x, 1.75, 1e-12)
	refdata.Close(t, "low", interval.Low, 1+3.0/9, 1e-12)
	refdata.Close(t, "high", interval.High, 4, 1e-12)
}

func TestPerSuccessTooFew(t *testing.T) {
	limits := stats.Interval{Low: 0.5, High: 0.95}
	for _, n := range [][2]int{{18, 2}, {2, 30}, {10, 9}, {40, 0}} {
		rate := float64(n[0]) / float64(n[0]+n[1])
		limits := stats.Interval{Low: min(rate, limits.Low), High: max(rate, limits.High)}
		if _, _, err := PerSuccess(repeat(1, n[0]), repeat(1, n[1]), rate, limits, 0.05); !errors.Is(err, ErrTooFew) {
			t.Errorf("%d passes, %d failures: error %v", n[0], n[1], err)
		}
	}
	// What no failure shows is taken to be what passes do.
	x, _, _ := PerSuccess(repeat(2, 40), nil, 0.8, limits, 0.05)
	refdata.Close(t, "per success", x, 2.5, 1e-12)
}

func TestPerSuccessRefuses(t *testing.T) {
	limits := stats.Interval{Low: 0.4, High: 0.9}
	for _, test := range []struct {
		passes, failures []float64
		rate, alpha      float64
	}{
		{nil, []float64{1}, 0.5, 0.05},
		{[]float64{-1}, nil, 0.5, 0.05},
		{[]float64{1}, []float64{math.Inf(1)}, 0.5, 0.05},
		{[]float64{1}, []float64{1}, 0, 0.05},
		{[]float64{1}, []float64{1}, 0.95, 0.05},
		{[]float64{1}, []float64{1}, 0.5, 0},
	} {
		if _, _, err := PerSuccess(test.passes, test.failures, test.rate, limits, test.alpha); err == nil ||
			errors.Is(err, ErrTooFew) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}
