package stats

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestBayesRegressionReference(t *testing.T) {
	type args struct {
		twoSidedArgs
		Delta float64
		Prior [2]float64
	}
	refdata.Each(t, "bayes-regression", func(t *testing.T, args args, want float64) {
		got, err := BayesRegression(args.baseline(), args.candidate(), args.Delta, BetaPrior{args.Prior[0], args.Prior[1]})
		if err != nil {
			t.Fatal(err)
		}
		// The reference was integrated to 1e-13 absolute.
		if math.Abs(got-want) > 1e-9*want+1e-13 {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// The expected values were made with 25 digits or more (mpmath 1.2.1): trapezoidal
// sums of the density of one rate times the power series of the other's tail; the
// rows with a million trials that all or nearly all pass from the finite sum for
// integer parameters (Miller 2014, "Formulas for Bayesian A/B Testing").
func TestBayesRegressionAgainstMpmath(t *testing.T) {
	for _, test := range []struct {
		baseline, candidate Counts
		delta               float64
		prior               BetaPrior
		want                float64
	}{
		{Counts{95, 100}, Counts{80, 100}, 0.1, BetaPrior{1, 1}, 0.8483835996747282},
		{Counts{5, 5}, Counts{0, 5}, 0, BetaPrior{1, 1}, 0.99891774891774892},
		{Counts{0, 5}, Counts{5, 5}, 0, BetaPrior{1, 1}, 0.0010822510822510823},
		{Counts{50, 50}, Counts{50, 50}, 0.1, BetaPrior{1, 1}, 2.19593064968724e-3},
		{Counts{50, 50}, Counts{50, 50}, 0.05, BetaPrior{0.5, 0.5}, 0.01563409829232643},
		{Counts{1000, 1000}, Counts{3, 4}, 0.1, BetaPrior{1, 1}, 0.9170753239155178},
		{Counts{3, 4}, Counts{990, 1000}, 0.05, BetaPrior{1, 1}, 7.27506575651122e-17},
		{Counts{0, 0}, Counts{0, 0}, 0.25, BetaPrior{}, 0.28125},
		{Counts{20, 30}, Counts{29, 30}, 0.1, BetaPrior{2, 3}, 1.739915265389761e-4},
		{Counts{900, 1000}, Counts{890, 1000}, 0.02, BetaPrior{1, 1}, 0.232338708074607},
		{Counts{100, 100}, Counts{40, 200}, 0.5, BetaPrior{0.5, 0.5}, 0.9999999999997529},
		{Counts{1, 30}, Counts{30, 30}, 0.2, BetaPrior{1, 1}, 1.000967476873335e-22},
		{Counts{900000, 1000000}, Counts{899500, 1000000}, 0, BetaPrior{1, 1}, 0.880442536765646},
		{Counts{900000, 1000000}, Counts{898600, 1000000}, 0.001, BetaPrior{1, 1}, 0.826362304129948},
		{Counts{900000, 1000000}, Counts{899500, 1000000}, 0.004, BetaPrior{1, 1}, 8.61442689505832e-17},
		{Counts{1000000, 1000000}, Counts{999997, 1000000}, 0, BetaPrior{1, 1}, 0.93750018749985938},
		{Counts{999997, 1000000}, Counts{999940, 1000000}, 0, BetaPrior{1, 1}, 0.99999999999999763},
		{Counts{999940, 1000000}, Counts{999997, 1000000}, 0, BetaPrior{1, 1}, 2.3694586573132059e-15},
	} {
		got, err := BayesRegression(test.baseline, test.candidate, test.delta, test.prior)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, fmt.Sprintf("%+v", test), got, test.want, 1e-10)
	}
}

// For integer parameters and no delta the probability is a finite sum of fractions:
// of a+b-1 trials in all, P(X < Y) counts orders of two groups of uniform variables.
func TestBayesRegressionMatchesFractions(t *testing.T) {
	for nb := range 5 {
		for nc := range 5 {
			for kb := range nb + 1 {
				for kc := range nc + 1 {
					want := probabilityLess(kc+1, nc-kc+1, kb+1, nb-kb+1)
					got, err := BayesRegression(Counts{kb, nb}, Counts{kc, nc}, 0, BetaPrior{})
					if err != nil {
						t.Fatal(err)
					}
					refdata.Close(t, fmt.Sprintf("%d/%d against %d/%d", kb, nb, kc, nc), got, want, 1e-11)
				}
			}
		}
	}
}

// probabilityLess returns P(X < Y) for X ~ Beta(a, b) and Y ~ Beta(c, d): X is the
// a-th of a+b-1 uniform variables in order, Y the c-th of c+d-1 others. X is below Y
// if at least a of the first a+c-1 in the joint order are of the first group.
func probabilityLess(a, b, c, d int) float64 {
	first, second := int64(a+b-1), int64(c+d-1)
	drawn := int64(a + c - 1)
	total := new(big.Int).Binomial(first+second, drawn)
	sum := new(big.Int)
	for x := int64(a); x <= min(first, drawn); x++ {
		if drawn-x > second {
			continue
		}
		ways := new(big.Int).Binomial(first, x)
		sum.Add(sum, ways.Mul(ways, new(big.Int).Binomial(second, drawn-x)))
	}
	p, _ := new(big.Rat).SetFrac(sum, total).Float64()
	return p
}

func TestBayesRegressionLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		baseline, candidate := drawCounts(t, "baseline", 2000), drawCounts(t, "candidate", 2000)
		delta := rapid.Float64Range(0, 0.9).Draw(t, "delta")
		prior := BetaPrior{rapid.Float64Range(0.05, 20).Draw(t, "A"), rapid.Float64Range(0.05, 20).Draw(t, "B")}
		must := func(baseline, candidate Counts, delta float64, prior BetaPrior) float64 {
			p, err := BayesRegression(baseline, candidate, delta, prior)
			if err != nil || !(p >= 0 && p <= 1) {
				t.Fatalf("%v, error %v", p, err)
			}
			return p
		}
		p := must(baseline, candidate, delta, prior)
		if wider := must(baseline, candidate, delta+0.01, prior); wider > p+1e-9 {
			t.Fatalf("a larger delta raises %v to %v", p, wider)
		}
		// Failures for passes: p_c < p_b - delta becomes q_b < q_c - delta.
		failB, failC := Counts{baseline.Fails(), baseline.Trials}, Counts{candidate.Fails(), candidate.Trials}
		if mirrored := must(failC, failB, delta, BetaPrior{prior.B, prior.A}); math.Abs(mirrored-p) > 1e-9*math.Max(p, 1e-3) {
			t.Fatalf("failures for passes: %v against %v", mirrored, p)
		}
		// Without delta one of the two is lower.
		if sum := must(baseline, candidate, 0, prior) + must(candidate, baseline, 0, prior); math.Abs(sum-1) > 1e-9 {
			t.Fatalf("P(c < b) + P(b < c) = %v", sum)
		}
		if candidate.Passes > 0 {
			if worse := must(baseline, Counts{candidate.Passes - 1, candidate.Trials}, delta, prior); worse < p-1e-9 {
				t.Fatalf("one pass less lowers %v to %v", p, worse)
			}
		}
	})
}

