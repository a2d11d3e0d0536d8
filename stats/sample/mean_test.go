package sample

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Without skewness it is Student's interval: of -2, -1, 0, 1 and 2 the standard error is
// sqrt(2.5/5), and t with 4 degrees of freedom is 2.7764451051977996 (SciPy, t.isf(.025, 4)).
func TestMeanIntervalOfSymmetricValues(t *testing.T) {
	interval, err := MeanInterval([]float64{-2, -1, 0, 1, 2}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", interval.Low, -2.7764451051977996*math.Sqrt(0.5), 1e-12)
	refdata.Close(t, "high", interval.High, 2.7764451051977996*math.Sqrt(0.5), 1e-12)
}

// At either limit Hall's transform of t is Student's quantile, and units do not matter.
func TestMeanIntervalIsHalls(t *testing.T) {
	values := []float64{0, 1, 1, 2, 9, 0, 3, 1} // zeros have no logarithm
	interval, err := MeanInterval(values, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	n, mean := 8.0, 17.0/8
	var square, cube float64
	for _, x := range values {
		square += (x - mean) * (x - mean)
		cube += (x - mean) * (x - mean) * (x - mean)
	}
	variance := square / (n - 1)
	a := cube * n / (n - 1) / (n - 2) / math.Pow(variance, 1.5) / math.Sqrt(n)
	for _, limit := range []struct{ at, want float64 }{
		{interval.Low, 2.3646242515927844}, {interval.High, -2.3646242515927844}, // SciPy, t.isf(.025, 7)
	} {
		x := (mean - limit.at) / math.Sqrt(variance/n)
		refdata.Close(t, "transform", x+a*x*x/3+a*a*x*x*x/27+a/6, limit.want, 1e-10)
	}
	for i := range values {
		values[i] *= 1e250
	}
	large, err := MeanInterval(values, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "in other units", large.High, interval.High*1e250, 1e-12)
}

func TestMeanIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	repetitions := thorough.Draws(500, 2000)
	for name, draw := range map[string]func() (value, mean float64){
		"uniform":         func() (float64, float64) { return random.Float64(), 0.5 },
		"exponential":     func() (float64, float64) { return random.ExpFloat64(), 1 },
		"log-normal, 1.5": func() (float64, float64) { return math.Exp(1.5 * random.NormFloat64()), math.Exp(1.125) },
	} {
		missed := 0
		for range repetitions {
			values, mean := make([]float64, 20), 0.0
			for i := range values {
				values[i], mean = draw()
			}
			interval, err := MeanInterval(values, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if !interval.Contains(mean) {
				missed++
			}
		}
		if share := float64(missed) / float64(repetitions); share > 0.05+3*math.Sqrt(.05*.95/float64(repetitions)) {
			t.Errorf("%s: misses %v", name, share)
		}
	}
}

func TestMeanIntervalRefuses(t *testing.T) {
	for _, values := range [][]float64{nil, {3}, {0.1, 0.1, 0.1}, {0, 0}} {
		if _, err := MeanInterval(values, 0.05); !errors.Is(err, ErrNoSpread) {
			t.Errorf("%v: error %v", values, err)
		}
	}
	if _, err := MeanInterval([]float64{1, math.NaN()}, 0.05); err == nil {
		t.Error("NaN is taken")
	}
	if _, err := MeanInterval([]float64{1, 2}, 1); err == nil {
		t.Error("alpha 1 is taken")
	}
}
