package fingerprint

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

// A comparison stops with the cause of the context's end, whether it goes through
// permutations at random or through all there are.
func TestCompareEndsWithItsContext(t *testing.T) {
	stopped := errors.New("stopped")
	for name, trials := range map[string]int{"at random": 40, "all of them": 6} {
		random := rand.New(rand.NewPCG(1, 1))
		draw := func(shift float64) [][]float64 {
			rows := make([][]float64, trials)
			for i := range rows {
				rows[i] = []float64{random.NormFloat64() + shift, random.NormFloat64()}
			}
			return rows
		}
		baseline, candidate := vectors("", draw(0)), vectors("", draw(1))
		if _, err := CompareVectors(t.Context(), numbered(2), baseline, candidate, Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(stopped)
		if _, err := CompareVectors(ctx, numbered(2), baseline, candidate, Options{}); !errors.Is(err, stopped) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
