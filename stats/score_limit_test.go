package stats

import (
	"errors"
	"math"
	"testing"
)

func TestBracketedRoot(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(float64) float64
		a, b float64
		want float64
	}{
		{"line", func(x float64) float64 { return x - 0.3 }, 0, 1, 0.3},
		{"cubic", func(x float64) float64 { return x*x*x - 2 }, 0, 5, math.Cbrt(2)},
		{"steep", func(x float64) float64 { return math.Exp(50*x) - 2 }, -10, 10, math.Ln2 / 50},
		{"flat around the root", func(x float64) float64 { return math.Pow(x-0.5, 9) }, 0, 1.7, 0.5},
		{"tiny", func(x float64) float64 { return 1 - x/1e-9 }, 0, 1, 1e-9},
		{"step", func(x float64) float64 {
			if x < 0.7 {
				return -1
			}
			return 1
		}, 0, 1, 0.7},
	} {
		got := bracketedRoot(test.f, test.a, test.f(test.a), test.b, test.f(test.b))
		tolerance := 1e-15 * math.Abs(test.want)
		if test.name == "flat around the root" {
			tolerance = 1e-12
		}
		if math.Abs(got-test.want) > tolerance+1e-15 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestStandardised(t *testing.T) {
	for _, test := range []struct{ deviation, variance, want float64 }{
		{3, 4, 1.5}, {-3, 4, -1.5}, {0, 0, 0}, {1, 0, math.Inf(1)}, {-1, 0, math.Inf(-1)},
	} {
		if got := standardised(test.deviation, test.variance); got != test.want {
			t.Errorf("standardised(%v, %v) = %v, want %v", test.deviation, test.variance, got, test.want)
		}
	}
}

func TestScoreLimitsDoNotAllocate(t *testing.T) {
	allocations := testing.AllocsPerRun(10, func() {
		_, err := MiettinenNurminen(Counts{93, 100}, Counts{71, 100}, 0.05)
		_, err2 := Tango(Pairs{70, 20, 5, 5}, 0.05)
		if err = errors.Join(err, err2); err != nil {
			t.Error(err)
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}
