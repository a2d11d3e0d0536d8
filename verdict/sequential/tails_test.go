package sequential

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// Of a test with one look the tails are those of the binomial distribution, with errors as
// the policy has them: 17 of 20 at 0.8, and with three errors as passes or failures.
func TestTailsOfOneLook(t *testing.T) {
	once, err := sprt.Fixed(sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1}, 20)
	if err != nil {
		t.Fatal(err)
	}
	tail := func(from, to int) (sum float64) {
		for k := from; k <= to; k++ {
			ways, _ := math.Lgamma(21)
			a, _ := math.Lgamma(float64(k + 1))
			b, _ := math.Lgamma(float64(21 - k))
			sum += math.Exp(ways-a-b) * math.Pow(.8, float64(k)) * math.Pow(.2, float64(20-k))
		}
		return sum
	}
	const outcomes = "ppppppppppppppppf" + "fep" + "eepppp"
	for _, c := range []struct {
		policy    verdict.ErrorPolicy
		outcomes  string
		low, high float64
	}{
		{verdict.ExcludeErrors, outcomes, tail(0, 18), tail(18, 20)}, // the errors left out: 18 of the first 20
		{verdict.RobustErrors, outcomes, tail(0, 18), tail(17, 20)},  // with the first error as a pass 18 of 20, else 17
		{verdict.FailErrors, outcomes, tail(0, 17), tail(17, 20)},
		{verdict.RobustErrors, "ppp", 1, 1}, // it has not ended
		{verdict.RobustErrors, "ppe", 1, 1},
	} {
		r, err := Judge(t.Context(), stream(c.outcomes), Options{Design: once, Errors: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		low, high, err := r.Tails(.8)
		if err != nil || math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%v, %s: %v, %v, %v; want %v, %v", c.policy, c.outcomes, low, high, err, c.low, c.high)
		}
	}
}

// The tails at the ends of shuffled recordings are those of the test that the shuffle gave, and
// together they hold the end itself twice.
func TestTailsOfShuffles(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		outcomes := ""
		for range 200 {
			outcomes += map[bool]string{true: "p", false: "f"}[random.Float64() < .85]
		}
		r := sequential(t, stream(outcomes), Options{Order: ShuffleOrder})
		low, high, err := r.Tails(.85)
		want, other, err2 := sample.Design().Boundaries.Tails(r.Trials, r.Trials-r.Passes, .85)
		if err != nil || err2 != nil || low != want || high != other || low+high < 1-1e-9 {
			t.Errorf("seed %d: %v, %v, %v; want %v, %v", seed, low, high, err, want, other)
		}
	}
}
