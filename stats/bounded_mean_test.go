package stats

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The weighted mean of distinct points, with weights uniform on the simplex, has the B-spline through
// them as its density (Curry & Schoenberg 1966): for n+1 points P(mean > m) is the divided difference
// Σ over x_i > m of (x_i-m)^n / Π (x_i-x_j).
func TestBoundedMeanAgainstDividedDifferences(t *testing.T) {
	values := []float64{0.1, 0.35, 0.6, 0.92}
	interval, err := BoundedMean(values, 0, 1, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	above := func(points []float64, m float64) (sum float64) {
		for i, x := range points {
			if x <= m {
				continue
			}
			term := math.Pow(x-m, float64(len(points)-1))
			for j, y := range points {
				if j != i {
					term /= x - y
				}
			}
			sum += term
		}
		return sum
	}
	refdata.Close(t, "above the upper limit", above(append([]float64{1}, values...), interval.High), 0.05, 1e-10)
	refdata.Close(t, "above the lower limit", above(append([]float64{0}, values...), interval.Low), 0.95, 1e-10)
}

// One value x has the limits x(1-w) and x + (1-x)w, where w is uniform.
func TestBoundedMeanOfOne(t *testing.T) {
	interval, err := BoundedMean([]float64{2.5}, 2, 3, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", interval.Low, 2.05, 1e-12)
	refdata.Close(t, "high", interval.High, 2.95, 1e-12)
}

func TestBoundedMeanCovers(t *testing.T) {
	// Rates of 0.9 in nine of ten and of 0 in the others, which few scenarios may not show.
	random := rand.New(rand.NewPCG(3, 5))
	repetitions := thorough.Draws(200, 1000)
	for _, n := range []int{3, 10, 40} {
		missed := 0
		for range repetitions {
			values := make([]float64, n)
			for i := range values {
				if random.Float64() < 0.9 {
					values[i] = 0.9
				}
			}
			interval, err := BoundedMean(values, 0, 1, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if !interval.Contains(0.81) {
				missed++
			}
		}
		if share := float64(missed) / float64(repetitions); share > 0.05+3*math.Sqrt(.05*.95/float64(repetitions)) {
			t.Errorf("%d values: misses %v", n, share)
		}
	}
}

func TestBoundedMeanOfMany(t *testing.T) {
	// Repeated values stand for themselves, and the limits close in as 1.96 σ/√n does.
	values := make([]float64, 4000)
	for i := range values {
		values[i] = float64(i%5) / 4
	}
	interval, err := BoundedMean(values, 0, 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "width", interval.Width(), 2*1.959963984540054*math.Sqrt(0.125/4000), 0.02)
}

func TestBoundedMeanRefuses(t *testing.T) {
	for _, test := range []struct {
		values           []float64
		low, high, alpha float64
		argument         string
	}{
		{nil, 0, 1, 0.05, "values"},
		{[]float64{0.5, 1.5}, 0, 1, 0.05, "value 1"},
		{[]float64{math.NaN()}, 0, 1, 0.05, "value 0"},
		{[]float64{0.5}, 1, 1, 0.05, "bounds"},
		{[]float64{0.5}, math.Inf(-1), 1, 0.05, "bounds"},
		{[]float64{0.5}, 0, 1, 1, "alpha"},
	} {
		_, err := BoundedMean(test.values, test.low, test.high, test.alpha)
		var argument *ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument {
			t.Errorf("%v: error %v, want one about %s", test.values, err, test.argument)
		}
	}
}

// With many values that are all at the bounds it is the interval of Clopper and Pearson too; (√2)²⁰⁴⁸ is beyond the
// largest float64.
func TestBoundedMeanOfThousands(t *testing.T) {
	for _, n := range []int{2047, 2048, 2500, 20_000} {
		for _, passes := range []int{0, n / 3, n} {
			values := make([]float64, n)
			for i := range passes {
				values[i] = 1
			}
			got, err := BoundedMean(values, 0, 1, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ClopperPearson(Counts{Passes: passes, Trials: n}, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
				t.Errorf("%d of %d: %v, want %v", passes, n, got, want)
			}
		}
	}
}

// The product over classes of points is that over the points, whether these are close together, far apart or repeated.
func TestExponentialProduct(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for _, spread := range []float64{1e-4, 0.01, 0.3} {
		points := []valueCount{{1, 1}}
		for range 500 {
			points = append(points, valueCount{min(max(0.4+spread*random.NormFloat64(), 0), 1), 1 + random.IntN(3)})
		}
		const m = 0.401
		e := newExponentialProduct(points, m)
		for _, u := range []float64{1e-18, 1e-3, 0.1, 1, 10, 100, 3000} {
			want := complex(1, 0)
			for _, p := range points {
				want *= power(1/complex(1, -(p.value-m)*u), p.times)
			}
			if got := e.at(u); cmplx.Abs(got-want) > 1e-12*cmplx.Abs(want)+1e-300 {
				t.Errorf("spread %v, u %v: %v, not %v", spread, u, got, want)
			}
		}
	}
}

// Thousands of unlike values have the limits of their distribution's normal approximation, and of a few that stand for
// all.
func TestBoundedMeanOfThousandsOfUnlikeValues(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	values := make([]float64, 3000)
	sum, squares := 0.0, 0.0
	for i := range values {
		values[i] = 0.3 + 0.05*random.NormFloat64()
		sum += values[i]
		squares += values[i] * values[i]
	}
	n := float64(len(values))
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	got, err := BoundedMean(values, 0, 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// What was not drawn adds up to a mean of (1-mean)/n, and of mean/n below.
	refdata.Close(t, "width", got.Width(), 2*1.959963984540054*deviation/math.Sqrt(n)+1/n, 0.05)
	// Rounded there are so few unlike values that the factors are multiplied one by one.
	for i, x := range values {
		values[i] = math.Round(x*500) / 500
	}
	if n := len(distinct(slices.Clone(values))); n > mostMultiplied-1 {
		t.Fatalf("%d unlike values", n)
	}
	rounded, err := BoundedMean(values, 0, 1, 0.05)
	if err != nil || math.Abs(got.Low-rounded.Low) > 3e-5 || math.Abs(got.High-rounded.High) > 3e-5 {
		t.Errorf("%+v; of rounded values %+v, %v", got, rounded, err)
	}
}
