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

// calibrateComparison enumerates the verdicts on two independent sides, over all pairs
// of rates of a grid: no drop for a false Fail, a drop of delta for a false Pass.
//
// The promise is made to whoever compares a candidate with a baseline, each with trials of its
// own: where there is no drop, Fail has at most alpha, and where the drop is delta, Pass has at
// most beta, whatever the common rate is. It is the margin rule's with an exact test; that rule
// with the z test, the paper's rule and the Bayesian one promise nothing and stand beside it.
func calibrateComparison(c *calibrator) error {
	if err := c.marginRule(); err != nil {
		return err
	}
	if err := c.wholeComparisons(); err != nil {
		return err
	}
	return c.comparisonsWithErrors()
}

// marginRule takes the two critical regions of the margin rule, so that large samples
// can be enumerated.
func (c *calibrator) marginRule() error {
	type setting struct {
		test               stats.Test
		n                  [2]int // baseline, candidate
		alpha, beta, delta float64
	}
	var settings []setting
	for _, test := range independentTests() {
		// Sides of one size and of unlike sizes: unlike ones are where normal approximations fail.
		few := [][2]int{{20, 20}, {50, 50}, {30, 90}}
		many := [][2]int{{10, 10}, {20, 20}, {30, 90}, {90, 30}, {50, 50}, {100, 100}, {200, 200}, {50, 400}}
		for _, n := range pick(c, few, many) {
			settings = append(settings, setting{test, n, .05, .10, .10})
			if !c.short {
				settings = append(settings, setting{test, n, .01, .05, .05}, setting{test, n, .10, .20, .20})
			}
		}
	}
	steps := pick(c, 40, 100)
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		// worse are the tables in which the candidate is found worse; within, those in which it is found
		// to be worse by less than delta. The rule looks at the second first.
		worse, err := s.test.Region(c.ctx, s.n[0], s.n[1], s.alpha)
		if err != nil {
			return err
		}
		within, err := stats.NonInferiorityRegion(c.ctx, s.n[0], s.n[1], s.delta, s.beta)
		if err != nil {
			return err
		}
		text := func(at float64) string {
			return fmt.Sprintf("%d/%d, rate %.3g, %v/%v, delta %v", s.n[0], s.n[1], at, s.alpha, s.beta, s.delta)
		}
		fails := tables(s.n, func(b, k int) bool { return worse.Contains(b, k) && !within.Contains(b, k) })
		rate, at := worstOver(rateGrid(0, 1, steps), func(p float64) float64 { return fails.probability(p, p) })
		// Only an exact test holds its level at every common rate.
		p := atMost(s.alpha)
		if !s.test.Exact() {
			p = unpromised(s.alpha)
		}
		c.exact("margin, "+s.test.String(), text(at), falseFail, rate, p)
		if s.test != independentTests()[0] {
			return nil // they pass by the same test
		}
		passes := tables(s.n, within.Contains)
		rate, at = worstOver(rateGrid(s.delta, 1, steps), func(p float64) float64 {
			return passes.probability(p, p-s.delta)
		})
		c.exact("margin", text(at), falsePass, rate, atMost(s.beta))
		return nil
	})
}

// tableSet are tables of two sides, by the passes of each.
//
// It stands for an event, such as "the verdict is Fail", whose probability at many rates is asked.
type tableSet struct {
	trials [2]int
	// passes of the baseline, then of the candidate
	list [][2]int
}

// tables returns those of all tables that are in a set.
func tables(trials [2]int, in func(baseline, candidate int) bool) tableSet {
	s := tableSet{trials: trials}
	for b := range trials[0] + 1 {
		for k := range trials[1] + 1 {
			if in(b, k) {
				s.list = append(s.list, [2]int{b, k})
			}
		}
	}
	return s
}

// probability is that of the tables at two pass rates.
func (s tableSet) probability(baseline, candidate float64) (sum float64) {
	b, k := binomialMasses(s.trials[0], baseline), binomialMasses(s.trials[1], candidate)
	for _, t := range s.list {
		sum += b[t[0]] * k[t[1]]
	}
	return sum
}

