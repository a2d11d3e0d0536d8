package calibration

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibratePairs enumerates the verdicts on paired trials over all flip tables: pairs
// that break as often as they mend for a false Fail, and that break by delta more often
// for a false Pass, whatever the rate of mending.
//
// The promise is made to whoever compares the same inputs on both sides: with as many pairs that
// break as mend, Fail has at most alpha; with delta more that break, Pass has at most beta. All
// rows are exact: n pairs have (n+1)(n+2)/2 flip tables, by the pairs that broke and that mended.
func calibratePairs(c *calibrator) error {
	type setting struct {
		test               stats.Test
		pairs              int
		alpha, beta, delta float64
	}
	var settings []setting
	for _, test := range pairedTests() {
		for _, n := range pick(c, []int{20, 50}, []int{10, 20, 50, 100, 200}) {
			settings = append(settings, setting{test, n, .05, .10, .10})
			if !c.short {
				settings = append(settings, setting{test, n, .01, .05, .05}, setting{test, n, .10, .20, .20})
			}
		}
	}
	err := c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		worse, err := s.test.PairedRegion(c.ctx, s.pairs, s.alpha)
		if err != nil {
			return err
		}
		within, err := stats.PairedNonInferiorityRegion(c.ctx, s.pairs, s.delta, s.beta)
		if err != nil {
			return err
		}
		c.flips(s.test.String(), s.pairs, s.alpha, s.beta, s.delta, func(broke, mended int) verdict.Verdict {
			switch {
			// The margin rule in its order: what is within delta passes, also where it is worse.
			case within.Contains(broke, mended):
				return verdict.Pass
			case worse.Contains(broke, mended):
				return verdict.Fail
			}
			return verdict.Inconclusive
		})
		return nil
	})
	if err != nil {
		return err
	}
	// Errors and a drop so large that few pairs decide: all flip tables are judged as recordings, to
	// show that the regions above are what a comparison of pairs goes by.
	const alpha, beta, delta = .10, .20, .30
	n := pick(c, 8, 20)
	verdicts := make([]verdict.Verdict, (n+1)*(n+1))
	if err := bench.Repeat(c.ctx, len(verdicts), func(i int) error {
		broke, mended := i/(n+1), i%(n+1)
		// There is no such table; its verdict stays Inconclusive, and nothing looks at it.
		if broke+mended > n {
			return nil
		}
		r, err := comparePairs(c.ctx, n, broke, mended, compare.Options{Alpha: alpha, Beta: beta, Delta: delta})
		if err == nil {
			verdicts[i] = r.Verdict
		}
		return err
	}); err != nil {
		return err
	}
	c.flips("mcnemar, judged", n, alpha, beta, delta, func(broke, mended int) verdict.Verdict {
		return verdicts[broke*(n+1)+mended]
	})
	return c.pairsOfOtherInputs()
}

