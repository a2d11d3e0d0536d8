package sample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/dist"
)

// scipy.stats.bootstrap of SciPy 1.10.1, method 'BCa', 400,000 resamples; the means
// of the limits with two seeds. Their Monte-Carlo error, and ours with as many
// resamples, is 0.6 % of the standard error.
func TestBootstrapAgainstSciPy(t *testing.T) {
	baseline := sequence(40, func(i int) float64 { return float64(i*i%37) + float64(i)/7 })
	candidate := sequence(30, func(i int) float64 { return math.Pow(float64(i*i*i%41), 1.3) + float64(i)/3 })
	differences := []float64{0.4, 1.2, -0.3, 2.5, 9.0, 0.1, 0.0, 3.3, -1.1, 0.7, 14.5, 0.2}
	const resamples = 400_000
	two := func(alpha float64) (stats.Interval, error) {
		return BootstrapMeanDifference(context.Background(), baseline, candidate, BootstrapOptions{Alpha: alpha, Resamples: resamples, Seed: 1})
	}
	for _, test := range []struct {
		name                     string
		interval                 func(alpha float64) (stats.Interval, error)
		alpha                    float64
		low, high, standardError float64
	}{
		{"two samples", two, 0.05, 19.00228, 47.10463, 7.156},
		{"two samples, 90 %", two, 0.1, 21.13731, 44.69579, 7.156},
		{"paired", func(alpha float64) (stats.Interval, error) {
			return BootstrapPairedMeanDifference(context.Background(), differences, BootstrapOptions{Alpha: alpha, Resamples: resamples})
		}, 0.05, 0.72083, 6.32917, 1.275},
	} {
		got, err := test.interval(test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		if tolerance := 0.035 * test.standardError; math.Abs(got.Low-test.low) > tolerance || math.Abs(got.High-test.high) > tolerance {
			t.Errorf("%s: got %v, want %v to %v", test.name, got, test.low, test.high)
		}
	}
}

// For large samples the interval is the normal one, up to the Monte-Carlo error of
// its percentiles (2.7 % of the standard error, 2.5 % for the bias correction).
func TestBootstrapOfLargeSamplesIsNormal(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	baseline := sequence(5000, func(int) float64 { return random.NormFloat64() })
	candidate := sequence(8000, func(int) float64 { return 1 + 3*random.NormFloat64() })
	b, err := centre("", baseline)
	c, err2 := centre("", candidate)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	standardError := math.Sqrt(b.square/5000 + c.square/8000)
	for _, resamples := range []int{2000, 50_000} { // drawn, and from the expansion
		got, err := BootstrapMeanDifference(context.Background(), baseline, candidate, BootstrapOptions{Resamples: resamples})
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 4 * 0.037 * math.Sqrt(9999/2000.) * standardError
		if resamples > 2000 {
			tolerance = 0.01 * standardError // the skewness that the normal interval leaves out
		}
		reach := dist.NormalUpperQuantile(0.025) * standardError
		if math.Abs(got.Low-(c.mean-b.mean-reach)) > tolerance || math.Abs(got.High-(c.mean-b.mean+reach)) > tolerance {
			t.Errorf("%d resamples: got %v, want %v ± %v", resamples, got, c.mean-b.mean, reach)
		}
	}
}

// The expansion that replaces very many draws agrees with them on skewed values.
func TestBootstrapExpansionMeetsResampling(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	s, err := centre("", sequence(400, func(int) float64 { return math.Exp(random.NormFloat64()) }))
	if err != nil {
		t.Fatal(err)
	}
	standardError := math.Sqrt(s.square / 400)
	drawn, err := bootstrapMeans(context.Background(), 0, []centredSample{s}, BootstrapOptions{Alpha: 0.05, Resamples: 300_000})
	expanded, err2 := bootstrapMeans(context.Background(), 0, []centredSample{s}, BootstrapOptions{Alpha: 0.05, Resamples: 1_000_000})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if math.Abs(drawn.Low-expanded.Low) > 0.04*standardError || math.Abs(drawn.High-expanded.High) > 0.04*standardError {
		t.Errorf("drawn %v, expanded %v, standard error %v", drawn, expanded, standardError)
	}
	if skew := (expanded.High + expanded.Low) / standardError; skew < 0.1 {
		t.Errorf("%v is symmetric although the values are skewed", expanded)
	}
}

// The true difference is covered about as often as promised: for normal values
// within four standard errors, and for skewed ones no more than six points less.
func TestBootstrapCovers(t *testing.T) {
	const repetitions, size = 800, 60
	random := rand.New(rand.NewPCG(3, 14))
	for _, test := range []struct {
		name  string
		draw  func() float64
		least float64
	}{
		{"normal", random.NormFloat64, 0.95 - 4*math.Sqrt(0.95*0.05/repetitions)},
		{"exponential", random.ExpFloat64, 0.89},
	} {
		covered, above, below := 0, 0, 0
		for i := range repetitions {
			baseline := sequence(size, func(int) float64 { return test.draw() })
			candidate := sequence(size, func(int) float64 { return test.draw() + 2 })
			got, err := BootstrapMeanDifference(context.Background(), baseline, candidate, BootstrapOptions{Resamples: 999, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case got.Low > 2:
				above++
			case got.High < 2:
				below++
			default:
				covered++
			}
		}
		most := 0.95 + 4*math.Sqrt(0.95*0.05/repetitions)
		if share := float64(covered) / repetitions; share < test.least || share > most {
			t.Errorf("%s: %v of the intervals cover, want %v to %v", test.name, share, test.least, most)
		}
		if above == 0 || below == 0 {
			t.Errorf("%s: missed %d times above and %d times below", test.name, above, below)
		}
	}
}

func TestBootstrapLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []float64 {
			values := rapid.SliceOfN(rapid.IntRange(-1000, 1000), 2, 40).Draw(t, name)
			return sequence(len(values), func(i int) float64 { return float64(values[i]) })
		}
		baseline, candidate := draw("baseline"), draw("candidate")
		beforeB, beforeC := slices.Clone(baseline), slices.Clone(candidate)
		options := BootstrapOptions{Resamples: 200, Seed: rapid.Uint64().Draw(t, "seed")}
		got, err := BootstrapMeanDifference(context.Background(), baseline, candidate, options)
		if spread := slices.Min(baseline) < slices.Max(baseline) || slices.Min(candidate) < slices.Max(candidate); spread != (err == nil) {
			t.Fatalf("error %v", err)
		}
		if err != nil {
			return
		}
		if !slices.Equal(baseline, beforeB) || !slices.Equal(candidate, beforeC) {
			t.Fatal("the samples were changed")
		}
		least, most := slices.Min(candidate)-slices.Max(baseline), slices.Max(candidate)-slices.Min(baseline)
		if !(got.Low >= least-1e-9 && got.Low <= got.High && got.High <= most+1e-9) {
			t.Fatalf("%v leaves %v to %v", got, least, most)
		}
		if again, _ := BootstrapMeanDifference(context.Background(), baseline, candidate, options); again != got {
			t.Fatalf("the same seed gives %v and %v", got, again)
		}
		// Moved and stretched values move and stretch the interval.
		moved := sequence(len(candidate), func(i int) float64 { return 4*candidate[i] + 1024 })
		stretched := sequence(len(baseline), func(i int) float64 { return 4 * baseline[i] })
		other, err := BootstrapMeanDifference(context.Background(), stretched, moved, options)
		if err != nil || math.Abs(other.Low-(4*got.Low+1024)) > 1e-8 || math.Abs(other.High-(4*got.High+1024)) > 1e-8 {
			t.Fatalf("got %v for 4 x + 1024 of %v, error %v", other, got, err)
		}
		// A baseline of equal values leaves the candidate's mean.
		flat, err := BootstrapMeanDifference(context.Background(), []float64{0, 0}, candidate, options)
		single, err2 := BootstrapPairedMeanDifference(context.Background(), candidate, options)
		if (err == nil) != (err2 == nil) || err == nil && math.Abs(flat.High-single.High) > 0.5*single.Width()+1e-9 {
			t.Fatalf("%v against %v: %v", flat, single, errors.Join(err, err2))
		}
	})
}

