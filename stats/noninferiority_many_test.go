package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Of some hundreds of trials up to 100,000 a side p is the exact test's over all rates, but for what the interval
// leaves out and may miss, and the answer at a level is that of p.
func TestNonInferiorityOfManyIsThatOfAllRates(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	sizes := []int{300, 300, 300, 1000, 1000, 1000, 4000, 4000}
	if thorough.Asked() {
		sizes = append(sizes, 20_000, 100_000)
	}
	shown := map[bool]int{}
	for _, n := range sizes {
		for _, rate := range []float64{.01, .1, .6} {
			const delta = .02
			nc := n - n/5 + random.IntN(n/3)
			deviation := math.Sqrt(rate*(1-rate)/float64(n) + (rate+delta)*(1-rate-delta)/float64(nc))
			z := .5 + 2*random.Float64()
			b := Counts{n - int(rate*float64(n)), n}
			c := Counts{nc - int(math.Max((rate+delta-z*deviation)*float64(nc), 0)), nc}
			exact, err := NonInferiority(t.Context(), b, c, delta)
			if err != nil {
				t.Fatal(err)
			}
			got, err := NonInferiorityOfMany(t.Context(), b, c, delta)
			if err != nil || got > exact*(1+3e-3)+2e-6 || got < exact*.7 {
				t.Errorf("%v and %v: %v, %v; over all rates %v", b, c, got, err, exact)
			}
			// The rates at which it is largest among those of the interval.
			if at := atConstrainedRates(b, c, delta); got < at*(1-1e-9) {
				t.Errorf("%v and %v: %v; at the constrained rates it is %v", b, c, got, at)
			}
			for _, beta := range []float64{.05, .1, .2} {
				answer, err := ShowsNonInferiorityOfMany(t.Context(), b, c, delta, beta)
				// A bound may show what p, which is found to a tolerance, is a little above of.
				if err != nil || answer != (got <= beta) && math.Abs(got-beta) > 3e-3*beta {
					t.Errorf("%v and %v: shown at %v %v, %v; p is %v", b, c, beta, answer, err, got)
				}
				shown[answer]++
			}
		}
	}
	if shown[true] < 10 || shown[false] < 10 {
		t.Errorf("shown %v", shown)
	}
}

// atConstrainedRates is the probability of a table at least as extreme at the rates of the largest likelihood.
func atConstrainedRates(b, c Counts, delta float64) float64 {
	e := newNonInferiorityEvent(b.Trials, c.Trials, delta)
	e.orderUpTo(e.ordering(b.Fails(), c.Fails()))
	pb, pc := constrainedMLE(b, c, -delta)
	return e.staircase.chance(1-pb, pb, 1-pc, pc)
}

// A billion trials: the normal distribution has the same score.
func TestNonInferiorityOfABillion(t *testing.T) {
	const n, delta = 500_000_000, .001
	deviation := math.Sqrt((.1*.9 + .101*.899) / n)
	b := Counts{n - n/10, n}
	for _, x := range [][2]float64{{2, .0227501}, {1, .158655}, {3, .00134990}}[:thorough.Draws(1, 3)] {
		z, want := x[0], x[1]
		p, err := NonInferiorityOfMany(t.Context(), b, Counts{n - int((.101-z*deviation)*n), n}, delta)
		if err != nil || math.Abs(p-want) > 5e-3*want+2e-6 {
			t.Errorf("z %v: %v, %v; want about %v", z, p, err, want)
		}
	}
}
