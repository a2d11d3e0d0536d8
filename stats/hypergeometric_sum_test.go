package stats

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// convolved is the distribution of the sum written out: what [hypergeometricSum] inverts.
func convolved(ctx context.Context, groups []alikeStrata) massFunction {
	total := massFunction{mass: []float64{1}}
	for _, g := range groups {
		for range g.times {
			total = total.plus(ctx, candidatePasses(g.stratum))
		}
	}
	return total
}

// randomStrata are strata of up to so many trials a side.
func randomStrata(random *rand.Rand, strata, trials int) (list []Stratum) {
	for range strata {
		rate := 0.02 + 0.96*random.Float64()
		side := func() Counts {
			c := Counts{Trials: 1 + random.IntN(trials)}
			for range c.Trials {
				if random.Float64() < rate {
					c.Passes++
				}
			}
			return c
		}
		list = append(list, Stratum{side(), side()})
	}
	return list
}

// Every tail and mass of the sum is that of the convolution, however small it is: of a few values and of thousands.
func TestHypergeometricSumIsTheConvolution(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ strata, trials, times int }{{1, 3, 40}, {2, 4, 40}, {3, 30, 30}, {7, 200, 10},
		{40, 300, 4}, {3, 3000, 2}} {
		for range c.times {
			groups := alike(randomStrata(random, c.strata, c.trials))
			if len(groups) == 0 {
				continue
			}
			want := convolved(t.Context(), groups)
			sum := hypergeometricSumOf(groups)
			below := 0.0
			step := max(len(want.mass)/50, 1)
			for i, mass := range want.mass {
				below += mass
				if i%step != 0 || below < 1e-280 {
					continue
				}
				x := int64(want.first + i)
				if p := sum.atMost(t.Context(), x); math.Abs(p-below) > 1e-9*below {
					t.Fatalf("%v: P(sum <= %d) is %v, not %v", groups, x, p, below)
				}
				_, likely := want.tails(int(x))
				if likely < 1e-280 {
					continue // of which the convolution leaves a part out
				}
				if p := sum.noMoreLikely(t.Context(), x); math.Abs(p-likely) > 1e-9*likely {
					t.Fatalf("%v: as likely as %d at most is %v, not %v", groups, x, p, likely)
				}
			}
		}
	}
}

// A billion trials: one stratum is Fisher's test, whose tail is summed from its end.
func TestHypergeometricSumOfABillion(t *testing.T) {
	b, c := Counts{450_010_000, 500_000_000}, Counts{449_990_000, 500_000_000}
	want, err := FisherLess(b, c)
	if err != nil {
		t.Fatal(err)
	}
	if p, _, err := lessOfMany(t.Context(), alike([]Stratum{{b, c}})); err != nil || math.Abs(p-want) > 1e-8*want {
		t.Errorf("p is %v, %v; Fisher's is %v", p, err, want)
	}
	// Two strata: the same sum, one trial after the other from the end.
	strata := []Stratum{{Counts{90_000, 100_000}, Counts{89_400, 100_000}},
		{Counts{450_010_000, 500_000_000}, Counts{449_990_000, 500_000_000}}}
	law := candidatePasses(strata[0])
	want = 0
	h := candidateGivenTotal(strata[1].Baseline, strata[1].Candidate)
	total := strata[0].Candidate.Passes + strata[1].Candidate.Passes
	for i, m := range law.mass {
		if m > 1e-30 {
			want += m * h.CDF(total-law.first-i)
		}
	}
	if p, _, err := lessOfMany(t.Context(), alike(strata)); err != nil || math.Abs(p-want) > 1e-7*want {
		t.Errorf("p is %v, %v; the sum over one stratum is %v", p, err, want)
	}
}

func BenchmarkHypergeometricSumOfABillion(b *testing.B) {
	var strata []Stratum
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 {
		r := .85 + .1*float64(i%7)/7
		n := func(r float64) Counts {
			return Counts{int(r*100_000 + 95*random.NormFloat64()), 100_000}
		}
		strata = append(strata, Stratum{n(r), n(r - .005)})
	}
	groups := alike(strata)
	for b.Loop() {
		lessOfMany(b.Context(), groups)
	}
}
