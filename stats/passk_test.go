package stats

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

type passKArgs struct{ Passes, Trials, K int }

func TestPassKReference(t *testing.T) {
	refdata.Each(t, "pass-at-k", func(t *testing.T, args passKArgs, want float64) {
		got, err := PassAtK(Counts{args.Passes, args.Trials}, args.K)
		if err != nil {
			t.Fatal(err)
		}
		// The reference is 1 - C(n-c,k)/C(n,k): right to an ulp of 1 only.
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	refdata.Each(t, "pass-hat-k", func(t *testing.T, args passKArgs, want float64) {
		got, err := PassHatK(Counts{args.Passes, args.Trials}, args.K)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "pass^k", got, want, 1e-12)
	})
}

// All sets of k of up to 9 trials are looked at.
func TestPassKMatchesEnumeration(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for passes := range n + 1 {
			for k := 1; k <= n; k++ {
				sets, some, all := 0.0, 0.0, 0.0
				for set := range uint(1) << n {
					if bits.OnesCount(set) != k {
						continue
					}
					sets++
					passed := bits.OnesCount(set & (1<<passes - 1))
					if passed > 0 {
						some++
					}
					if passed == k {
						all++
					}
				}
				at, err := PassAtK(Counts{passes, n}, k)
				hat, err2 := PassHatK(Counts{passes, n}, k)
				if err := errors.Join(err, err2); err != nil {
					t.Fatal(err)
				}
				refdata.Close(t, fmt.Sprintf("pass@%d of %d/%d", k, passes, n), at, some/sets, 1e-14)
				refdata.Close(t, fmt.Sprintf("pass^%d of %d/%d", k, passes, n), hat, all/sets, 1e-14)
			}
		}
	}
}

// Against exact fractions where the binomial coefficients overflow any float.
func TestPassKWithManyTrials(t *testing.T) {
	for _, test := range []struct{ passes, trials, k int }{
		{9990, 10000, 5000}, {10, 10000, 40}, {1, 100_000, 3}, {99_000, 100_000, 700}, {4000, 10000, 2},
	} {
		ratio := func(kept int) *big.Rat {
			top := new(big.Int).Binomial(int64(kept), int64(test.k))
			return new(big.Rat).SetFrac(top, new(big.Int).Binomial(int64(test.trials), int64(test.k)))
		}
		wantHat, _ := ratio(test.passes).Float64()
		wantAt, _ := new(big.Rat).Sub(big.NewRat(1, 1), ratio(test.trials-test.passes)).Float64()
		at, err := PassAtK(Counts{test.passes, test.trials}, test.k)
		hat, err2 := PassHatK(Counts{test.passes, test.trials}, test.k)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, fmt.Sprintf("pass@k %+v", test), at, wantAt, 1e-12)
		refdata.Close(t, fmt.Sprintf("pass^k %+v", test), hat, wantHat, 1e-11)
	}
}

// The estimates are unbiased: their mean over the binomial distribution of the
// passes is 1-(1-p)^k and p^k.
func TestPassKIsUnbiased(t *testing.T) {
	const n = 12
	for _, p := range []float64{0.1, 0.5, 0.93} {
		for k := 1; k <= n; k++ {
			meanAt, meanHat := 0.0, 0.0
			for passes := range n + 1 {
				mass := dist.Binomial{N: n, P: p}.Prob(passes)
				at, _ := PassAtK(Counts{passes, n}, k)
				hat, _ := PassHatK(Counts{passes, n}, k)
				meanAt += mass * at
				meanHat += mass * hat
			}
			refdata.Close(t, "pass@k", meanAt, 1-math.Pow(1-p, float64(k)), 1e-12)
			refdata.Close(t, "pass^k", meanHat, math.Pow(p, float64(k)), 1e-12)
		}
	}
}

func TestPassKLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := drawCounts(t, "", 500)
		k := rapid.IntRange(1, c.Trials).Draw(t, "k")
		at, err := PassAtK(c, k)
		hat, err2 := PassHatK(c, k)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !(hat >= 0 && hat <= c.Rate()+1e-15 && c.Rate() <= at+1e-15 && at <= 1) {
			t.Fatalf("pass^k %v, rate %v, pass@k %v", hat, c.Rate(), at)
		}
		if failed, _ := PassHatK(Counts{c.Fails(), c.Trials}, k); math.Abs(1-failed-at) > 1e-14 {
			t.Fatalf("no pass with probability %v, some with %v", failed, at)
		}
		if k > 1 {
			if fewer, _ := PassAtK(c, k-1); fewer > at+1e-15 {
				t.Fatalf("pass@k falls from %v to %v", fewer, at)
			}
		}
	})
}

func TestPassKRefuses(t *testing.T) {
	for _, test := range []struct {
		c        Counts
		k        int
		argument string
	}{
		{Counts{2, 4}, 0, "k"}, {Counts{2, 4}, -1, "k"}, {Counts{2, 4}, 5, "k"}, {Counts{}, 1, "trials"},
		{Counts{5, 4}, 1, "passes"},
	} {
		for _, f := range []func(Counts, int) (float64, error){PassAtK, PassHatK} {
			got, err := f(test.c, test.k)
			var argument *ArgumentError
			if !errors.As(err, &argument) || argument.Argument != test.argument || !math.IsNaN(got) {
				t.Errorf("%+v: %v, error %v", test, got, err)
			}
		}
	}
}

func FuzzPassK(f *testing.F) {
	f.Add(84, 200, 4)
	f.Add(1<<29, 1<<30, 1<<29)
	f.Add(1<<30-40000, 1<<30, 1<<14)
	f.Fuzz(func(t *testing.T, passes, trials, k int) {
		c := Counts{passes, trials}
		at, err := PassAtK(c, k)
		hat, err2 := PassHatK(c, k)
		if valid := checkK(c, k) == nil; valid != (err == nil) || valid != (err2 == nil) {
			t.Fatalf("errors %v, %v", err, err2)
		}
		if err == nil && !(hat >= 0 && hat <= at+1e-12 && at <= 1) {
			t.Fatalf("pass@%d of %v is %v, pass^%d %v", k, c, at, k, hat)
		}
	})
}

func ExamplePassHatK() {
	c := Counts{Passes: 3, Trials: 4}
	for k := 1; k <= 4; k++ {
		hat, err := PassHatK(c, k)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("pass^%d %.2f\n", k, hat)
	}
	// Output:
	// pass^1 0.75
	// pass^2 0.50
	// pass^3 0.25
	// pass^4 0.00
}
