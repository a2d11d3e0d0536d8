package stratified

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Whatever was seen before, a round's bet has an expectation of at most 1 where the rates are within H0: by every
// outcome of a round of three scenarios, the last with two trials.
func TestBetOfARound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	q := Question{Scenarios: 3, Weights: []int{1, 1, 2}}
	for range thorough.Draws(200, 20_000) {
		null := 0.05 + 0.5*random.Float64()
		other := null + (0.95-null)*random.Float64()
		if random.IntN(2) == 0 {
			null, other = other, null
		}
		rates := []float64{random.Float64(), random.Float64(), random.Float64()}
		// Within H0: no more fail on average, or no fewer.
		mean := (rates[0] + rates[1] + 2*rates[2]) / 4
		for i := range rates {
			if other > null {
				rates[i] *= math.Min(1, null/mean)
			} else {
				rates[i] = 1 - (1-rates[i])*math.Min(1, (1-null)/(1-mean))
			}
		}
		history := view{candidate: make([][]bool, 3)}
		const before = 6
		for i := range history.candidate {
			chance := random.Float64()
			for range before * q.Weight(i) {
				history.candidate[i] = append(history.candidate[i], random.Float64() < chance)
			}
		}
		expectation := 0.0
		for code := range 16 {
			v := view{candidate: make([][]bool, 3)}
			mass, bit := 1.0, 0
			for i := range v.candidate {
				v.candidate[i] = append([]bool(nil), history.candidate[i]...)
				for range q.Weight(i) {
					failed := code>>bit&1 == 1
					bit++
					v.candidate[i] = append(v.candidate[i], failed)
					if failed {
						mass *= rates[i]
					} else {
						mass *= 1 - rates[i]
					}
				}
			}
			b := newBet(q, null, other)
			for r := 1; r <= before; r++ {
				b.take(v, r)
			}
			wealth := b.wealth
			b.take(v, before+1)
			expectation += mass * math.Exp(b.wealth-wealth)
		}
		if expectation > 1+1e-9 {
			t.Fatalf("null %v, other %v, rates %v: %v", null, other, rates, expectation)
		}
	}
}

func TestAnytimeSimulated(t *testing.T) {
	d := planned(t, Question{Scenarios: 5, Delta: 0.2, Anytime: true})
	repetitions := thorough.Draws(40, 4000)
	for n, x := range []struct {
		rates []float64
		fail  bool
	}{
		{same(5, 0.9), true}, {both(same(4, 1), same(1, 0.5)), true}, {same(5, 0.7), false},
		{both(same(3, 1), same(2, 0.25)), false},
	} {
		c, err := d.Simulate(context.Background(), x.rates, nil, repetitions, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		wrong, most := c.Pass, d.Promise().FalsePass
		if x.fail {
			wrong, most = c.Fail, d.Promise().FalseFail
		}
		// A scenario of .5 is below its floor, and may collapse.
		if !(x.fail && x.rates[4] < 0.7) && wrong > most+4*math.Sqrt(most*(1-most)/float64(repetitions)) {
			t.Errorf("%v: %+v, promised %v", x.rates, c, most)
		}
	}
}
