package stats

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// Simpson's rule in Python over one density times the other's tail, a sum of binomial terms for whole parameters.
func TestPosteriorDropAgainstSimpson(t *testing.T) {
	for _, c := range []struct {
		baseline, candidate Counts
		priors              [2]BetaPrior
		above               map[float64]float64
		low, high           float64 // 95 %
	}{
		{Counts{18, 20}, Counts{12, 20}, [2]BetaPrior{{9, 3}, {1, 1}}, map[float64]float64{
			0: 0.9826660486794331, 0.1: 0.8974352055063686, -0.05: 0.9943833293611865, 0.4: 0.1127241515273878,
		}, 0.017979780304184345, 0.4885067749466465},
		{Counts{93, 100}, Counts{71, 100}, [2]BetaPrior{}, map[float64]float64{
			0: 0.9999799860606741, 0.1: 0.9873377977427585, -0.05: 0.9999997026653711, 0.4: 0.00026354304765156215,
		}, 0.11431255332218981, 0.3188261789965132},
		{Counts{0, 0}, Counts{3, 3}, [2]BetaPrior{{5, 3}, {3, 2}}, map[float64]float64{
			0: 0.2797202797203346, 0.1: 0.15000317400630697, -0.05: 0.3618270672348951, 0.4: 0.008647631002677568,
		}, -0.5416219946513827, 0.30785652188536616},
	} {
		d, err := PosteriorDrop(c.baseline, c.candidate, c.priors[0], c.priors[1])
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range c.above {
			refdata.Close(t, fmt.Sprintf("P(drop > %v)", x), d.Above(x), want, 1e-9)
		}
		refdata.Close(t, "2.5 %", d.Quantile(0.025), c.low, 1e-9)
		refdata.Close(t, "97.5 %", d.Quantile(0.975), c.high, 1e-9)
	}
}

// With a uniform candidate and a baseline of Beta(a, 1) all is closed: P(drop > x) is
// a/(a+1)(1-x^(a+1)) - x(1-x^a) for x >= 0, and below 0, with y = -x and z = 1-y,
// a/(a+1)z^(a+1) + y z^a + 1 - z^a.
func TestPosteriorDropInClosedForm(t *testing.T) {
	for _, a := range []float64{0.5, 1, 2, 7, 300} {
		d, err := PosteriorDrop(Counts{}, Counts{}, BetaPrior{a, 1}, BetaPrior{})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "mean", d.Mean(), a/(a+1)-0.5, 1e-12)
		for _, x := range []float64{-0.99, -0.5, -0.1, 0, 0.2, 0.7, 0.95} {
			want := a/(a+1)*(1-math.Pow(x, a+1)) - x*(1-math.Pow(x, a))
			if x < 0 {
				z := 1 + x
				want = a/(a+1)*math.Pow(z, a+1) - x*math.Pow(z, a) + 1 - math.Pow(z, a)
			}
			refdata.Close(t, fmt.Sprintf("a %v: P(drop > %v)", a, x), d.Above(x), want, 1e-9)
		}
	}
	// Two uniform rates: the drop has a triangular distribution.
	d, err := PosteriorDrop(Counts{}, Counts{}, BetaPrior{}, BetaPrior{})
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "97.5 %", d.Quantile(0.975), 1-math.Sqrt(0.05), 1e-9)
	for x, want := range map[float64]float64{-1: 1, -2: 1, 1: 0, 5: 0, math.Inf(1): 0} {
		if got := d.Above(x); got != want {
			t.Errorf("P(drop > %v) = %v", x, got)
		}
	}
	for _, p := range []float64{0, 1, -1, math.NaN()} {
		if got := d.Quantile(p); !math.IsNaN(got) {
			t.Errorf("quantile %v is %v", p, got)
		}
	}
	if !math.IsNaN(d.Above(math.NaN())) {
		t.Error("P(drop > NaN) is a number")
	}
}

func TestPosteriorDropRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		baseline, candidate Counts
		priors              [2]BetaPrior
	}{
		"baseline":  {baseline: Counts{3, 2}},
		"candidate": {candidate: Counts{-1, 2}},
		"prior":     {priors: [2]BetaPrior{{1, 0}, {}}},
		"other":     {priors: [2]BetaPrior{{}, {-1, 1}}},
	} {
		_, err := PosteriorDrop(c.baseline, c.candidate, c.priors[0], c.priors[1])
		if !errors.As(err, new(*ArgumentError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
