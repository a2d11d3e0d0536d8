package stratified

import (
	"context"
	"testing"
)

// same are so many scenarios with a rate.
func same(n int, rate float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = rate
	}
	return list
}

// both are the scenarios of two lists.
func both(x, y []float64) []float64 { return append(append([]float64(nil), x...), y...) }

// planned is a design that must be possible.
func planned(t *testing.T, q Question) *Design {
	t.Helper()
	d, err := New(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
