package calibration

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateMetrics measures which metrics are marked as changed of systems that did not
// change.
//
// The promise is made to whoever reads which of cost, tokens, time and the like changed: over all
// metrics together, one that did not change is marked with at most alpha. It follows from an exact
// permutation test of each and Holm's correction; the normal approximation of large samples promises nothing.
func calibrateMetrics(c *calibrator) error {
	for _, step := range []func() error{c.assignments, c.drawnAssignments, c.metrics, c.rises} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// assignments takes every way to call half of some values the candidate's: the test is exact, also where values are
// equal, and so it is of pairs.
//
// All 924 ways are enumerated: 12 values, of which 6 are one side's. The values are all different,
// tied in half, tied throughout, and without information but for one. Of 12 pairs it is all 4,096 signs.
func (c *calibrator) assignments() error {
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
		var found, all [2]int
		for set := range uint(1) << len(s.values) {
			var sides [2][]float64
			var pairs []sample.Stratum
			for i, v := range s.values {
				sides[set>>i&1] = append(sides[set>>i&1], v)
				pair := sample.Stratum{Baseline: []float64{0}, Candidate: []float64{v}}
				if set>>i&1 == 1 {
					pair.Baseline, pair.Candidate = pair.Candidate, pair.Baseline
				}
				pairs = append(pairs, pair)
			}
			for kind, strata := range [][]sample.Stratum{{{Baseline: sides[0], Candidate: sides[1]}}, pairs} {
				if kind == 0 && bits.OnesCount(set) != len(s.values)/2 {
					continue
				}
				r, err := sample.CompareMeans(strata, alpha, c.seed)
				if err != nil {
					return err
				}
				all[kind]++
				if r.P <= alpha {
					found[kind]++
				}
			}
		}
		for kind, setting := range []string{"6/6, " + s.name, "12 pairs, " + s.name} {
			c.exact("permutation of means, exact", setting, falseAlarm, float64(found[kind])/float64(all[kind]), atMost(alpha))
		}
	}
	return nil
}

// drawnAssignments is the test of which the assignments are drawn, and that of samples so large that the normal
// distribution stands for them, of which nothing is promised.
//
// 10,000 runs leave 0.65 points at alpha.
func (c *calibrator) drawnAssignments() error {
	const alpha = .05
	for _, s := range []struct {
		name, setting string
		n             [2]int
		draw          func(*rand.Rand) float64
		promise       promise
		runs          int
	}{
		{"permutation of means", "30/30, log-normal, sd 1.5", [2]int{30, 30}, heavyTail, atMost(alpha), c.runs(200, 2000)},
		{"permutation of means", "20/60, 5 % at 20 times", [2]int{20, 60}, rarelyDear, atMost(alpha), c.runs(200, 2000)},
		{"permutation of means, large", "2600/2600, log-normal, sd 1.5", [2]int{2600, 2600}, heavyTail, unpromised(alpha),
			c.runs(500, 5000)},
		{"permutation of means, large", "2600/2600, counts", [2]int{2600, 2600},
			func(r *rand.Rand) float64 { return float64(simulation.Poisson(r, 1)) }, unpromised(alpha), c.runs(500, 5000)},
	} {
		err := c.simulate(s.name, s.setting, falseAlarm, s.runs, s.promise, func(random *rand.Rand) (bool, error) {
			var x sample.Stratum
			for range s.n[0] {
				x.Baseline = append(x.Baseline, s.draw(random))
			}
			for range s.n[1] {
				x.Candidate = append(x.Candidate, s.draw(random))
			}
			r, err := sample.CompareMeans([]sample.Stratum{x}, alpha, random.Uint64())
			return r.P <= alpha, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// heavyTail is log-normal.
func heavyTail(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }

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

// rises fails comparisons for their costs (compare --fail-on cost). Of an unchanged agent at most its share of the
// level does, which is alpha where nothing else is shown; an agent whose costs rose by just what is allowed fails with
// at most as much, and passes with at most beta.
//
// Simulated: costs are log-normal and skewed, of 40 trials a side; 2000 runs leave 1.5 and 2 points.
func (c *calibrator) rises() error {
	const alpha, beta, n = .05, .10, 40
	for _, s := range []struct {
		setting, err string
		factor       float64
		most         *float64
		wrong        verdict.Verdict
		promise      promise
	}{
		{"40/40, log-normal, unchanged", falseFail, 1, nil, verdict.Fail, atMost(alpha)},
		{"40/40, log-normal, rise of just 25 %", falseFail, 1.25, new(.25), verdict.Fail, atMost(alpha)},
		{"40/40, log-normal, rise of just 25 %", falsePass, 1.25, new(.25), verdict.Pass, atMost(beta)},
	} {
		err := c.simulate("metric that fails", s.setting, s.err, c.runs(200, 2000), s.promise,
			func(random *rand.Rand) (bool, error) {
				var sides [2]*recording.Recording
				for i, factor := range []float64{1, s.factor} {
					sides[i] = &recording.Recording{Name: fmt.Sprint(i)}
					for k := range n {
						cost := factor * math.Exp(.8*random.NormFloat64())
						sides[i].Add(&trial.Trial{Scenario: "a", Index: trial.Some(k), Outcome: trial.Pass, CostUSD: trial.Some(cost)})
					}
				}
				r, err := compare.Judge(c.ctx, sides[0], sides[1], compare.Options{Alpha: alpha, Beta: beta, Seed: random.Uint64(),
					FailOn: []compare.MetricRise{{Metric: recording.CostMetric, Most: s.most}}})
				if err != nil {
					return false, err
				}
				return r.FailOn[0].Verdict == s.wrong, nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}
