package interim

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Lan and DeMets' function 2(1-Φ(z/√t)) at thirds of the trials, by mpmath 1.3.0.
func TestOBrienFleming(t *testing.T) {
	parts, err := OBrienFleming(0.025, []float64{1.0 / 3, 2.0 / 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, want := range []float64{0.000103505718147154, 0.00604838912990763, 0.025} {
		sum += parts[i]
		refdata.Close(t, "spent", sum, want, 1e-9)
	}
	for _, shares := range [][]float64{nil, {0.5}, {0.5, 0.5, 1}, {0, 1}, {math.NaN(), 1}, {1.5, 1}} {
		if _, err := OBrienFleming(0.05, shares); err == nil {
			t.Errorf("%v was accepted", shares)
		}
	}
}

// Looks at exchangeable samples find a change at most as often as they may
// altogether; and one that is there, before the last look.
func TestPlan(t *testing.T) {
	alphas, err := OBrienFleming(0.2, []float64{0.5, 1})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 300
	alarms := 0
	for i := range runs {
		plan, err := New(alphas, fingerprint.Options{Permutations: 199, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		random := seeded.Stream(77, uint64(i))
		var sides [2]fingerprint.Sample
		for n := 0; n < 2; n++ {
			grow(&sides, random, 8, 0)
			c, err := plan.Look(t.Context(), &sides[0], &sides[1])
			if errors.Is(err, errNoLookLeft) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Changed {
				alarms++
			}
		}
	}
	t.Logf("%d alarms in %d runs", alarms, runs)
	if limit := 0.2 + 3*math.Sqrt(0.2*0.8/runs); float64(alarms) > limit*runs || alarms == 0 {
		t.Errorf("%d alarms in %d runs", alarms, runs)
	}

	plan, err := New(alphas, fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sides [2]fingerprint.Sample
	grow(&sides, rand.New(rand.NewPCG(1, 1)), 12, 2000)
	if c, err := plan.Look(t.Context(), &sides[0], &sides[1]); err != nil || !c.Changed || c.Alpha != alphas[0] {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := plan.Look(t.Context(), &sides[0], &sides[1]); !errors.Is(err, errNoLookLeft) || plan.Taken() != 1 {
		t.Errorf("%v after %d looks", err, plan.Taken())
	}
	plan, _ = New([]float64{0, 0.01}, fingerprint.Options{})
	if c, err := plan.Look(t.Context(), &sides[0], &sides[1]); err != nil || c.Changed {
		t.Errorf("a look without a part of the level: %+v, %v", c, err)
	}
	var argument *stats.ArgumentError
	if _, err := plan.Look(t.Context(), &sides[0], &sides[1]); !errors.As(err, &argument) {
		t.Errorf("a look without new trials: %v", err)
	}
	for _, alphas := range [][]float64{nil, {-0.1, 0.2}, {0.5, 0.5}, {math.NaN()}, {0}} {
		if _, err := New(alphas, fingerprint.Options{}); !errors.As(err, &argument) {
			t.Errorf("%v: %v", alphas, err)
		}
	}
}

// grow adds trials to both sides, the candidate's with so many more tokens.
func grow(sides *[2]fingerprint.Sample, random *rand.Rand, trials int, shift int64) {
	for side := range sides {
		for range trials {
			sides[side].Add(&trial.Trial{Scenario: "s", OutputTokens: trial.Some(1000 + random.Int64N(500) + int64(side)*shift),
				CostUSD: trial.Some(random.Float64())})
		}
	}
}
