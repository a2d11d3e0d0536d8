package stats

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestBinomialTestReference(t *testing.T) {
	type args struct {
		Passes, Trials int
		P0             float64
		Alternative    string
	}
	tests := map[string]func(Counts, float64) (float64, error){"less": BinomialTestLess, "greater": BinomialTestGreater}
	refdata.Each(t, "binomial-test", func(t *testing.T, args args, want float64) {
		got, err := tests[args.Alternative](Counts{args.Passes, args.Trials}, args.P0)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, args.Alternative, got, want, 1e-9)
	})
}

// Every outcome of up to 12 trials, against sums of exact fractions.
func TestBinomialTestMatchesEnumeration(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for tenths := range int64(11) {
			p, q := big.NewRat(tenths, 10), big.NewRat(10-tenths, 10)
			mass := make([]*big.Rat, n+1)
			for k := range mass {
				mass[k] = new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
				for range k {
					mass[k].Mul(mass[k], p)
				}
				for range n - k {
					mass[k].Mul(mass[k], q)
				}
			}
			for k := range n + 1 {
				less, greater := new(big.Rat), new(big.Rat)
				for x := range n + 1 {
					if x <= k {
						less.Add(less, mass[x])
					}
					if x >= k {
						greater.Add(greater, mass[x])
					}
				}
				wantLess, _ := less.Float64()
				wantGreater, _ := greater.Float64()
				p0 := float64(tenths) / 10
				gotLess, err := BinomialTestLess(Counts{k, n}, p0)
				gotGreater, err2 := BinomialTestGreater(Counts{k, n}, p0)
				if err := errors.Join(err, err2); err != nil {
					t.Fatal(err)
				}
				refdata.Close(t, fmt.Sprintf("less, %d/%d at %v", k, n, p0), gotLess, wantLess, 1e-13)
				refdata.Close(t, fmt.Sprintf("greater, %d/%d at %v", k, n, p0), gotGreater, wantGreater, 1e-13)
			}
		}
	}
}

func TestBinomialTestLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := drawCounts(t, "", 3000)
		p0 := rapid.Float64Range(0, 1).Draw(t, "p0")
		must := func(p float64, err error) float64 {
			if err != nil || !(p >= 0 && p <= 1) {
				t.Fatalf("p-value %v, error %v", p, err)
			}
			return p
		}
		less := must(BinomialTestLess(c, p0))
		greater := must(BinomialTestGreater(c, p0))
		// The two tails share the observed outcome.
		if sum, want := less+greater, 1+(dist.Binomial{N: c.Trials, P: p0}.Prob(c.Passes)); math.Abs(sum-want) > 1e-11 {
			t.Fatalf("the tails add up to %v, want %v", sum, want)
		}
		// p0 = 1/4 + 1/2 and the like are exact, so that relabelling is, too.
		q0 := 1 - p0
		if mirrored := must(BinomialTestGreater(Counts{c.Fails(), c.Trials}, q0)); 1-q0 == p0 &&
			math.Abs(mirrored-less) > 1e-9*less {
			t.Fatalf("failures for passes: %v, want %v", mirrored, less)
		}
		if c.Passes > 0 {
			if worse := must(BinomialTestLess(Counts{c.Passes - 1, c.Trials}, p0)); worse > less {
				t.Fatalf("one pass less raises the p-value from %v to %v", less, worse)
			}
		}
	})
}

// Under H0 a p-value is uniform or larger: P(p <= u) <= u, by enumeration.
func TestBinomialTestKeepsItsLevel(t *testing.T) {
	const n = 30
	for _, p0 := range []float64{0.05, 0.5, 0.9} {
		for k := range n + 1 {
			p, err := BinomialTestLess(Counts{k, n}, p0)
			if err != nil {
				t.Fatal(err)
			}
			rejected := 0.0
			for x := range n + 1 {
				if other, _ := BinomialTestLess(Counts{x, n}, p0); other <= p {
					rejected += dist.Binomial{N: n, P: p0}.Prob(x)
				}
			}
			if rejected > p*(1+1e-12) {
				t.Errorf("p0 = %v: P(p <= %v) = %v", p0, p, rejected)
			}
		}
	}
}

func TestBinomialTestRefuses(t *testing.T) {
	for _, test := range []struct {
		c        Counts
		p0       float64
		argument string
	}{
		{Counts{}, 0.5, "trials"},
		{Counts{2, 1}, 0.5, "passes"},
		{Counts{1, 2}, -0.1, "p0"},
		{Counts{1, 2}, math.NaN(), "p0"},
	} {
		for _, f := range []func(Counts, float64) (float64, error){BinomialTestLess, BinomialTestGreater} {
			p, err := f(test.c, test.p0)
			var argument *ArgumentError
			if !errors.As(err, &argument) || argument.Argument != test.argument || !math.IsNaN(p) {
				t.Errorf("%+v: %v, error %v", test, p, err)
			}
		}
	}
}

func FuzzBinomialTest(f *testing.F) {
	f.Add(45, 50, 0.9)
	f.Add(0, 1<<30, 1e-300)
	f.Fuzz(func(t *testing.T, passes, trials int, p0 float64) {
		c := Counts{passes, trials}
		less, err := BinomialTestLess(c, p0)
		greater, err2 := BinomialTestGreater(c, p0)
		if (err == nil) != (checkBinomialTest(c, p0) == nil) || (err == nil) != (err2 == nil) {
			t.Fatalf("errors %v, %v", err, err2)
		}
		if err == nil && !(less >= 0 && less <= 1 && greater >= 0 && greater <= 1 && less+greater > 1-1e-9) {
			t.Fatalf("%v at %v: %v and %v", c, p0, less, greater)
		}
	})
}

func ExampleBinomialTestLess() {
	p, err := BinomialTestLess(Counts{Passes: 40, Trials: 50}, 0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", p)
	// Output: 0.0245
}
