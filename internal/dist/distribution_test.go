package dist

import (
	"math"
	"math/big"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestBinomialTailReference(t *testing.T) {
	type args struct {
		N, K int
		P    float64
	}
	refdata.Each(t, "binomial-sf", func(t *testing.T, a args, want float64) {
		refdata.Close(t, "Survival", Binomial{a.N, a.P}.Survival(a.K), want, 1e-10)
	})
}

func TestBinomialAgainstRationals(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40} {
		for _, p := range []float64{1e-9, 0.03, 0.5, 0.9, 1 - 1e-12} {
			lower, upper := 0.0, 0.0
			for k := 0; k <= n; k++ {
				refdata.Close(t, "Prob", Binomial{n, p}.Prob(k), refdata.ExactBinomial(n, k, p), 1e-12)
			}
			for k := 0; k < n; k++ {
				lower += refdata.ExactBinomial(n, k, p)
				refdata.Close(t, "CDF", Binomial{n, p}.CDF(k), lower, 1e-12)
				upper += refdata.ExactBinomial(n, n-k, p)
				refdata.Close(t, "Survival", Binomial{n, p}.Survival(n-k-1), upper, 1e-12)
			}
		}
	}
}

func TestHypergeometricAgainstRationals(t *testing.T) {
	const population = 23
	total := func(n, k int) *big.Int { return new(big.Int).Binomial(int64(n), int64(k)) }
	for successes := 0; successes <= population; successes++ {
		for draws := 0; draws <= population; draws += 4 {
			h := Hypergeometric{population, successes, draws}
			cdf := 0.0
			for x := 0; x <= draws; x++ {
				ways := new(big.Int)
				if draws-x <= population-successes && x <= successes {
					ways.Mul(total(successes, x), total(population-successes, draws-x))
				}
				want, _ := new(big.Rat).SetFrac(ways, total(population, draws)).Float64()
				refdata.Close(t, "Prob", h.Prob(x), want, 1e-12)
				cdf += want
				refdata.Close(t, "CDF", h.CDF(x), cdf, 1e-12)
				refdata.Near(t, "CDF+Survival", h.CDF(x)+h.Survival(x), 1, 1e-13)
			}
		}
	}
}

func TestDistributionsOutsideTheirParameters(t *testing.T) {
	for _, b := range []Binomial{{-1, 0.5}, {3, -0.1}, {3, 1.1}, {3, math.NaN()}} {
		if !math.IsNaN(b.Prob(1)) || !math.IsNaN(b.CDF(1)) || !math.IsNaN(b.Survival(1)) {
			t.Errorf("%+v does not give NaN", b)
		}
	}
	for _, h := range []Hypergeometric{{5, 6, 2}, {5, 2, 6}, {5, -1, 2}, {-1, 0, 0}} {
		if !math.IsNaN(h.Prob(1)) || !math.IsNaN(h.CDF(1)) || !math.IsNaN(h.Survival(1)) {
			t.Errorf("%+v does not give NaN", h)
		}
	}
}

func FuzzDistributions(f *testing.F) {
	f.Add(10, 3, 0.5, 4)
	f.Add(0, 0, 0.0, 0)
	f.Add(1<<20, 1<<19, 0.5, 1<<18)
	f.Fuzz(func(t *testing.T, n, k int, p float64, draws int) {
		n, draws = n%(1<<22), draws%(1<<22)
		for _, value := range []float64{
			Binomial{n, p}.Prob(k), Binomial{n, p}.CDF(k), Binomial{n, p}.Survival(k),
			Hypergeometric{n, k, draws}.Prob(draws / 2), Hypergeometric{n, k, draws}.CDF(draws / 2),
		} {
			if !math.IsNaN(value) && (value < 0 || value > 1+1e-9) {
				t.Fatalf("n %d k %d p %v draws %d: probability %v", n, k, p, draws, value)
			}
		}
	})
}
