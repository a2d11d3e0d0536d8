package store

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Every set of trials is as likely as any other: chi-square over all sets of 2 of 6, in strata of different sizes.
func TestDrawIsUniform(t *testing.T) {
	strata := []stratum{{0, 1, "a", 1}, {0, 2, "b", 3}, {1, 1, "a", 2}}
	const seeds, sets = 30_000, 15
	counts := make(map[string]int)
	for seed := range uint64(seeds) {
		counts[fmt.Sprint(draw(strata, SampleOptions{Trials: 2, Seed: seed}))]++
	}
	if len(counts) != sets {
		t.Fatalf("%d sets: %v", len(counts), counts)
	}
	var statistic float64
	for _, n := range counts {
		d := float64(n) - seeds/sets
		statistic += d * d / (seeds / sets)
	}
	if p := (distuv.ChiSquared{K: sets - 1}).Survival(statistic); p < 1e-4 {
		t.Errorf("chi-square %.1f, p %.2g: %v", statistic, p, counts)
	}
}

// Strata have the same number, as far as they have so many, and all is drawn where more is asked for.
func TestDrawByStratum(t *testing.T) {
	strata := []stratum{{0, 1, "a", 1}, {0, 2, "b", 30}, {1, 3, "c", 30}, {1, 2, "b", 5}}
	for n, want := range map[int]map[string]int{
		3: {"a": 1, "b": 1, "c": 1}, 21: {"a": 1, "b": 10, "c": 10}, 66: {"a": 1, "b": 35, "c": 30},
		100: {"a": 1, "b": 35, "c": 30},
	} {
		got := make(map[string]int)
		for i, list := range draw(strata, SampleOptions{Trials: n, Seed: 1, Stratified: true}) {
			got[strata[i].name] += len(list)
			for j, k := range list {
				if k < 0 || k >= strata[i].count || j > 0 && k <= list[j-1] {
					t.Errorf("%d: stratum %d has %v", n, i, list)
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}
