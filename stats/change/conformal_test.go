package change

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestBetsAreFair(t *testing.T) {
	for _, b := range bets {
		if mean := b.limit*b.below + (1-b.limit)*b.above; math.Abs(mean-1) > 1e-12 {
			t.Errorf("%+v: mean %v", b, mean)
		}
	}
}

func TestRanksAgreeWithCounting(t *testing.T) {
	random := seeded.Stream(4, 0)
	var r ranks
	var all []float64
	values := func() float64 {
		x := math.Exp(30 * random.NormFloat64())
		switch random.IntN(4) {
		case 0:
			x = -x
		case 1:
			x = float64(random.IntN(5) - 2)
		}
		return x
	}
	for range 3000 {
		x := values()
		above, equal := r.above(x)
		var wantAbove, wantEqual int64
		for _, y := range all {
			switch {
			case class(y) > class(x):
				wantAbove++
			case class(y) == class(x):
				wantEqual++
			}
		}
		if above != wantAbove || equal != wantEqual {
			t.Fatalf("%v: %d above, %d equal; want %d, %d", x, above, equal, wantAbove, wantEqual)
		}
		r.add(x)
		all = append(all, x)
	}
	// Classes keep the order, and those of 2 % apart are others.
	for range 10_000 {
		x, y := values(), values()
		if x < y && class(x) > class(y) {
			t.Fatalf("%v < %v, but classes %d and %d", x, y, class(x), class(y))
		}
		if a := math.Abs(x); a > 1e-8 && a < 1e14 && class(a) >= class(1.02*a) {
			t.Fatalf("%v and 2 %% more are one class", a)
		}
	}
	if n := class(largestValue); (2*n+1)*(4+8) > 120<<10 {
		t.Errorf("%d classes take more than 120 KiB", 2*n+1)
	}
}

// laws of values that do not change: continuous, tied, and heavy-tailed.
var laws = map[string]func(*rand.Rand) float64{
	"outcomes": func(r *rand.Rand) float64 { return float64(r.IntN(10) / 9) },
	"costs":    func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) },
	"turns":    func(r *rand.Rand) float64 { return float64(3 + r.IntN(4)) },
}

// p-values are uniform, and do not depend on the one before: counts in 4x4 cells have a chi-squared distribution,
// whose upper 0.1 % is at 37.7 for 15 degrees of freedom.
func TestConformalPValuesAreUniform(t *testing.T) {
	for name, draw := range laws {
		var cells [4][4]int
		const series, length = 500, 41
		for k := range series {
			d, err := NewConformal(Either, uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			random := seeded.Stream(6, uint64(k))
			for range length {
				if _, err := d.Add(draw(random)); err != nil {
					t.Fatal(err)
				}
			}
			for i := 1; i < length; i += 2 {
				cells[min(3, int(4*d.recent.values[i-1]))][min(3, int(4*d.recent.values[i]))]++
			}
		}
		expected := float64(series*(length-1)/2) / 16
		statistic := 0.0
		for _, row := range cells {
			for _, n := range row {
				statistic += (float64(n) - expected) * (float64(n) - expected) / expected
			}
		}
		if statistic > 37.7 {
			t.Errorf("%s: chi-squared %v, %v", name, statistic, cells)
		}
	}
}

// conformalRun returns the trials from a change on until the alarm.
func conformalRun(t *testing.T, direction Direction, seed uint64, learnt, quiet int, alarm float64,
	before, after func(*rand.Rand) float64) int {
	t.Helper()
	random := seeded.Stream(8, seed)
	d, err := NewConformal(direction, seed)
	if err != nil {
		t.Fatal(err)
	}
	for range learnt {
		if err := d.Learn(before(random)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < 100_000; n++ {
		draw := before
		if n >= quiet {
			draw = after
		}
		evidence, err := d.Add(draw(random))
		if err != nil {
			t.Fatal(err)
		}
		if evidence >= alarm {
			return n - quiet + 1
		}
	}
	return 100_000
}

func TestConformalKeepsItsRunLength(t *testing.T) {
	for name, draw := range laws {
		for _, direction := range []Direction{Rise, Fall, Either} {
			var sum, squares float64
			runs := thorough.Draws(100, 400)
			for k := range uint64(runs) {
				n := float64(conformalRun(t, direction, k, int(k%50), 0, 100, draw, draw))
				sum, squares = sum+n, squares+n*n
			}
			mean := sum / float64(runs)
			if stderr := math.Sqrt((squares/float64(runs) - mean*mean) / float64(runs)); mean+3*stderr < 100 {
				t.Errorf("%s, %v: %v ± %v", name, direction, mean, stderr)
			}
		}
	}
}

// Costs that double are found after some tens of trials, by the direction that looks for it alone.
func TestConformalFindsARise(t *testing.T) {
	normal := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }
	doubled := func(r *rand.Rand) float64 { return 2 * math.Exp(r.NormFloat64()) }
	for direction, most := range map[Direction]float64{Rise: 60, Either: 70} {
		sum := 0
		const runs = 200
		for k := range uint64(runs) {
			sum += conformalRun(t, direction, k, 300, 0, DefaultRunLength, normal, doubled)
		}
		if mean := float64(sum) / runs; mean > most {
			t.Errorf("%v: %v trials", direction, mean)
		}
	}
	if n := conformalRun(t, Fall, 1, 300, 0, DefaultRunLength, normal, doubled); n < 500 {
		t.Errorf("a rise is an alarm of a fall after %d trials", n)
	}
}

func TestConformalRefuses(t *testing.T) {
	d, err := NewConformal(Rise, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := d.Add(x); err == nil || d.Learn(x) == nil || d.Trials() != 0 || d.Learnt() != 0 {
			t.Errorf("%v is taken in", x)
		}
	}
	if _, err := NewConformal(7, 1); err == nil {
		t.Error("a direction that is none")
	}
	if _, err := d.Onset(.05); err == nil {
		t.Error("an onset without trials")
	}
}

func BenchmarkConformal(b *testing.B) {
	d, err := NewConformal(Rise, 1)
	if err != nil {
		b.Fatal(err)
	}
	random := seeded.Stream(1, 1)
	costs := make([]float64, 1024)
	for i := range costs {
		costs[i] = math.Exp(random.NormFloat64())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := d.Add(costs[i%len(costs)]); err != nil {
			b.Fatal(err)
		}
	}
}
