package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// manyGroups are groups of so many trials a side, all with the same rates but for those that are opposite: of every
// second group the candidate's rate is as much higher as that of the others is lower.
func manyGroups(random *rand.Rand, groups, trials int, opposite float64) (list [][]Stratum) {
	count := func(rate float64) Counts {
		c := Counts{Trials: trials}
		for range trials {
			if random.Float64() < rate {
				c.Passes++
			}
		}
		return c
	}
	for i := range groups {
		rate := 0.5 + 0.4*float64(i%7)/7
		change := opposite
		if i%2 == 0 {
			change = -opposite
		}
		list = append(list, []Stratum{{Baseline: count(rate), Candidate: count(rate + change*(1-rate))}})
	}
	return list
}

// The distribution that stands for the drawn tables gives about their p.
func TestHeterogeneityOfManyIsThatOfTheDrawnTables(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		groups, trials int
		opposite       float64
	}{{300, 2, 0}, {300, 3, 0.2}, {300, 10, 0}, {400, 10, 0.1}, {200, 40, 0.05}, {200, 40, 0}, {500, 5, 0.15}} {
		groups := manyGroups(random, c.groups, c.trials, c.opposite)
		drawn, err := Heterogeneity(t.Context(), slices.Values(groups), 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := HeterogeneityOfMany(t.Context(), slices.Values(groups))
		if err != nil {
			t.Fatal(err)
		}
		// 1,000 hits end the draws: three standard errors of the share, and what the distribution errs by.
		if math.Abs(p-drawn) > 0.02+0.1*drawn {
			t.Errorf("%+v: %v; drawn tables give %v", c, p, drawn)
		}
	}
}

// Under H0 small p-values are as rare as they say.
func TestHeterogeneityOfManyKeepsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	runs := thorough.Draws(100, 400)
	below := 0
	for range runs {
		p, err := HeterogeneityOfMany(t.Context(), slices.Values(manyGroups(random, 300, 4, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if p <= 0.05 {
			below++
		}
	}
	if share := float64(below) / float64(runs); share > 0.05+4*math.Sqrt(0.05*0.95/float64(runs)) {
		t.Errorf("%v of the comparisons have a p of 0.05 or less", share)
	}
}

func TestHeterogeneityOfManyWithoutAnythingToVary(t *testing.T) {
	pair := func(b, k int) []Stratum { return []Stratum{{Counts{b, 1}, Counts{k, 1}}} }
	for name, groups := range map[string][][]Stratum{
		"nothing":               nil,
		"all pass":              {pair(1, 1), pair(1, 1)},
		"one group":             {{{Counts{3, 5}, Counts{4, 6}}}},
		"one trial a side each": {pair(1, 0), pair(0, 1), pair(1, 0), pair(1, 0), pair(1, 1)},
	} {
		if p, err := HeterogeneityOfMany(t.Context(), slices.Values(groups)); err != nil || p != 1 {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := HeterogeneityOfMany(t.Context(), slices.Values([][]Stratum{{{Counts{3, 2}, Counts{1, 2}}}})); err == nil {
		t.Error("three passes of two trials are taken")
	}
}