// pairsOfOtherInputs judges recordings with one trial of each scenario on either side, whose inputs differ: those of a
// user who is simulated. Scenarios and inputs are drawn, some easy and some hard.
//
// The promise is made to whoever compares two runs of one benchmark. The candidate is the same agent, or passes with
// a share of the rate that is delta less on average.
func (c *calibrator) pairsOfOtherInputs() error {
	const scenarios, alpha, beta, delta, mean = 40, .05, .10, .20, .7
	for _, s := range []struct {
		name, err string
		kept      float64
		want      verdict.Verdict
		bound     float64
	}{
		{"unchanged", falseFail, 1, verdict.Fail, alpha},
		{"drop .2 in the mean", falsePass, 1 - delta/mean, verdict.Pass, beta},
	} {
		setting := fmt.Sprintf("%d scenarios, %s", scenarios, s.name)
		err := c.simulate("pairs of other inputs", setting, s.err, c.runs(100, 2000), atMost(s.bound),
			func(random *rand.Rand) (bool, error) {
				var sides [2]recording.Recording
				for i := range scenarios {
					// Rates have the mean .7 over the scenarios; an input makes each .2 better or worse.
					rate := .4 + .4*float64(random.IntN(2)) + .2*random.Float64()
					for side := range sides {
						ownRate := rate
						if ownRate > .2 && ownRate < .8 {
							ownRate += .2 * float64(2*random.IntN(2)-1)
						}
						if side == 1 {
							ownRate *= s.kept
						}
						t := &trial.Trial{Scenario: fmt.Sprint(i), Input: trial.Raw(fmt.Sprint(side)), Outcome: trial.Fail}
						if random.Float64() < ownRate {
							t.Outcome = trial.Pass
						}
						sides[side].Add(t)
					}
				}
				r, err := compare.Judge(c.ctx, &sides[0], &sides[1], compare.Options{Alpha: alpha, Beta: beta, Delta: delta})
				if err == nil && r.Pairs.OtherInput != scenarios {
					err = fmt.Errorf("of %d scenarios %d are pairs of other inputs", scenarios, r.Pairs.OtherInput)
				}
				return err == nil && r.Verdict == s.want, err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// comparePairs compares recordings of one input each, half of whose steady pairs pass.
func comparePairs(ctx context.Context, pairs, broke, mended int, o compare.Options) (*compare.Result, error) {
	baseline, candidate := &recording.Recording{Name: "baseline"}, &recording.Recording{Name: "candidate"}
	for i := range pairs {
		before, after := trial.Pass, trial.Pass
		switch {
		case i < broke:
			after = trial.Fail
		case i < broke+mended:
			before = trial.Fail
		case i%2 == 0:
			before, after = trial.Fail, trial.Fail
		}
		// A different input for each pair: that is what pairs are found by.
		input := trial.Raw(fmt.Sprint(i))
		baseline.Add(&trial.Trial{Scenario: "s", Input: input, Outcome: before})
		candidate.Add(&trial.Trial{Scenario: "s", Input: input, Outcome: after})
	}
	r, err := compare.Judge(ctx, baseline, candidate, o)
	// A comparison that did not pair the trials would make the row one of another test.
	if err == nil && !r.DecidedBy.Paired() {
		err = fmt.Errorf("%d pairs were compared by %v", pairs, r.DecidedBy)
	}
	return r, err
}

// flips adds the two error rates of a rule on flip tables.
// Fail is counted at equal rates of breaking and mending up to a half, where all pairs flip. Pass
// is counted at rates of breaking that are delta above those of mending, up to where all flip.
func (c *calibrator) flips(name string, pairs int, alpha, beta, delta float64,
	judge func(broke, mended int) verdict.Verdict) {
	var fails, passes [][2]int
	for broke := range pairs + 1 {
		for mended := 0; broke+mended <= pairs; mended++ {
			switch judge(broke, mended) {
			case verdict.Fail:
				fails = append(fails, [2]int{broke, mended})
			case verdict.Pass:
				passes = append(passes, [2]int{broke, mended})
			}
		}
	}
	chance := func(set [][2]int, breaks, mends float64) (sum float64) {
		for _, t := range set {
			sum += trinomial(pairs, t[0], t[1], breaks, mends)
		}
		return sum
	}
	steps := pick(c, 20, 50)
	text := func(mends float64) string {
		return fmt.Sprintf("%d, mends %.3g, %v/%v, delta %v", pairs, mends, alpha, beta, delta)
	}
	rate, at := worstOver(rateGrid(0, .5, steps), func(mends float64) float64 { return chance(fails, mends, mends) })
	c.exact(name, text(at), falseFail, rate, atMost(alpha))
	rate, at = worstOver(rateGrid(0, (1-delta)/2, steps), func(mends float64) float64 {
		return chance(passes, mends+delta, mends)
	})
	c.exact(name, text(at), falsePass, rate, atMost(beta))
}
