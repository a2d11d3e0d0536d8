package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateScenarios measures verdicts on several scenarios, each of which must hold:
// that any of those that hold fails is a false Fail, and that a suite passes of which one
// does not hold, a false Pass. What is shown beside them is measured too.
//
// The promise of the whole family is made to whoever blocks a release if any scenario fails: by
// Holm's correction any false Fail among all scenarios has at most alpha (Holm 1979). Pass needs
// every scenario, so that a false Pass is no likelier than that of the one scenario that is bad.
func calibrateScenarios(c *calibrator) error {
	for _, step := range []func() error{c.thresholdByScenario, c.comparisonByScenario, c.comparisonFamily,
		c.stratified} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// thresholdByScenario judges suites at their threshold, and suites half of whose
// scenarios are far below it, whose Fails make Holm's correction weaker for the others.
func (c *calibrator) thresholdByScenario() error {
	// Twenty scenarios: without a correction alpha would be used twenty times over.
	const scenarios, alpha, theta = 20, .05, .8
	o := verdict.ThresholdOptions{Threshold: theta, Alpha: alpha, By: verdict.ByScenario}
	for _, s := range []struct {
		name    string
		bad     int
		badRate float64
		rate    float64
		kind    string
		n       int
	}{
		{"all at theta", 0, 0, theta, falseFail, 30},
		{"half far below", scenarios / 2, .2, theta, falseFail, 30},
		{"one at theta, others perfect", 1, theta, 1, falsePass, 30},
	} {
		// 10,000 runs leave 0.65 points at a promise of 5 %.
		p := atMost(alpha)
		if s.kind == falsePass { // the printed risk of the one scenario
			_, risk, err := c.thresholdVerdicts(o, s.n)
			if err != nil {
				return err
			}
			p = atMost(risk.FalsePass)
		}
		err := c.simulate("verdict by scenario", fmt.Sprintf("%d of %d, %s", scenarios, s.n, s.name), s.kind,
			c.runs(500, 10_000), p, func(random *rand.Rand) (bool, error) {
				tallies := make([]verdict.Tally, scenarios)
				for i := range tallies {
					rate := s.rate
					if i < s.bad {
						rate = s.badRate
					}
					k := passesOf(random, s.n, rate)
					tallies[i] = verdict.Tally{Scenario: fmt.Sprint(i), Passes: k, Fails: s.n - k}
				}
				r, err := verdict.JudgeThreshold(c.ctx, tallies, o)
				if err != nil || s.kind == falsePass {
					return err == nil && r.Verdict == verdict.Pass, err
				}
				// A Fail of a scenario that is bad is right; only those behind them count.
				for _, one := range r.Scenarios[s.bad:] {
					if one.Verdict == verdict.Fail {
						return true, nil
					}
				}
				return false, nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// passesOf draws the passes of so many independent trials.
func passesOf(random *rand.Rand, n int, rate float64) (passes int) {
	for range n {
		if random.Float64() < rate {
			passes++
		}
	}
	return passes
}

// comparisonByScenario takes the smallest p-values of independent scenarios: all of them
// without a drop, or half of them so bad that they are certain to fail.
//
// It is exact without 2^20 outcomes: by Holm's correction, the first of the good ones to fail is
// judged at alpha over their number once all others have failed, and independent scenarios have
// one minus the product of not failing. For a false Pass the other scenarios are perfect.
func (c *calibrator) comparisonByScenario() error {
	const scenarios, alpha, beta, delta = 20, .05, .10, .10
	n := pick(c, 15, 30)
	within, err := stats.NonInferiorityRegion(c.ctx, n, n, delta, beta)
	if err != nil {
		return err
	}
	for _, good := range []int{scenarios, scenarios / 2, 1} {
		worse, err := stats.BoschlooTest.Region(c.ctx, n, n, alpha/float64(good))
		if err != nil {
			return err
		}
		fails := tables([2]int{n, n}, func(b, k int) bool { return worse.Contains(b, k) && !within.Contains(b, k) })
		one, at := worstOver(rateGrid(0, 1, 60), func(p float64) float64 { return fails.probability(p, p) })
		// 1-(1-one)^good, without loss where one is small.
		family := -math.Expm1(float64(good) * math.Log1p(-one))
		c.exact("compare by scenario", fmt.Sprintf("%d of %d, %d not worse, rate %.3g", scenarios, n, good, at),
			falseFail, family, atMost(alpha))
	}
	passes := tables([2]int{n, n}, within.Contains)
	one, at := worstOver(rateGrid(delta, 1, 60), func(p float64) float64 { return passes.probability(p, p-delta) })
	perfect := math.Pow(passes.probability(1, 1), scenarios-1)
	c.exact("compare by scenario", fmt.Sprintf("%d of %d, one worse, rate %.3g", scenarios, n, at), falsePass,
		one*perfect, atMost(beta))
	return nil
}

// comparisonFamily judges whole recordings by scenario.
//
// It shows that comparisons by scenario are corrected as computed above; uncorrected they promise
// nothing, which the second row shows. Whole recordings are compared in each of 2000 runs, whose
// three standard errors are 1.5 points.
func (c *calibrator) comparisonFamily() error {
	const scenarios, alpha = 5, .05
	n := 8
	for _, s := range []struct {
		name       string
		correction multiplicity.Correction
		p          promise
	}{{"holm", multiplicity.Holm, atMost(alpha)},
		{"none", multiplicity.NoCorrection, unpromised(alpha)}}[:pick(c, 1, 2)] {
		err := c.simulate("by scenario, judged", fmt.Sprintf("%d of %d, rate .7, correct %s", scenarios, n, s.name),
			falseFail, c.runs(150, 2000), s.p, func(random *rand.Rand) (bool, error) {
				var sides [2]*recording.Recording
				for i := range sides {
					sides[i] = &recording.Recording{Name: fmt.Sprint(i)}
					for j := range scenarios {
						for range n {
							t := &trial.Trial{Scenario: fmt.Sprint(j), Outcome: trial.Fail}
							if random.Float64() < .7 {
								t.Outcome = trial.Pass
							}
							sides[i].Add(t)
						}
					}
				}
				// Scenarios of equal names would else be paired; these trials are independent.
				test := stats.BoschlooTest
				r, err := compare.Judge(c.ctx, sides[0], sides[1],
					compare.Options{Alpha: alpha, By: verdict.ByScenario, Correction: s.correction, Test: &test})
				return err == nil && r.Verdict == verdict.Fail, err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// stratified enumerates two scenarios of different rates for the tests that are shown
// beside the verdict.
//
// They decide nothing. The exact one promises its level for every pair of rates; the normal
// approximation of Cochran, Mantel and Haenszel does not. All (n+1)^4 pairs of tables are tested.
func (c *calibrator) stratified() error {
	const alpha = .05
	n := pick(c, 5, 9)
	side := n + 1
	exact, normal := make([]bool, side*side*side*side), make([]bool, side*side*side*side)
	counts := func(k int) stats.Counts { return stats.Counts{Passes: k, Trials: n} }
	err := bench.Repeat(c.ctx, len(exact), func(i int) error {
		strata := []stats.Stratum{{Baseline: counts(i % side), Candidate: counts(i / side % side)},
			{Baseline: counts(i / side / side % side), Candidate: counts(i / side / side / side)}}
		e, err := stats.StratifiedExact(c.ctx, strata)
		if err != nil {
			return err
		}
		z, err := stats.CochranMantelHaenszel(strata)
		exact[i], normal[i] = e.PLess <= alpha, z.PLess <= alpha
		return err
	})
	if err != nil {
		return err
	}
	rates := rateGrid(.05, .95, pick(c, 8, 16))
	// The two rates differ freely: the null hypothesis is that of no drop within a scenario.
	worst := func(rejects []bool) (worst, at, other float64) {
		for _, p := range rates {
			for _, q := range rates {
				first, second, sum := binomialMasses(n, p), binomialMasses(n, q), 0.0
				for i, yes := range rejects {
					if yes {
						sum += first[i%side] * first[i/side%side] * second[i/side/side%side] * second[i/side/side/side]
					}
				}
				if sum > worst {
					worst, at, other = sum, p, q
				}
			}
		}
		return worst, at, other
	}
	rate, p, q := worst(exact)
	c.exact("stratified exact", fmt.Sprintf("2 of %d, rates %.2g and %.2g", n, p, q), falseAlarm, rate, atMost(alpha))
	rate, p, q = worst(normal)
	c.exact("CMH, normal", fmt.Sprintf("2 of %d, rates %.2g and %.2g", n, p, q), falseAlarm, rate, unpromised(alpha))
	return nil
}
