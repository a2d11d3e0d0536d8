package mutants

import "testing"

// By exact sums of binomial probabilities of another program: of 31 mutants that change nothing 4 or more are killed
// with a probability of 6.7 %, and 5 or more with 1.8 %.
func TestChanceKills(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 2: 1, 5: 1, 10: 2, 31: 4, 155: 12} {
		if got := chanceKills(n, 0.05); got != want {
			t.Errorf("of %d mutants %d, not %d", n, got, want)
		}
	}
	if got := chanceKills(31, 0); got != 0 {
		t.Errorf("%d without chance", got)
	}
}
