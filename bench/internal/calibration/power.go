package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// calibratePower checks the powers and the chances of a decision that are printed.
//
// The promise is made to whoever plans by them: a printed power is the power. A power is the other
// side of missing a change that is there, so that the rows count what is missed, against one less
// the power. Enumerated but for Hotelling's test and the budget of a comparison of behaviour.
func calibratePower(c *calibrator) error {
	for _, step := range []func() error{c.comparisonPower, c.pairedPower, c.planned, c.hotelling, c.budgets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// comparisonPower takes what compare prints, and enumerates all tables by the p-values.
//
// The power that compare prints is at the observed rate of the baseline. Its smallest drop that is
// found, the MDE, promises that at that drop beta at most is missed.
func (c *calibrator) comparisonPower() error {
	const alpha, beta, delta = .05, .10, .15
	for _, test := range independentTests() {
		for _, n := range pick(c, []int{20}, []int{20, 50}) {
			observed := stats.Counts{Passes: n * 9 / 10, Trials: n}
			r, err := compareCounts(c.ctx, observed, stats.Counts{Passes: n * 8 / 10, Trials: n},
				compare.Options{Alpha: alpha, Beta: beta, Delta: delta, Test: &test})
			if err != nil {
				return err
			}
			rejects, err := rejections(c.ctx, n, alpha, test)
			if err != nil {
				return err
			}
			p := observed.Rate()
			text := fmt.Sprintf("%v, %d/%d, baseline %v", test, n, n, p)
			c.exact("power at delta", text, missed, 1-rejects.probability(p, p-delta), asPrinted(1-r.Power.AtDelta))
			// The drop is searched for: beta is met up to the little at which the search ends.
			if mde := r.Power.MDE; mde != nil {
				c.exact("drop that is found", text, missed, 1-rejects.probability(p, p-*mde), atMost(beta+1e-7))
			}
			// One test is enough: the number of trials is found in one way for all.
			if more := r.MoreTrials; more != nil && test == stats.BoschlooTest {
				if err := c.moreComparisons(r, more); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// pairedPower does the same for pairs, which mend at the rate that was observed.
func (c *calibrator) pairedPower() error {
	for _, test := range pairedTests() {
		if err := c.powerOfPairs(test); err != nil {
			return err
		}
	}
	return nil
}

// All flip tables of 40 pairs are tested; those that flip are drawn with the observed rate of
// mending, and of breaking by the drop above it.
func (c *calibrator) powerOfPairs(test stats.Test) error {
	const alpha, beta, delta, pairs, mended = .05, .10, .15, 40, 2
	r, err := comparePairs(c.ctx, pairs, 5, mended,
		compare.Options{Alpha: alpha, Beta: beta, Delta: delta, Test: &test})
	if err != nil {
		return err
	}
	power := func(drop float64) (sum float64, err error) {
		const mends = float64(mended) / pairs
		for b := range pairs + 1 {
			for m := 0; b+m <= pairs; m++ {
				table := stats.Pairs{BothPass: pairs - b - m, Broke: b, Mended: m}
				result, err := test.P(c.ctx,
					stats.Table{Baseline: table.Baseline(), Candidate: table.Candidate(), Pairs: &table})
				if err != nil {
					return 0, err
				}
				if result.P <= alpha {
					sum += trinomial(pairs, b, m, mends+drop, mends)
				}
			}
		}
		return sum, nil
	}
	at, err := power(delta)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s, %d pairs, %d mend", test, pairs, mended)
	c.exact("power at delta", text, missed, 1-at, asPrinted(1-r.Power.AtDelta))
	if mde := r.Power.MDE; mde != nil {
		if at, err = power(*mde); err != nil {
			return err
		}
		c.exact("drop that is found", text, missed, 1-at, atMost(beta+1e-7))
	}
	return nil
}

// independentTests are the tests that can decide where trials are not paired.
func independentTests() []stats.Test {
	return slices.DeleteFunc(stats.Tests(), func(t stats.Test) bool { return t.Paired() || t.Stratified() })
}

// pairedTests are those that decide where trials are.
func pairedTests() []stats.Test {
	return slices.DeleteFunc(stats.Tests(), func(t stats.Test) bool { return !t.Paired() })
}

// rejections are the tables in which a test finds the candidate worse.
func rejections(ctx context.Context, n int, alpha float64, test stats.Test) (tableSet, error) {
	var failure error
	// By p-values, not by the critical region from which the power is computed.
	set := tables([2]int{n, n}, func(b, k int) bool {
		x, y := stats.Counts{Passes: b, Trials: n}, stats.Counts{Passes: k, Trials: n}
		result, err := test.P(ctx, stats.Table{Baseline: x, Candidate: y})
		if err != nil {
			failure = err
		}
		return result.P <= alpha
	})
	return set, failure
}

// moreComparisons enumerates the larger comparison that would decide.
//
// The promise is the printed chance, at the observed rates of both sides.
func (c *calibrator) moreComparisons(r *compare.Result, more *compare.MorePairs) error {
	worse, err := r.DecidedBy.Region(c.ctx, more.Baseline, more.Candidate, r.Alpha)
	if err != nil {
		return err
	}
	within, err := stats.NonInferiorityRegion(c.ctx, more.Baseline, more.Candidate, r.Delta, r.Beta)
	if err != nil {
		return err
	}
	decided := tables([2]int{more.Baseline, more.Candidate}, func(b, k int) bool {
		return worse.Contains(b, k) || within.Contains(b, k)
	})
	text := fmt.Sprintf("%d/%d, rates %v and %v", more.Baseline, more.Candidate, *r.Baseline.Rate, *r.Candidate.Rate)
	c.exact("more trials", text, decides, decided.probability(*r.Baseline.Rate, *r.Candidate.Rate),
		asPrinted(more.Chance))
	return nil
}

// planned checks the table that plan prints.
//
// The promise is made to whoever reads the plan before a run: at each rate of the table the three
// outcomes have the printed probabilities, and the fixed sample beside it the printed errors.
func (c *calibrator) planned() error {
	p, err := plan.Test(c.ctx,
		plan.Options{Hypotheses: usualHypotheses, MaxTrials: 152, Kind: sprt.OptimalKind, Prior: "stable"})
	if err != nil {
		return err
	}
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	// Else the walk would be one of another design than the plan is about.
	if d.Digest() != p.Design.Digest {
		return fmt.Errorf("plan made the design %s, not %s", p.Design.Digest, d.Digest())
	}
	for _, point := range p.Design.Points {
		pass, fail, open := ends(d.Boundaries, point.P)
		text := fmt.Sprintf("%s, rate %.3g", setting(usualHypotheses), point.P)
		c.exact("plan", text, "pass", pass, asPrinted(point.Pass))
		c.exact("plan", text, "fail", fail, asPrinted(point.Fail))
		c.exact("plan", text, undecided, open, asPrinted(point.Inconclusive))
	}
	c.exact("plan: fixed sample", setting(usualHypotheses), falseFail,
		sumWhere(binomialMasses(p.Fixed.Trials, usualHypotheses.Threshold), func(k int) bool {
			return p.Fixed.Trials-k > p.Fixed.MaxFailures
		}), asPrinted(p.Fixed.Alpha))
	c.exact("plan: fixed sample", setting(usualHypotheses), falsePass,
		sumWhere(binomialMasses(p.Fixed.Trials, usualHypotheses.Lower()), func(k int) bool {
			return p.Fixed.Trials-k <= p.Fixed.MaxFailures
		}), asPrinted(p.Fixed.Beta))
	return nil
}

// normalRows draws independent normal numbers, the first of which is shifted.
//
// With the identity as covariance, the shift is the Mahalanobis distance of the means.
func normalRows(random *rand.Rand, rows, columns int, shift float64) [][]float64 {
	list := make([][]float64, rows)
	for i := range list {
		for j := range columns {
			x := random.NormFloat64()
			if j == 0 {
				x += shift
			}
			list[i] = append(list[i], x)
		}
	}
	return list
}

// hotelling simulates the power of the noncentral F.
//
// The promise is that the power is right where the columns are normal. The test is cheap:
// 40,000 runs leave three standard errors of 0.75 points at most.
func (c *calibrator) hotelling() error {
	const alpha, columns, n, distance = .05, 4, 20, 1.0
	power, err := hotelling.Power(columns, n, n, distance, alpha)
	if err != nil {
		return err
	}
	return c.simulate("Hotelling's power",
		fmt.Sprintf("%d normal columns, %d/%d, distance %v", columns, n, n, distance), missed, c.runs(2000, 40_000),
		asPrinted(1-power), func(random *rand.Rand) (bool, error) {
			r, err := hotelling.Test(normalRows(random, n, columns, 0), normalRows(random, n, columns, distance))
			return r.P > alpha, err
		})
}

// budgets draws both sides again from the calibration trials that a budget was planned
// from. The printed power is simulated too, with a standard error of its own, and its
// number of trials is the smallest that reached the power asked for: what is promised is
// the printed power, within both errors.
func (c *calibrator) budgets() error {
	const alpha, beta, calibration, shift = .05, .1, 100, 1.0
	columns := make([]fingerprint.Column, 4)
	for j := range columns {
		columns[j].Name = fmt.Sprintf("c%d", j)
	}
	seed := c.rowSeed("budget")
	rows := normalRows(seeded.Stream(seed, 0), calibration, len(columns), 0)
	// So that a shift of 1 is a shift by one standard deviation of these trials.
	standardize(rows)
	// The shift is added to the first column alone.
	vector := func(row []float64, by float64) fingerprint.Vector {
		v := fingerprint.Vector{Scenario: "s"}
		for j, x := range row {
			if j == 0 {
				x += by
			}
			v.Values = append(v.Values, trial.Some(x))
		}
		return v
	}
	var vectors []fingerprint.Vector
	for _, row := range rows {
		vectors = append(vectors, vector(row, 0))
	}
	const permutations = 199
	o := fingerprint.Options{Alpha: alpha, Permutations: permutations, Seed: seed}
	b, err := fingerprint.PlanBudgetVectors(c.ctx, columns, vectors,
		fingerprint.BudgetOptions{Options: o, Beta: beta, Shift: map[string]float64{"c0": shift}})
	if err != nil {
		return err
	}
	runs := c.runs(400, 6000)
	err = c.simulate("behaviour budget", fmt.Sprintf("%d trials a side for a shift of 1 sd", b.Trials), missed, runs,
		asPrinted(1-b.Power), func(random *rand.Rand) (bool, error) {
			var sides [2][]fingerprint.Vector
			for i := range sides {
				for range b.Trials {
					// With replacement, as the planner draws; only side 1, the candidate, shifts.
					sides[i] = append(sides[i], vector(rows[random.IntN(len(rows))], float64(i)*shift))
				}
			}
			o := o
			o.Seed = random.Uint64()
			found, err := fingerprint.CompareVectors(c.ctx, columns, sides[0], sides[1], o)
			return err == nil && !found.Changed, err
		})
	if err != nil {
		return err
	}
	// Two independent errors: of the planner's simulation and of this one.
	row := &c.rows[len(c.rows)-1]
	row.StdErr = math.Hypot(b.PowerErr, math.Sqrt((1-b.Power)*b.Power/float64(runs)))
	return nil
}

// standardize gives every column a mean of 0 and a standard deviation of 1.
func standardize(rows [][]float64) {
	n := float64(len(rows))
	for j := range rows[0] {
		mean, square := 0.0, 0.0
		for _, row := range rows {
			mean += row[j] / n
		}
		for _, row := range rows {
			square += (row[j] - mean) * (row[j] - mean)
		}
		sd := math.Sqrt(square / (n - 1))
		for _, row := range rows {
			row[j] = (row[j] - mean) / sd
		}
	}
}
