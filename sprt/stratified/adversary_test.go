package stratified

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// The boundaries and both bounds are those of an earlier, independent program: false Fail .0421 and false Pass .0874
// over all vectors of 20 scenarios, .0411 and .0861 at equal rates.
func TestAdversaryOfKnownBoundaries(t *testing.T) {
	b := sprt.Boundaries{
		PassAtOrBelow: []int{0, 3, 6, 9, 12, 15, 18, 21, 26},
		FailAtOrAbove: []int{7, 9, 12, 15, 18, 21, 23, 26, 27},
	}
	fail := newAdversary(20, 2, 1).largest(b, sprt.Fail)
	pass := newAdversary(20, 4, 1).largest(b, sprt.Pass)
	equalFail := (&adversary{[]part{cut(binomial(20, 0.1))}}).largest(b, sprt.Fail)
	equalPass := (&adversary{[]part{cut(binomial(20, 0.2))}}).largest(b, sprt.Pass)
	for _, x := range []struct{ got, want float64 }{
		{fail, 0.0421}, {pass, 0.0874}, {equalFail, 0.0411}, {equalPass, 0.0861},
	} {
		if math.Abs(x.got-x.want) > 0.00006 {
			t.Errorf("%v, want %v", x.got, x.want)
		}
	}
}

// A test that fails more often at unequal rates than at equal ones, of the same program: .0775 at equal rates, .0808
// with one scenario at .18.
func TestUnequalRatesMayBeWorse(t *testing.T) {
	b := sprt.Boundaries{PassAtOrBelow: []int{0, 0, 0, 1, 1, 3}, FailAtOrAbove: []int{2, 2, 2, 2, 3, 4}}
	equal := (&adversary{[]part{cut(binomial(9, 0.02))}}).largest(b, sprt.Fail)
	one := (&adversary{[]part{cut(binomial(1, 0.18))}}).largest(b, sprt.Fail)
	all := newAdversary(9, 0.18, 1).largest(b, sprt.Fail)
	if math.Abs(equal-0.0775) > 0.00006 || math.Abs(one-0.0808) > 0.00006 || all < one {
		t.Errorf("equal %v, one %v, adversary %v", equal, one, all)
	}
}

// Of any function of the failures, no vector on a grid has a larger expectation than the adversary's.
func TestAdversaryIsLargestOverVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const trials, steps = 4, 12 // rates are multiples of limit/steps
	for range thorough.Draws(60, 3000) {
		value := make([]float64, trials+1)
		for k := range value {
			value[k] = random.Float64()
		}
		limit := 0.2 + 0.8*random.Float64()
		parts := random.IntN(trials*steps + 1)
		a := newAdversary(trials, limit*float64(parts)/steps, limit)
		most, vectors := math.Inf(-1), 0
		expected := func(p []float64) (sum float64) {
			for k, x := range p {
				sum += x * value[k]
			}
			return sum
		}
		var walk func(left, rest, top int, p []float64)
		walk = func(left, rest, top int, p []float64) {
			if left == 0 {
				if rest == 0 {
					most = math.Max(most, expected(p))
					vectors++
				}
				return
			}
			for k := 0; k <= min(rest, top); k++ {
				walk(left-1, rest-k, k, convolve(p, binomial(1, limit*float64(k)/steps), trials))
			}
		}
		walk(trials, parts, steps, []float64{1})
		bound := math.Inf(-1)
		for _, p := range a.rounds {
			mean, sum, worth := 0.0, 0.0, 0.0
			for k, x := range p.chances {
				mean += x * float64(p.from+k)
				sum += x
				worth += x * value[p.from+k]
			}
			bound = math.Max(bound, worth)
			if math.Abs(sum-1) > 1e-9 || math.Abs(mean-limit*float64(parts)/steps) > 1e-9 {
				t.Fatalf("a round of the adversary has mass %v and mean %v, want 1 and %v", sum, mean, limit*float64(parts)/steps)
			}
		}
		if vectors == 0 || most > bound+1e-12 {
			t.Fatalf("%d vectors, the best %v, the adversary %v (limit %v, %d parts, values %v)", vectors, most, bound, limit,
				parts, value)
		}
	}
}
