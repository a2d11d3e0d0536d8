package plan

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The test that blocks least where it is another than the rest is that of all of them, tried one by one.
func TestLeastBlocking(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	chances := func(r AtRates) (float64, float64) { return r.Good, r.Lower }
	for range 200 {
		tests := make([]SuiteTest, 2+random.IntN(30))
		for i := range tests {
			// Some have no threshold, and some are sure to block.
			if i < 2 || random.IntN(4) > 0 {
				good := random.Float64() * float64(random.IntN(2))
				tests[i].Power = &TestPower{Blocks: AtRates{Good: good, Lower: good + (1-good)*random.Float64()}}
			}
		}
		got, want := together(tests, leastBlocking(tests, chances), chances).Block, 2.0
		for i := range tests {
			if tests[i].Power != nil {
				want = min(want, together(tests, i, chances).Block)
			}
		}
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, not %v, of %d tests", got, want, len(tests))
		}
	}
}
