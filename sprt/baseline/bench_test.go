package baseline

import (
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/stats"
)

// How long it takes to plan the test against a stored baseline, of a drop of .1 from the rate that it shows.
func BenchmarkAgainst(b *testing.B) {
	for _, trials := range []int{100, 300, 1000} {
		for _, rate := range []float64{0.98, 0.95, 0.9} {
			b.Run(fmt.Sprintf("trials=%d/rate=%v", trials, rate), func(b *testing.B) {
				sample, err := Fixed(trials)
				if err != nil {
					b.Fatal(err)
				}
				failures := int(float64(trials)*(1-rate) + 0.5)
				// A baseline of 100 is too small for a guard of its own: the rates that it is believed to have are given.
				q := Question{Delta: 0.1, Alpha: 0.05, Beta: 0.1}
				if trials == 100 {
					q.Guard = 0.92
				}
				for b.Loop() {
					plan, err := Against(b.Context(), q, sample, Outcome{trials, failures}, Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(100*plan.Gap, "%gap")
					b.ReportMetric(plan.Family.At(rate, rate).ExpectedTrials, "trials")
				}
			})
		}
	}
}

// How long it takes to plan the tests against fifty baselines of different numbers of trials.
func BenchmarkFifty(b *testing.B) {
	for b.Loop() {
		spread.Over(50, func(i int) {
			trials := 250 + 2*i
			sample, err := Fixed(trials)
			if err != nil {
				b.Error(err)
				return
			}
			q := Question{Delta: 0.1, Alpha: 0.05, Beta: 0.1}
			if _, err := Against(b.Context(), q, sample, Outcome{trials, trials / 30}, Options{}); err != nil {
				b.Error(err)
			}
		})
	}
}

// How long it takes to plan a test side by side: of 300 rounds at every rate from .8, and at every rate there is.
func BenchmarkSideBySide(b *testing.B) {
	for _, x := range []struct {
		name    string
		guarded stats.Interval
		rounds  int
	}{{"from=.8", stats.Interval{Low: 0.8, High: 1}, 300}, {"every", EveryRate(), 0}} {
		b.Run(x.name, func(b *testing.B) {
			h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: x.guarded}
			for b.Loop() {
				plan, err := SideBySide(b.Context(), h, Options{MaxTrials: x.rounds})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*plan.Gap, "%gap")
				b.ReportMetric(plan.Test.At(0.95, 0.95).ExpectedTrials, "rounds")
			}
		})
	}
}

// How long the p-values of one end take, after those of another: the first ranks all ends.
func BenchmarkPValues(b *testing.B) {
	sample, err := Fixed(300)
	if err != nil {
		b.Fatal(err)
	}
	o := Outcome{300, 15}
	plan, err := Against(b.Context(), Question{Delta: 0.1, Alpha: 0.05, Beta: 0.1}, sample, o, Options{})
	if err != nil {
		b.Fatal(err)
	}
	boundaries, _ := plan.Family.Boundaries(o)
	trials, failures := 1, 1
	for ; boundaries.FailAtOrAbove[trials-1] > trials; trials++ {
		failures = trials + 1
	}
	for b.Loop() {
		if _, err := plan.Family.PValues(o, trials, failures); err != nil {
			b.Fatal(err)
		}
	}
}
