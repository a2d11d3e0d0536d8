package fingerprint

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// A block measures each of its permutations as one alone is measured.
func TestBlocksMeasureWhatOneByOneDoes(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "columns")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		draw := func(most int) (list []Vector) {
			for range rapid.IntRange(3, most).Draw(t, "trials") {
				row := make([]float64, d)
				for j := range row {
					// Whole numbers, most of them 0, so that there are separating events.
					row[j] = max(0, math.Round(random.NormFloat64()))
				}
				list = append(list, vectors([]string{"a", "b", "c"}[random.IntN(3)], [][]float64{row})...)
			}
			return list
		}
		p, err := newPool(numbered(d), draw(40), draw(12), Options{MaxUnknown: 0.2})
		if err != nil || len(p.tested) == 0 {
			t.Skip("nothing to test")
		}
		test, ok := newPermutationTest(p, nil, []Test{PermutationT2, ShrunkT2}[random.IntN(2)], 0.05)
		if !ok {
			t.Fatal("no axes")
		}
		blocks := test.newBlocks(2)
		blocks.most = rapid.IntRange(1, blockSize*len(blocks.list)).Draw(t, "at once")
		blocks.looks = make([]look, 0)
		for range blocks.most {
			blocks.looks = append(blocks.looks, test.look.empty())
		}
		r := p.permutation()
		var want []look
		var statistics []float64
		for range blocks.most {
			r.shuffle(random)
			blocks.add(r)
			test.measure(r)
			statistics = append(statistics, test.statistic(&test.look))
			one := test.look.empty()
			copy(one.sums, test.sums)
			copy(one.extremes, test.extremes)
			one.happened = test.happened
			want = append(want, one)
		}
		blocks.measure()
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }
		for i, statistic := range blocks.statistics() {
			if !near(statistic, statistics[i]) {
				t.Errorf("permutation %d: %v, and alone %v", i, statistic, statistics[i])
			}
			got := &blocks.looks[i]
			for j := range got.extremes {
				if !near(got.extremes[j], want[i].extremes[j]) {
					t.Errorf("permutation %d, extreme %d: %v, and alone %v", i, j, got.extremes[j], want[i].extremes[j])
				}
			}
			if events := uint64(1)<<len(test.events) - 1; got.happened&events != want[i].happened&events {
				t.Errorf("permutation %d: events %b, and alone %b", i, got.happened&events, want[i].happened&events)
			}
		}
	})
}