func TestBayesRegressionRefuses(t *testing.T) {
	good := Counts{1, 2}
	for _, test := range []struct {
		baseline, candidate Counts
		delta               float64
		prior               BetaPrior
		argument            string
	}{
		{Counts{3, 2}, good, 0, BetaPrior{}, "passes"},
		{good, Counts{0, -1}, 0, BetaPrior{}, "trials"},
		{good, good, -0.1, BetaPrior{}, "delta"},
		{good, good, 1, BetaPrior{}, "delta"},
		{good, good, math.NaN(), BetaPrior{}, "delta"},
		{good, good, 0, BetaPrior{1, 0}, "prior"},
		{good, good, 0, BetaPrior{math.NaN(), 1}, "prior"},
		{good, good, 0, BetaPrior{1, math.Inf(1)}, "prior"},
		{good, good, 0, BetaPrior{1e-9, 1}, "prior"},
	} {
		p, err := BayesRegression(test.baseline, test.candidate, test.delta, test.prior)
		var argument *ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument || !math.IsNaN(p) {
			t.Errorf("%+v: %v, error %v", test, p, err)
		}
	}
}

func FuzzBayesRegression(f *testing.F) {
	f.Add(93, 100, 71, 100, 0.1, 1.0, 1.0)
	f.Add(0, 1<<30, 1<<30, 1<<30, 0.999999, 0.05, 1e9)
	f.Add(1<<29, 1<<30, 1<<29+100_000, 1<<30, 0.0, 0.5, 0.5)
	f.Fuzz(func(t *testing.T, kb, nb, kc, nc int, delta, a, b float64) {
		p, err := BayesRegression(Counts{kb, nb}, Counts{kc, nc}, delta, BetaPrior{a, b})
		if err == nil && !(p >= 0 && p <= 1) {
			t.Fatalf("%v", p)
		}
	})
}

func BenchmarkBayesRegression(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := BayesRegression(Counts{n * 9 / 10, n}, Counts{n * 8 / 10, n}, 0.05, BetaPrior{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleBayesRegression() {
	baseline, candidate := Counts{Passes: 95, Trials: 100}, Counts{Passes: 80, Trials: 100}
	p, err := BayesRegression(baseline, candidate, 0.1, BetaPrior{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("worse by more than ten points with probability %.3f\n", p)
	// Output: worse by more than ten points with probability 0.848
}
