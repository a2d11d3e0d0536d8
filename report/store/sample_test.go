package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestSample(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		for i := range 3 {
			if _, err := s.Add(t.Context(), store.Run{Suite: "shop", Build: fmt.Sprint(i)}, made(1000, true)); err != nil {
				t.Fatal(err)
			}
		}
		drawn := func(q store.Query, o store.SampleOptions) (keys []string, scenarios map[string]int) {
			scenarios = make(map[string]int)
			err := s.Sample(t.Context(), q, o, 0, func(d *trial.Trial) error {
				if len(d.Steps) != 7 {
					t.Error("a trial without its trace")
				}
				if q.Outcome != trial.Unjudged && d.Outcome != q.Outcome {
					t.Error("a trial of another outcome")
				}
				keys = append(keys, string(d.Steps[0].Arguments))
				scenarios[d.Scenario]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return keys, scenarios
		}
		keys, _ := drawn(store.Query{}, store.SampleOptions{Trials: 200, Seed: 1})
		again, _ := drawn(store.Query{}, store.SampleOptions{Trials: 200, Seed: 1})
		other, _ := drawn(store.Query{}, store.SampleOptions{Trials: 200, Seed: 2})
		if len(keys) != 200 || !slices.Equal(keys, again) || slices.Equal(keys, other) {
			t.Errorf("%d trials; the seed says which", len(keys))
		}
		_, scenarios := drawn(store.Query{}, store.SampleOptions{Trials: 200, Seed: 1, Stratified: true})
		if len(scenarios) != 100 || slices.Max(slices.Collect(maps.Values(scenarios))) != 2 {
			t.Errorf("stratified: %v", scenarios)
		}
		_, scenarios = drawn(store.Query{Scenario: "scenario 2?", Outcome: trial.Fail}, store.SampleOptions{Trials: 20,
			Seed: 1})
		if len(scenarios) != 1 || scenarios["scenario 20"] != 20 { // every tenth trial failed
			t.Errorf("failures of twenty to twenty-nine: %v", scenarios)
		}
		if all, _ := drawn(store.Query{Scenario: "scenario 7"}, store.SampleOptions{Trials: 500}); len(all) != 30 {
			t.Errorf("%d of one scenario", len(all))
		}
		if err := s.Sample(t.Context(), store.Query{}, store.SampleOptions{}, 0, nil); err != store.ErrSampleSize {
			t.Error(err)
		}
	})
}
