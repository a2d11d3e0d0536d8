package hotelling

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkTest is one test of 100 against 100 vectors of 14 columns.
func BenchmarkTest(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() (rows [][]float64) {
		for range 100 {
			row := make([]float64, 14)
			for j := range row {
				row[j] = random.NormFloat64()
			}
			rows = append(rows, row)
		}
		return rows
	}
	baseline, candidate := draw(), draw()
	for b.Loop() {
		if _, err := Test(baseline, candidate); err != nil {
			b.Fatal(err)
		}
	}
}