// Every index is drawn equally often, in the narrow and in the wide lanes.
func TestIndexDrawIsUniform(t *testing.T) {
	for _, n := range []int{3, 100, 4096, 5000} {
		const rounds = 2000
		draw := indexDraw{source: rand.NewPCG(1, 2)}
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		// The mean and the mean square of the drawn indices.
		var sum, squares float64
		for range rounds {
			sum += draw.sum(values)
		}
		for i := range values {
			values[i] *= values[i]
		}
		for range rounds {
			squares += draw.sum(values)
		}
		size := float64(n)
		draws := rounds * size
		mean, variance := (size-1)/2, (size*size-1)/12
		if z := (sum/draws - mean) / math.Sqrt(variance/draws); math.Abs(z) > 4 {
			t.Errorf("n = %d: the mean index is %v standard errors off", n, z)
		}
		wantSquare := (size - 1) * (2*size - 1) / 6
		squareVariance := (size-1)*(2*size-1)*(3*size*size-3*size-1)/30 - wantSquare*wantSquare
		if z := (squares/draws - wantSquare) / math.Sqrt(squareVariance/draws); math.Abs(z) > 4 {
			t.Errorf("n = %d: the mean squared index is %v standard errors off", n, z)
		}
	}
}

// One outlier among a million values: the expansion is at its limits.
func TestBootstrapExpansionStaysInRange(t *testing.T) {
	values := make([]float64, 1_000_000)
	for _, outlier := range []float64{1e6, -1e6} {
		values[17] = outlier
		for _, alpha := range []float64{1e-300, 1e-9, 0.05, 0.9} {
			got, err := BootstrapPairedMeanDifference(context.Background(), values, BootstrapOptions{Alpha: alpha})
			if err != nil {
				t.Fatal(err)
			}
			if !(got.Low < got.High && got.Low >= -1e6 && got.High <= 1e6) {
				t.Errorf("outlier %v, alpha %v: %v", outlier, alpha, got)
			}
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	good := []float64{1, 2, 3}
	for _, test := range []struct {
		name                string
		baseline, candidate []float64
		options             BootstrapOptions
		argument            string // "" for ErrNoSpread
	}{
		{"empty", nil, good, BootstrapOptions{}, ""},
		{"one value", good, []float64{4}, BootstrapOptions{}, ""},
		{"constant", []float64{0.1, 0.1, 0.1}, []float64{0.3, 0.3, 0.3}, BootstrapOptions{}, ""},
		{"NaN", []float64{1, math.NaN()}, good, BootstrapOptions{}, "baseline value 1"},
		{"infinite", good, []float64{math.Inf(1), 1}, BootstrapOptions{}, "candidate value 0"},
		{"alpha", good, good, BootstrapOptions{Alpha: 1}, "alpha"},
		{"alpha NaN", good, good, BootstrapOptions{Alpha: math.NaN()}, "alpha"},
		{"few resamples", good, good, BootstrapOptions{Resamples: 10}, "resamples"},
		{"negative resamples", good, good, BootstrapOptions{Resamples: -1}, "resamples"},
		{"overflow", []float64{1e200, -1e200}, good, BootstrapOptions{}, "values"},
	} {
		_, err := BootstrapMeanDifference(context.Background(), test.baseline, test.candidate, test.options)
		var argument *stats.ArgumentError
		switch {
		case test.argument == "" && !errors.Is(err, ErrNoSpread):
			t.Errorf("%s: error %v, want %v", test.name, err, ErrNoSpread)
		case test.argument != "" && (!errors.As(err, &argument) || argument.Argument != test.argument):
			t.Errorf("%s: error %v, want one about %s", test.name, err, test.argument)
		}
	}
	for _, values := range [][]float64{nil, {1}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}} {
		if got, err := BootstrapPairedMeanDifference(context.Background(), values, BootstrapOptions{}); !errors.Is(err, ErrNoSpread) {
			t.Errorf("%v: %v, error %v", values, got, err)
		}
	}
}

func FuzzBootstrap(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 5.0, 0.05, uint64(1))
	f.Add(0.0, 1e-320, 0.0, 1e150, 1e-300, uint64(2))
	f.Fuzz(func(t *testing.T, a, b, c, d, alpha float64, seed uint64) {
		options := BootstrapOptions{Alpha: alpha, Resamples: 100, Seed: seed}
		got, err := BootstrapMeanDifference(context.Background(), []float64{a, b}, []float64{c, d, d}, options)
		if err == nil && !(got.Low <= got.High) {
			t.Fatalf("%v", got)
		}
		got, err = BootstrapPairedMeanDifference(context.Background(), []float64{a, b, c, d}, options)
		if err == nil && !(got.Low <= got.High) {
			t.Fatalf("paired: %v", got)
		}
	})
}

func BenchmarkBootstrapMeanDifference(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			baseline := sequence(n, func(i int) float64 { return float64(i * i % 37) })
			candidate := sequence(n, func(i int) float64 { return float64(i * i % 41) })
			b.ReportAllocs()
			for b.Loop() {
				if _, err := BootstrapMeanDifference(context.Background(), baseline, candidate, BootstrapOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleBootstrapMeanDifference() {
	baseline := []float64{7, 9, 6, 8, 7, 10, 8, 6}
	candidate := []float64{12, 10, 25, 9, 14, 11, 13, 10}
	interval, err := BootstrapMeanDifference(context.Background(), baseline, candidate, BootstrapOptions{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("between %.0f and %.0f more tool calls\n", interval.Low, interval.High)
	// Output: between 3 and 11 more tool calls
}
