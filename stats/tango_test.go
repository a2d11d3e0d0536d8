package stats

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestTangoPublished(t *testing.T) {
	for _, test := range []struct {
		source    string
		pairs     Pairs
		alpha     float64
		low, high string
	}{
		{"Fagerland, Lydersen & Laake 2014, Table 7: airway hyper-responsiveness", Pairs{1, 7, 1, 12}, 0.05, "-0.517",
			"-0.026"},
		{"R contingencytables, cavo_2012", Pairs{59, 16, 6, 80}, 0.05, "-0.1240", "-0.0054"},
		{"R PropCIs scoreci.mp(25, 28, 618), 90 %", Pairs{500, 25, 28, 65}, 0.10, "-0.0148", "0.0247"},
	} {
		got, err := Tango(test.pairs, test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		round := func(x float64, like string) string {
			return fmt.Sprintf("%.*f", len(like)-len("0.")-signs(like), x)
		}
		if low, high := round(got.Low, test.low), round(got.High, test.high); low != test.low || high != test.high {
			t.Errorf("%s: got %s to %s, want %s to %s", test.source, low, high, test.low, test.high)
		}
	}
}

func signs(number string) int {
	if number[0] == '-' {
		return 1
	}
	return 0
}

// The expected limits were made by bisection with 110 digits (mpmath 1.2.1): the
// constrained trinomial likelihood maximised by bisection on its derivative, then
// the difference at which the squared statistic equals the squared quantile.
func TestTangoAgainstMpmath(t *testing.T) {
	for _, test := range []struct {
		broke, mended, pairs int
		alpha, low, high     float64
	}{
		{16, 6, 161, 0.05, -0.1240234324640682, -0.005433395731677083},
		{7, 1, 21, 0.05, -0.5172322764213774, -0.02600303248086854},
		{25, 28, 618, 0.1, -0.01483437032222764, 0.02471548183717407},
		{15, 3, 114, 0.05, -0.1842807114405083, -0.03623084453908992},
		{12, 11, 114, 0.05, -0.09512214408646595, 0.07718029182135146},
		{0, 0, 44, 0.05, -0.08029560375848068, 0.08029560375848068},
		{0, 1, 44, 0.1, -0.036516938418064, 0.09566242639917168},
		{9, 0, 9, 0.05, -1, -0.4017099031609118},
		{0, 5, 5, 0.05, 0.1310350704336504, 1},
		{4, 3, 7, 0.05, -0.6835602894970606, 0.4990832709446856},
		{120000, 119000, 1000000, 0.05, -0.001958184156563584, -4.182039194652308e-5},
		{1, 0, 1, 0.05, -1, 0.5869013712455252},
		{0, 30, 400, 1e-06, 0.01432288314145178, 0.166005378746656},
	} {
		got, err := Tango(Pairs{Broke: test.broke, Mended: test.mended, BothPass: test.pairs - test.broke - test.mended},
			test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("-%d +%d of %d:", test.broke, test.mended, test.pairs)
		refdata.Close(t, name+" low", got.Low, test.low, 1e-11)
		refdata.Close(t, name+" high", got.High, test.high, 1e-11)
	}
}

// Without discordant pairs the limits are ±z²/(n+z²), by solving the quadratic.
func TestTangoWithoutFlips(t *testing.T) {
	z2 := dist.NormalUpperQuantile(0.025) * dist.NormalUpperQuantile(0.025)
	for _, n := range []int{1, 2, 50, 1_000_000} {
		got, err := Tango(Pairs{BothFail: n}, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		want := z2 / (float64(n) + z2)
		refdata.Close(t, "high", got.High, want, 1e-13)
		refdata.Close(t, "low", got.Low, -want, 1e-13)
	}
}

// The statistic is checked against its definition, with the likelihood maximised
// by bisection on its derivative.
func TestTangoScoreMatchesBruteForce(t *testing.T) {
	const pairs = 8
	differences := []float64{-0.99, -0.5, -0.1, -1e-5, 0, 0.03, 0.25, 0.8}
	for broke := range pairs + 1 {
		for mended := range pairs - broke + 1 {
			for _, d := range differences {
				got := tangoScore(broke, mended, pairs, d)
				want := bruteForceTangoScore(broke, mended, pairs, d)
				if math.IsInf(want, 0) || math.IsInf(got, 0) {
					if got != want {
						t.Errorf("tangoScore(%d, %d, %d, %v) = %v, want %v", broke, mended, pairs, d, got, want)
					}
					continue
				}
				refdata.Close(t, fmt.Sprintf("tangoScore(%d, %d, %d, %v)", broke, mended, pairs, d), got, want, 1e-9)
			}
		}
	}
}

func bruteForceTangoScore(broke, mended, pairs int, d float64) float64 {
	ratio := func(k int, rate float64) float64 {
		if k == 0 {
			return 0
		}
		return float64(k) / rate
	}
	slope := func(q float64) float64 { // q is the rate of breaks
		return ratio(broke, q) + ratio(mended, q+d) - 2*ratio(pairs-broke-mended, 1-2*q-d)
	}
	low, high := math.Max(0, -d), (1-d)/2
	for range 200 {
		if middle := low + (high-low)/2; slope(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	if low < 1e-50 {
		low = 0
	}
	n := float64(pairs)
	return standardised(float64(mended-broke)/n-d, (2*low+d-d*d)/n)
}

func TestTangoScoreAtTheEdges(t *testing.T) {
	for _, test := range []struct {
		broke, mended, pairs int
		d, want              float64
	}{
		{0, 0, 5, 0, 0},
		{0, 5, 5, 1, 0},
		{5, 0, 5, -1, 0},
		{0, 4, 5, 1, math.Inf(-1)},
		{0, 4, 5, -1, math.Inf(1)},
		{9, 1, 100, 0, -8 / math.Sqrt(10)}, // McNemar's statistic
	} {
		got := tangoScore(test.broke, test.mended, test.pairs, test.d)
		if got != test.want && !(math.Abs(got-test.want) < 1e-14) {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

func TestTangoLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		count := func(name string) int { return rapid.IntRange(0, 500).Draw(t, name) }
		pairs := Pairs{BothPass: count("both pass"), Broke: count("broke"), Mended: count("mended"),
			BothFail: 1 + count("both fail")}
		alpha := rapid.Float64Range(1e-6, 0.6).Draw(t, "alpha")
		must := func(pairs Pairs, alpha float64) Interval {
			got, err := Tango(pairs, alpha)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		got := must(pairs, alpha)
		estimate := float64(pairs.Mended-pairs.Broke) / float64(pairs.Total())
		if !(got.Low >= -1 && got.High <= 1 && got.Contains(estimate)) {
			t.Fatalf("%v leaves -1..1 or misses %v", got, estimate)
		}
		if swapped := must(Pairs{pairs.BothPass, pairs.Mended, pairs.Broke, pairs.BothFail},
			alpha); swapped.Low != -got.High || swapped.High != -got.Low {
			t.Fatalf("swapped sides: %v against %v", swapped, got)
		}
		if surer := must(pairs, alpha/2); surer.Low > got.Low || surer.High < got.High {
			t.Fatalf("level 1-%v gives %v within %v", alpha/2, surer, got)
		}
		if more := must(Pairs{3 * pairs.BothPass, 3 * pairs.Broke, 3 * pairs.Mended, 3 * pairs.BothFail},
			alpha); more.Width() >= got.Width() {
			t.Fatalf("three times the pairs: %v is no narrower than %v", more, got)
		}
		z := dist.NormalUpperQuantile(alpha / 2)
		if score := tangoScore(pairs.Broke, pairs.Mended, pairs.Total(), got.High); got.High < 1 &&
			math.Abs(score+z) > 1e-6*z {
			t.Fatalf("score %v at the upper limit, want %v", score, -z)
		}
	})
}

func TestTangoRefuses(t *testing.T) {
	for _, test := range []struct {
		pairs    Pairs
		alpha    float64
		argument string
	}{
		{Pairs{}, 0.05, "pairs"},
		{Pairs{Broke: -1}, 0.05, "broke"},
		{Pairs{BothPass: 1}, 0, "alpha"},
		{Pairs{BothPass: 1}, math.NaN(), "alpha"},
	} {
		_, err := Tango(test.pairs, test.alpha)
		var argument *ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

func FuzzTango(f *testing.F) {
	f.Add(70, 20, 5, 5, 0.05)
	f.Add(0, 1<<30, 0, 0, 1e-300)
	f.Fuzz(func(t *testing.T, bothPass, broke, mended, bothFail int, alpha float64) {
		got, err := Tango(Pairs{bothPass, broke, mended, bothFail}, alpha)
		if err != nil {
			return
		}
		estimate := float64(mended-broke) / float64(bothPass+broke+mended+bothFail)
		if !(got.Low >= -1 && got.Low <= estimate && estimate <= got.High && got.High <= 1) {
			t.Fatalf("%v does not contain %v", got, estimate)
		}
	})
}

func BenchmarkTango(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Tango(Pairs{BothPass: 60, Broke: 15, Mended: 3, BothFail: 36}, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleTango() {
	interval, err := Tango(Pairs{BothPass: 64, Broke: 15, Mended: 3, BothFail: 32}, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f to %.3f\n", interval.Low, interval.High)
	// Output: -0.184 to -0.036
}
