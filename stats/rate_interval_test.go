package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// allMethods are all methods; tests of laws run over them.
func allMethods() []IntervalMethod {
	return []IntervalMethod{WilsonInterval, ClopperPearsonInterval, AgrestiCoullInterval, JeffreysInterval}
}

func TestRateIntervalReference(t *testing.T) {
	type args struct {
		Method         IntervalMethod
		Passes, Trials int
		Alpha          float64
	}
	refdata.Each(t, "interval", func(t *testing.T, args args, want limits) {
		got, err := args.Method.Interval(Counts{args.Passes, args.Trials}, args.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "low", got.Low, want.Low, 1e-9)
		refdata.Close(t, "high", got.High, want.High, 1e-9)
	})
}

func TestRateIntervalEndpointsAreExact(t *testing.T) {
	for _, method := range allMethods() {
		for _, n := range []int{1, 2, 7, 10, 50, 1000, 20000, 1_000_000} {
			for _, alpha := range []float64{1e-9, 0.01, 0.05, 0.1, 0.3} {
				none, err := method.Interval(Counts{0, n}, alpha)
				if err != nil || none.Low != 0 {
					t.Errorf("%v of 0/%d at %v: low %v, error %v", method, n, alpha, none.Low, err)
				}
				all, err := method.Interval(Counts{n, n}, alpha)
				if err != nil || all.High != 1 {
					t.Errorf("%v of %d/%d at %v: high %v, error %v", method, n, n, alpha, all.High, err)
				}
			}
		}
	}
}

func TestRateIntervalLaws(t *testing.T) {
	for _, method := range allMethods() {
		t.Run(method.String(), func(t *testing.T) {
			thorough.Check(t, func(t *rapid.T) { checkRateIntervalLaws(t, method) })
		})
	}
}

func checkRateIntervalLaws(t *rapid.T, method IntervalMethod) {
	c := drawCounts(t, "", 5000)
	alpha := rapid.Float64Range(1e-9, 0.3).Draw(t, "alpha")
	must := func(c Counts, alpha float64) Interval {
		got, err := method.Interval(c, alpha)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := must(c, alpha)
	if !(got.Low >= 0 && got.High <= 1 && got.Contains(c.Rate())) {
		t.Fatalf("%v of %v leaves 0..1 or misses the rate", got, c)
	}
	mirrored := must(Counts{c.Fails(), c.Trials}, alpha)
	if math.Abs(1-mirrored.High-got.Low) > 1e-12 || math.Abs(1-mirrored.Low-got.High) > 1e-12 {
		t.Fatalf("failures for passes: %v against %v", mirrored, got)
	}
	if c.Fails() > 0 {
		if better := must(Counts{c.Passes + 1, c.Trials}, alpha); better.Low < got.Low || better.High < got.High {
			t.Fatalf("one more pass lowers %v to %v", got, better)
		}
	}
	if surer := must(c, alpha/2); surer.Low > got.Low || surer.High < got.High {
		t.Fatalf("level 1-%v gives %v within %v", alpha/2, surer, got)
	}
	times := rapid.IntRange(2, 20).Draw(t, "times")
	if more := must(Counts{c.Passes * times, c.Trials * times}, alpha); more.Width() >= got.Width() {
		t.Fatalf("%d times the trials: %v is no narrower than %v", times, more, got)
	}
}

func TestRateIntervalRefuses(t *testing.T) {
	for _, test := range []struct {
		method   IntervalMethod
		c        Counts
		alpha    float64
		argument string
	}{
		{WilsonInterval, Counts{}, 0.05, "trials"},
		{ClopperPearsonInterval, Counts{}, 0.05, "trials"},
		{AgrestiCoullInterval, Counts{-1, 3}, 0.05, "passes"},
		{JeffreysInterval, Counts{4, 3}, 0.05, "passes"},
		{WilsonInterval, Counts{0, MaxTrials + 1}, 0.05, "trials"},
		{WilsonInterval, Counts{1, 3}, 0, "alpha"},
		{ClopperPearsonInterval, Counts{1, 3}, 1, "alpha"},
		{JeffreysInterval, Counts{1, 3}, math.NaN(), "alpha"},
		{AgrestiCoullInterval, Counts{1, 3}, math.Inf(1), "alpha"},
		{IntervalMethod(9), Counts{1, 3}, 0.05, "interval"},
		{IntervalMethod(-1), Counts{1, 3}, 0.05, "interval"},
	} {
		_, err := test.method.Interval(test.c, test.alpha)
		var argument *ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument {
			t.Errorf("%+v: error %v, want one about %s", test, err, test.argument)
		}
	}
}

func TestIntervalMethodText(t *testing.T) {
	names := map[IntervalMethod]string{
		WilsonInterval: "wilson", ClopperPearsonInterval: "clopper-pearson",
		AgrestiCoullInterval: "agresti-coull", JeffreysInterval: "jeffreys",
	}
	for method, name := range names {
		text, err := json.Marshal(method)
		if err != nil || string(text) != `"`+name+`"` {
			t.Errorf("%v is written as %s, error %v", method, text, err)
		}
		var got IntervalMethod
		if err := json.Unmarshal(text, &got); err != nil || got != method {
			t.Errorf("%s is read as %v, error %v", text, got, err)
		}
	}
	var zero IntervalMethod
	if diff := cmp.Diff("wilson", zero.String()); diff != "" {
		t.Error(diff)
	}
	if err := new(IntervalMethod).UnmarshalText([]byte("wald")); err == nil {
		t.Error(`"wald" is accepted`)
	}
	if _, err := IntervalMethod(4).MarshalText(); err == nil {
		t.Error("an unknown method is written")
	}
	kept := JeffreysInterval
	if err := kept.UnmarshalText([]byte("Wilson")); err == nil || kept != JeffreysInterval {
		t.Errorf("a wrong name gives %v, error %v", kept, err)
	}
}

func FuzzRateInterval(f *testing.F) {
	for method := range allMethods() {
		f.Add(method, 45, 50, 0.05)
		f.Add(method, 1, 1<<30, 1e-300)
		f.Add(method, 1<<29, 1<<30, 0.9999999)
	}
	f.Fuzz(func(t *testing.T, method, passes, trials int, alpha float64) {
		c := Counts{passes, trials}
		got, err := IntervalMethod(method).Interval(c, alpha)
		valid := c.validateNonEmpty() == nil && argument.OpenUnit("alpha", alpha) == nil &&
			intervalMethods.Has(IntervalMethod(method))
		if valid != (err == nil) {
			t.Fatalf("error %v", err)
		}
		if err != nil {
			return
		}
		if !(got.Low >= 0 && got.Low <= got.High && got.High <= 1) {
			t.Fatalf("%v of %v at %v is %v", IntervalMethod(method), c, alpha, got)
		}
	})
}

func TestRateIntervalDoesNotAllocate(t *testing.T) {
	for _, method := range allMethods() {
		for _, c := range []Counts{{3, 50}, {450, 5000}, {999_990, 1_000_000}} {
			allocations := testing.AllocsPerRun(10, func() {
				if _, err := method.Interval(c, 0.05); err != nil {
					t.Error(err)
				}
			})
			if allocations > 0 {
				t.Errorf("%v of %v: %v allocations", method, c, allocations)
			}
		}
	}
}

func BenchmarkRateInterval(b *testing.B) {
	for _, method := range allMethods() {
		for _, n := range []int{4, 50, 1000, 1_000_000} {
			b.Run(fmt.Sprintf("%v/%d", method, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := method.Interval(Counts{n * 3 / 4, n}, 0.05); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
