package runner

import (
	"testing"
	"testing/synctest"
	"time"
)

// Each launch waits a share of the longest wait, uniform over seeds and the same for a seed.
func TestJitter(t *testing.T) {
	const most, seeds, parts = time.Second, 20_000, 10
	var counts [parts]int
	for seed := range uint64(seeds) {
		x := jitter(seed, most)
		if x < 0 || x > most || x != jitter(seed, most) {
			t.Fatalf("seed %d waits %v", seed, x)
		}
		counts[min(parts-1, int(x*parts/most))]++
	}
	// The statistic of Pearson with 9 degrees of freedom: 27.9 is its 99.9 % quantile.
	sum, want := 0.0, float64(seeds)/parts
	for _, n := range counts {
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	if sum > 27.9 {
		t.Errorf("chi squared %.1f of %v", sum, counts)
	}
	if jitter(1, 0) != 0 {
		t.Error("without a longest wait a launch waits")
	}
}

// A run waits before each launch, by the clock of the run.
func TestRunWaitsBeforeLaunches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(quick(t), simulated(.9), "a")
		o.Concurrency, o.Jitter = 1, time.Hour
		begin := time.Now()
		r := mustRun(t, o)
		var want time.Duration
		for _, x := range r.Trials {
			want += jitter(x.Seed, time.Hour)
		}
		if took := time.Since(begin); took < want || want == 0 {
			t.Errorf("%d trials took %v, and wait %v", len(r.Trials), took, want)
		}
	})
}