// wholeComparisons judges every table by every rule, as compare does.
//
// It shows that the rule, not only its critical regions, is what a comparison goes by. All tables
// are judged, hence few trials a side.
func (c *calibrator) wholeComparisons() error {
	const alpha, beta, delta = .05, .10, .10
	for _, rule := range []compare.Rule{compare.MarginRule, compare.PaperRule, compare.BayesRule} {
		n := pick(c, 8, 20)
		side := n + 1
		verdicts := make([]verdict.Verdict, side*side)
		err := bench.Repeat(c.ctx, len(verdicts), func(i int) error {
			r, err := compareCounts(c.ctx, stats.Counts{Passes: i / side, Trials: n},
				stats.Counts{Passes: i % side, Trials: n},
				compare.Options{Rule: rule, Alpha: alpha, Beta: beta, Delta: delta})
			if err == nil {
				verdicts[i] = r.Verdict
			}
			return err
		})
		if err != nil {
			return err
		}
		tablesOf := func(v verdict.Verdict) tableSet {
			return tables([2]int{n, n}, func(b, k int) bool { return verdicts[b*side+k] == v })
		}
		for _, e := range []struct {
			name string
			set  tableSet
			drop float64
			rate float64
		}{{falseFail, tablesOf(verdict.Fail), 0, alpha}, {falsePass, tablesOf(verdict.Pass), delta, beta}} {
			rate, at := worstOver(rateGrid(e.drop, 1, 60), func(p float64) float64 {
				return e.set.probability(p, p-e.drop)
			})
			p := unpromised(e.rate)
			if rule == compare.MarginRule {
				p = atMost(e.rate)
			}
			c.exact(rule.String()+" rule, judged", fmt.Sprintf("%d/%d, rate %.3g", n, n, at), e.name, rate, p)
		}
	}
	return nil
}

// compareCounts judges two sides of which nothing but the counts is known, as for a comparison of
// recordings without inputs that could pair their trials.
func compareCounts(ctx context.Context, baseline, candidate stats.Counts, o compare.Options) (*compare.Result, error) {
	b, err := recording.OfCounts("baseline", baseline)
	if err != nil {
		return nil, err
	}
	k, err := recording.OfCounts("candidate", candidate)
	if err != nil {
		return nil, err
	}
	return compare.Judge(ctx, b, k, o)
}

// comparisonsWithErrors judges recordings in which trials broke that would have spoken
// against the verdict.
//
// The promise is the same as without errors, made to those whose trials break by their own fault:
// errors are scored against the verdict. Simulated, since five counts a side and whole comparisons
// are too many to enumerate; 1500 runs leave 1.7 points at alpha and 2.3 at beta, enough to see a
// policy that leaves errors out, not a small leak.
func (c *calibrator) comparisonsWithErrors() error {
	const alpha, beta, delta = .05, .10, .10
	const share = .3 // of those that speak against the verdict
	n := pick(c, 12, 20)
	for _, s := range []struct {
		kind  string
		rates [2]float64
		wrong verdict.Verdict
		// for a false Fail the baseline's failures and the candidate's passes; for a false Pass the reverse
		breaks [2]trial.Outcome // which trials of a side break
		limit  float64
	}{
		{falseFail, [2]float64{.85, .85}, verdict.Fail, [2]trial.Outcome{trial.Fail, trial.Pass}, alpha},
		{falsePass, [2]float64{.95, .85}, verdict.Pass, [2]trial.Outcome{trial.Pass, trial.Fail}, beta},
	} {
		err := c.simulate("margin, with errors", fmt.Sprintf("%d/%d, rates %v and %v", n, n, s.rates[0], s.rates[1]),
			s.kind, c.runs(200, 1500), atMost(s.limit), func(random *rand.Rand) (bool, error) {
				var sides [2]*recording.Recording
				for i := range sides {
					sides[i] = &recording.Recording{Name: []string{"baseline", "candidate"}[i]}
					for range n {
						t := &trial.Trial{Scenario: "s", Outcome: trial.Fail}
						if random.Float64() < s.rates[i] {
							t.Outcome = trial.Pass
						}
						if t.Outcome == s.breaks[i] && random.Float64() < share {
							t.Outcome = trial.Error
						}
						sides[i].Add(t)
					}
				}
				// The test is named: the trials of the two sides are independent, and no pairs.
				test := stats.BoschlooTest
				r, err := compare.Judge(c.ctx, sides[0], sides[1],
					compare.Options{Alpha: alpha, Beta: beta, Delta: delta, Test: &test})
				return err == nil && r.Verdict == s.wrong, err
			})
		if err != nil {
			return err
		}
	}
	return nil
}
