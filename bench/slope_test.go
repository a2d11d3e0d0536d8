package bench_test

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/bench"
)

// Of powers the slope is the exponent; of points that lie on no line it is that of Anscombe's first set, 0.5001
// (Anscombe 1973, Graphs in Statistical Analysis).
func TestSlope(t *testing.T) {
	var x, y []float64
	for _, n := range []float64{10, 20, 1000, 7} {
		x, y = append(x, math.Log(n)), append(y, math.Log(3*math.Pow(n, 1.7)))
	}
	if got := bench.Slope(x, y); math.Abs(got-1.7) > 1e-12 {
		t.Errorf("of powers: %v", got)
	}
	x = []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y = []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	if got := bench.Slope(x, y); math.Abs(got-0.5001) > 1e-4 {
		t.Errorf("Anscombe's: %v", got)
	}
	if got := bench.Slope([]float64{2}, []float64{3}); !math.IsNaN(got) {
		t.Errorf("of a point: %v", got)
	}
}
