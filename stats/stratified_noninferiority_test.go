package stats

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// unequalMasses is the distribution of the passes of trials with rates of their own, by the recursion over
// trials.
func unequalMasses(rates []float64) []float64 {
	mass := []float64{1}
	for _, p := range rates {
		next := make([]float64, len(mass)+1)
		for k, m := range mass {
			next[k] += m * (1 - p)
			next[k+1] += m * p
		}
		mass = next
	}
	return mass
}

// The bound near the mean is one of all sums of independent trials: by Hoeffding's theorem the extremes are
// constants and one rate.
func TestNearMeanBoundsEverySum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 9, 17, 40} {
		for k := range n {
			for _, s := range []float64{.02, .2, .4, .6, .69, .75, .8, .9, 1} {
				if float64(k)+s > float64(n) {
					continue
				}
				tail := dist.Binomial{N: n, P: (float64(k) + s) / float64(n)}.CDF(k)
				bound := nearMean(n, k, s, tail)
				for ones := range k + 1 {
					rest := k - ones
					for m := rest + 1; m <= n-ones; m++ {
						if p := (float64(rest) + s) / float64(m); p <= 1 {
							if at := (dist.Binomial{N: m, P: p}).CDF(rest); at > bound+1e-12 {
								t.Fatalf("n %d, k %d, s %v: %d ones and %d of %v have %v, above %v", n, k, s, ones, m, p, at, bound)
							}
						}
					}
				}
			}
		}
	}
}

// A p-value is small with at most its own probability, whatever the rates of the trials are, where the mean
// drops by delta: by enumeration of both totals.
func TestStratifiedNonInferiorityHoldsAtUnequalRates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		n     [2]int
		delta float64
	}{{[2]int{4, 4}, .3}, {[2]int{10, 10}, .1}, {[2]int{6, 18}, .2}, {[2]int{20, 20}, .05}} {
		p := make([][]float64, c.n[0]+1)
		for b := range p {
			p[b] = make([]float64, c.n[1]+1)
			for k := range p[b] {
				r, err := StratifiedNonInferiority(context.Background(), []Stratum{{Counts{b, c.n[0]}, Counts{k, c.n[1]}}}, nil,
					c.delta)
				if err != nil {
					t.Fatal(err)
				}
				p[b][k] = r.P
			}
		}
		for range 300 {
			var sides [2][]float64
			mean := c.delta + (1-c.delta)*math.Sqrt(random.Float64())
			for side, rate := range []float64{mean, mean - c.delta} {
				sides[side] = unequalMasses(ratesAround(random, c.n[side], rate))
			}
			for _, level := range []float64{.02, .1, .3} {
				chance := 0.0
				for b, m := range sides[0] {
					for k, also := range sides[1] {
						if p[b][k] <= level {
							chance += m * also
						}
					}
				}
				if chance > level*(1+1e-9) {
					t.Fatalf("%v, delta %v: p <= %v with probability %v", c.n, c.delta, level, chance)
				}
			}
		}
	}
}

// ratesAround are rates with exactly this mean: constants with one rate, two rates, or equal ones.
func ratesAround(random *rand.Rand, n int, mean float64) []float64 {
	rates := make([]float64, n)
	ones := random.IntN(int(mean*float64(n)) + 1)
	most := n - ones
	least := max(int(math.Ceil(mean*float64(n)-float64(ones))), 1)
	some := least + random.IntN(most-least+1)
	for i := range rates {
		switch {
		case i < ones:
			rates[i] = 1
		case i < ones+some:
			rates[i] = (mean*float64(n) - float64(ones)) / float64(some)
		}
	}
	return rates
}

// Two strata in other proportions on both sides: what is left out to make them equal keeps the level, by
// enumeration of all four counts.
func TestStratifiedNonInferiorityHoldsInAnotherMix(t *testing.T) {
	sizes := [2][2]int{{8, 4}, {4, 10}} // by stratum: baseline, candidate
	const delta = .2
	p := map[[4]int]float64{}
	for _, rates := range [][2]float64{{.99, .6}, {1, .3}, {.7, .7}, {.5, .95}, {.95, .25}} {
		var counts [4][]float64
		for s, rate := range rates {
			counts[2*s] = unequalMasses(repeat(rate, sizes[s][0]))
			counts[2*s+1] = unequalMasses(repeat(rate-delta, sizes[s][1]))
		}
		for _, level := range []float64{.05, .1, .4} {
			chance := 0.0
			for a, w := range counts[0] {
				for b, x := range counts[1] {
					for c, y := range counts[2] {
						for d, z := range counts[3] {
							at := [4]int{a, b, c, d}
							if _, known := p[at]; !known {
								r, err := StratifiedNonInferiority(context.Background(), []Stratum{
									{Counts{a, sizes[0][0]}, Counts{b, sizes[0][1]}}, {Counts{c, sizes[1][0]}, Counts{d, sizes[1][1]}},
								}, nil, delta)
								if err != nil {
									t.Fatal(err)
								}
								p[at] = r.P
							}
							if p[at] <= level {
								chance += w * x * y * z
							}
						}
					}
				}
			}
			if chance > level {
				t.Errorf("rates %v: p <= %v with probability %v", rates, level, chance)
			}
		}
	}
}

func repeat(x float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// With more of one side than of the other, in the same shares, nothing is left out.
func TestSharesUsed(t *testing.T) {
	for _, c := range []struct {
		strata []Stratum
		used   float64
	}{
		{[]Stratum{{Counts{1, 50}, Counts{1, 10}}, {Counts{1, 100}, Counts{1, 20}}}, 1},
		// Ten of each side in the first stratum, and twenty in the second, are what is left.
		{[]Stratum{{Counts{9, 10}, Counts{70, 80}}, {Counts{70, 80}, Counts{9, 10}}}, 40.0 / 180},
	} {
		used, mismatch, err := SharesUsed(c.strata, nil, .1)
		if err != nil || mismatch != 0 || math.Abs(used-c.used) > 1e-12 {
			t.Errorf("%v: used %v, mismatch %v, error %v; want %v", c.strata, used, mismatch, err, c.used)
		}
	}
}
