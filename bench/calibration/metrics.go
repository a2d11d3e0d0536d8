package calibration

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/simulation"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateMetrics measures which metrics are marked as changed of systems that did not
// change.
//
// The promise is made to whoever reads which of cost, tokens, time and the like changed: over all
// metrics together, one that did not change is marked with at most alpha. It follows from an exact
// test of each and Holm's correction; the normal approximation of large samples promises nothing.
func calibrateMetrics(c *calibrator) error {
	for _, step := range []func() error{c.ranks, c.manyRanks, c.metrics} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ranks takes every way to call half of some values the candidate's: the test of small
// samples is exact, also where values are equal.
//
// All 924 ways are enumerated: 12 values, of which 6 are one side's. The values are all different,
// tied in half, tied throughout, and without information but for one.
func (c *calibrator) ranks() error {
	const alpha = .05
	for _, s := range []struct {
		name   string
		values []float64
	}{
		{"all different", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"half equal", []float64{1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7}},
		{"three values", []float64{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}},
		{"one is larger", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9}},
	} {
		found, all := 0, 0
		for set := range uint(1) << len(s.values) {
			if bits.OnesCount(set) != len(s.values)/2 {
				continue
			}
			var sides [2][]float64
			for i, v := range s.values {
				sides[set>>i&1] = append(sides[set>>i&1], v)
			}
			r, err := sample.MannWhitney(sides[0], sides[1])
			if err != nil {
				return err
			}
			all++
			if r.PTwoSided <= alpha {
				found++
			}
		}
		c.exact("Mann-Whitney, exact", fmt.Sprintf("6/6, %s", s.name), falseAlarm, float64(found)/float64(all),
			atMost(alpha))
	}
	return nil
}

// manyRanks is the test of large samples, which is approximate.
//
// 200 values a side are beyond the exact test. 10,000 runs leave 0.65 points at alpha.
func (c *calibrator) manyRanks() error {
	const alpha, n = .05, 200
	for _, s := range []struct {
		name string
		draw func(*rand.Rand) float64
	}{
		{"lognormal", func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }},
		{"counts", func(r *rand.Rand) float64 { return float64(simulation.Poisson(r, 1)) }},
	} {
		err := c.simulate("Mann-Whitney, large", fmt.Sprintf("%d/%d, %s", n, n, s.name), falseAlarm,
			c.runs(500, 10_000), unpromised(alpha), func(random *rand.Rand) (bool, error) {
				var sides [2][]float64
				for i := range sides {
					for range n {
						sides[i] = append(sides[i], s.draw(random))
					}
				}
				r, err := sample.MannWhitney(sides[0], sides[1])
				return r.PTwoSided <= alpha, err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// metrics marks metrics of whole recordings, with Holm's correction.
//
// Simulated, as metrics of a trial depend on each other: 3000 runs leave 1.2 points at alpha.
func (c *calibrator) metrics() error {
	const alpha = .05
	agent := simulation.Domains()[0]
	agent.PassRate = .9
	n := 12
	return c.simulate("metrics, any changed", fmt.Sprintf("%d/%d, any of six", n, n), falseAlarm, c.runs(200, 3000),
		atMost(alpha), func(random *rand.Rand) (bool, error) {
			var sides [2]*recording.Recording
			for i := range sides {
				sides[i] = &recording.Recording{Name: fmt.Sprint(i)}
				for k := range n {
					t := agent.Trial(random, 0, k)
					t.InputTokens = trial.Some(int64(1000 + 500*random.ExpFloat64()))
					sides[i].Add(t)
				}
			}
			test := stats.BoschlooTest
			r, err := compare.Judge(c.ctx, sides[0], sides[1], compare.Options{Alpha: alpha, Test: &test})
			if err != nil {
				return false, err
			}
			for _, m := range r.Metrics {
				if m.Changed {
					return true, nil
				}
			}
			return false, nil
		})
}
