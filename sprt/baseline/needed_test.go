package baseline

import (
	"context"
	"errors"
	"math"
	"testing"
)

// The number that is found takes fewer trials in all than much smaller and much larger ones, each planned in full.
func TestNeededTakesFewestTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	q := Question{Delta: 0.3, Alpha: 0.1, Beta: 0.2, Gamma: 1e-4}
	const rate = 0.95
	previous := 0
	for _, candidates := range []int{1, 20} {
		need, err := Needed(t.Context(), q, rate, candidates, Options{})
		if err != nil {
			t.Fatal(err)
		}
		total := func(trials int) float64 {
			s, err := Fixed(trials)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := Against(t.Context(), q, s, usualOutcome(trials, rate), Options{})
			if _, small := errors.AsType[*TooSmallError](err); small {
				return math.Inf(1)
			}
			if err != nil {
				t.Fatal(err)
			}
			return float64(trials) + float64(candidates)*plan.Family.At(rate, rate).ExpectedTrials
		}
		if got := total(need.Trials); math.Abs(got-need.Total) > 1e-9*got || need.Unchanged <= 0 || need.Dropped <= 0 {
			t.Errorf("%d candidates: %+v, the total is %v", candidates, need, got)
		}
		for _, factor := range []float64{0.4, 0.6, 1.7, 3} {
			other := int(float64(need.Trials) * factor)
			if x := total(other); x < need.Total*0.98 {
				t.Errorf("%d candidates: %d trials take %v in all, %d take %v",
					candidates, need.Trials, need.Total, other, x)
			}
		}
		if need.Trials < previous {
			t.Errorf("%d trials for more candidates, %d for fewer", need.Trials, previous)
		}
		previous = need.Trials
	}
}

func TestNeededRefuses(t *testing.T) {
	t.Parallel()
	good := Question{Delta: 0.3, Alpha: 0.1, Beta: 0.2}
	for name, x := range map[string]struct {
		q          Question
		rate       float64
		candidates int
	}{
		"a rate above 1":        {good, 1.1, 1},
		"a rate below delta":    {good, 0.2, 1},
		"no rate":               {good, math.NaN(), 1},
		"no candidate":          {good, 0.9, 0},
		"a guard above":         {Question{Delta: 0.3, Alpha: 0.1, Beta: 0.2, Guard: 0.95}, 0.9, 1},
		"alpha":                 {Question{Delta: 0.3, Alpha: 2, Beta: 0.2}, 0.9, 1},
		"gamma as large as all": {Question{Delta: 0.3, Alpha: 0.1, Beta: 0.2, Gamma: 0.1}, 0.9, 1},
	} {
		_, err := Needed(t.Context(), x.q, x.rate, x.candidates, Options{})
		if _, ok := errors.AsType[*HypothesesError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Needed(ctx, good, 0.9, 1, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}

func TestRoundNumbersRise(t *testing.T) {
	t.Parallel()
	for x := 10; x < 100_000; {
		next := nextRound(x, needStep)
		if next <= x || float64(next) > float64(x)*needStep+float64(x)/10 {
			t.Fatalf("after %d comes %d", x, next)
		}
		x = next
	}
}
