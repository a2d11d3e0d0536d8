package sample

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: Σy/Σx = 20/3, and the residuals y - 20/3·x are written out in the test.
func TestRatioOfSums(t *testing.T) {
	y, x := []float64{2, 4, 6, 8}, []float64{1, 0, 1, 1}
	ratio, interval, err := RatioOfSums(y, x, 0.05)
	if err != nil || math.Abs(ratio-20.0/3) > 1e-12 {
		t.Fatal(ratio, err)
	}
	squares := math.Pow(2-20.0/3, 2) + 16 + math.Pow(6-20.0/3, 2) + math.Pow(8-20.0/3, 2)
	deviation := math.Sqrt(squares*4/3) / 20          // of log(ratio): sqrt(Σe²·n/(n-1)) / Σx / ratio
	factor := math.Exp(3.182446305284263 * deviation) // the 0.975 quantile of t with 3 degrees of freedom, by any table
	if math.Abs(interval.High/(ratio*factor)-1) > 1e-9 || math.Abs(interval.Low*factor/ratio-1) > 1e-9 {
		t.Errorf("%v, want a factor of %v", interval, factor)
	}
}

// Of intervals at 95 % about so many hold the true ratio: cost 1 to 3, 7 of 10 succeed.
func TestRatioOfSumsCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const runs, n = 4000, 60
	covered := 0
	for range runs {
		var y, x []float64
		for range n {
			y = append(y, 1+2*random.Float64())
			x = append(x, map[bool]float64{true: 1}[random.Float64() < 0.7])
		}
		_, i, err := RatioOfSums(y, x, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 / 0.7; i.Low <= want && want <= i.High {
			covered++
		}
	}
	if share := float64(covered) / runs; math.Abs(share-0.95) > 0.02 {
		t.Errorf("%v", share)
	}
}

func TestRatioOfSumsAtTheEdges(t *testing.T) {
	if r, i, err := RatioOfSums([]float64{3}, []float64{1}, .05); err != nil || r != 3 || !math.IsNaN(i.Low) {
		t.Error(r, i, err)
	}
	if r, i, err := RatioOfSums([]float64{0, 0}, []float64{1, 1}, .05); err != nil || r != 0 || !math.IsNaN(i.High) {
		t.Error(r, i, err)
	}
	for _, c := range [][2][]float64{{{1}, {0}}, {{1}, {1, 1}}, {{-1}, {1}}, {{math.NaN()}, {1}}, {{1}, {math.Inf(1)}}, {nil, nil}} {
		if _, _, err := RatioOfSums(c[0], c[1], .05); err == nil {
			t.Errorf("%v", c)
		}
	}
	for _, alpha := range []float64{0, 1, math.NaN()} {
		if _, _, err := RatioOfSums([]float64{1}, []float64{1}, alpha); err == nil {
			t.Error(alpha)
		}
	}
}
