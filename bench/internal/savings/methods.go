package savings

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	rates "github.com/tribunal-dev/tribunal/stats/threshold"
)

// measuredTest is a method and what it does at any pass rate.
type measuredTest struct {
	Method
	at    performanceAt
	drawn bool // on the chart

	// designs are those of a method that has one for each pass rate: all errors count.
	designs map[int]*sprt.Lattice
}

// performance is what a test does at a pass rate.
type performance struct {
	sprt.Characteristics
	// the least number of trials within which 95 % of the tests end
	trials95 int
}

// performanceAt is what a test does at any pass rate.
//
// It is exact: read off a lattice, or summed over a binomial distribution.
type performanceAt func(ctx context.Context, p float64) (performance, error)

// Wald's test has no upper limit: it is followed to where less than this is left.
const (
	// trials for which it is followed
	waldFar = 2000
	// the most that may still go on then, which is checked
	waldLeft = 1e-9
	// the same against a stored baseline, where hypotheses may be close to each other; what still goes
	// on then is counted as undecided
	baselineFar = 5000
)

// prepare makes the tests.
//
// The order is that of the tables. What costs most, the optimal designs after a history, is
// computed when a rate is first asked for.
func (m *measurement) prepare(ctx context.Context) error {
	var found bool
	if m.fixed, found = m.h.FixedSample(); !found {
		return errors.New("no fixed sample keeps both errors")
	}
	wilson, err := wilsonRule(m.h, paperTrials)
	if err != nil {
		return err
	}
	fixed, err := boundariesOf(sprt.Fixed(m.h, m.fixed.Trials))
	if err != nil {
		return err
	}
	wald, err := boundariesOf(sprt.Wald(m.h, waldFar))
	if err != nil {
		return err
	}
	waldCut, err := boundariesOf(sprt.Wald(m.h, 30))
	if err != nil {
		return err
	}
	if m.optimal, err = sprt.Optimal(ctx, m.h, sprt.OptimalOptions{MaxTrials: mostTrials}); err != nil {
		return err
	}
	optimal, err := boundariesOf(m.optimal.Design, nil)
	if err != nil {
		return err
	}
	averaged, err := newAveragedBaseline(m.h)
	if err != nil {
		return err
	}
	typical, most, err := m.typicalBaseline(ctx)
	if err != nil {
		return err
	}
	m.tests = []measuredTest{
		{Method: Method{
			Name: "fixed-wilson", Title: fmt.Sprintf("fixed %d, Wilson", paperTrials), MaxTrials: limit(paperTrials),
			Text: "always 100 trials, judged by Wilson's 95 % interval of the rate against the threshold, " +
				"as AgentAssay does",
		}, at: wilson, drawn: true},
		{Method: Method{
			Name: "fixed", Title: fmt.Sprintf("fixed %d", m.fixed.Trials), MaxTrials: limit(m.fixed.Trials),
			Text: "the smallest fixed number of trials that keeps both errors",
		}, at: fixed, drawn: true},
		{Method: Method{
			Name: "wald", Title: "Wald",
			Text: fmt.Sprintf("Wald's sequential test without an upper limit, followed for %d trials, "+
				"beyond which less than %g of the tests go on", waldFar, waldLeft),
		}, at: waldWithoutLimit(wald), drawn: true},
		{Method: Method{
			Name: "wald-30", Title: "Wald, at most 30", MaxTrials: limit(30),
			Text: "Wald's test, cut off after 30 trials",
		}, at: waldCut, drawn: true},
		{Method: Method{
			Name: "optimal", Title: "optimal", MaxTrials: limit(mostTrials),
			Text: "the fewest expected trials under the weighting stable, at most 152",
		}, at: optimal, drawn: true},
		m.afterHistory(Method{
			Name: "optimal-right-history", Title: "optimal, right history", MaxTrials: limit(mostTrials),
			Text: "optimal after a history of 100 trials at the true rate",
		}, true, func(p float64) float64 { return p }),
		m.afterHistory(Method{
			Name: "optimal-wrong-history", Title: "optimal, wrong history", MaxTrials: limit(mostTrials),
			Text: "optimal after a history of 100 trials at another rate: 0.80 where the true rate is 0.90 or more, " +
				"and 1 where it is less",
		}, false, m.wrong),
		{Method: Method{
			Name: "optimal-behaviour", Title: "optimal + behaviour", MaxTrials: limit(mostTrials), Behaviour: true,
			Text: "optimal, and the same trials are compared with 100 stored traces by the permutation test",
		}, at: optimal},
		{Method: Method{
			Name: "baseline-wald", Title: "baseline, Wald",
			Text: fmt.Sprintf("Wald's test against a stored baseline of 1,000 trials of a system at the threshold, "+
				"whose rate is not known; averaged over all baselines, and given up after %d trials", baselineFar),
		}, at: averaged.at, drawn: true},
		{Method: Method{
			Name: "baseline-optimal", Title: "baseline, optimal", MaxTrials: limit(most),
			Text: fmt.Sprintf("optimal against such a baseline that passed 900 of 1,000; at most %d trials", most),
		}, at: typical},
	}
	return nil
}

func limit(n int) *int { return &n }

// boundariesOf follows a design on the lattice.
//
// It takes the error of what makes the design, so that both can be one expression.
func boundariesOf(d sprt.Design, err error) (performanceAt, error) {
	if err != nil {
		return nil, err
	}
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, p float64) (performance, error) {
		return performance{lattice.At(p), lattice.Quantile(p, .95)}, nil
	}, nil
}

// waldWithoutLimit takes the little that goes beyond the lattice for nothing.
func waldWithoutLimit(at performanceAt) performanceAt {
	return func(ctx context.Context, p float64) (performance, error) {
		d, err := at(ctx, p)
		if err == nil && d.Inconclusive > waldLeft {
			err = fmt.Errorf("%v of the tests go on after %d trials", d.Inconclusive, waldFar)
		}
		// At most waldLeft, which is below what is printed.
		d.Inconclusive = 0
		return d, err
	}
}

// wilsonRule is the three-valued verdict after so many trials.
//
// It passes from cut.Pass passes on, and fails up to cut.Fail.
func wilsonRule(h sprt.Hypotheses, trials int) (performanceAt, error) {
	rule := rates.Rule{Method: stats.WilsonInterval, Alpha: h.Alpha, Threshold: h.Threshold}
	cut, err := rule.Cutoffs(trials)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, p float64) (performance, error) {
		b := dist.Binomial{N: trials, P: p}
		d := performance{sprt.Characteristics{P: p, Pass: b.Survival(cut.Pass - 1), Fail: b.CDF(cut.Fail),
			ExpectedTrials: float64(trials)}, trials}
		for k := cut.Fail + 1; k < cut.Pass; k++ {
			d.Inconclusive += b.Prob(k)
		}
		return d, nil
	}, nil
}

// wrong is a rate that the true one is not.
//
// It is as wrong as matters: a good system has a history at the rate that is too low, a bad one
// has a history without failures.
func (m *measurement) wrong(p float64) float64 {
	if p >= m.h.Threshold {
		return m.h.Lower()
	}
	return 1
}

// afterHistory is the optimal design after a history, which has another rate for every
// true one.
func (m *measurement) afterHistory(method Method, drawn bool, historyRate func(p float64) float64) measuredTest {
	// By passes of the history; the rates of the tables and of the chart share them.
	designs := make(map[int]*sprt.Lattice)
	at := func(ctx context.Context, p float64) (performance, error) {
		passes := int(math.Round(historyTrials * historyRate(p)))
		if designs[passes] == nil {
			weighting, err := sprt.History(stats.Counts{Passes: passes, Trials: historyTrials})
			if err != nil {
				return performance{}, err
			}
			plan, err := sprt.Optimal(ctx, m.h, sprt.OptimalOptions{MaxTrials: mostTrials, Weighting: weighting})
			if err != nil {
				return performance{}, err
			}
			if designs[passes], err = plan.Design.Boundaries.Lattice(); err != nil {
				return performance{}, err
			}
		}
		return performance{designs[passes].At(p), designs[passes].Quantile(p, .95)}, nil
	}
	return measuredTest{Method: method, at: at, drawn: drawn, designs: designs}
}

// largest are the largest errors and the least power of the designs of a method.
//
// The history is another one at each rate, so that no single design has the method's errors: those
// that are printed hold for all its designs.
func (m *measurement) largest(method *Method, designs map[int]*sprt.Lattice) {
	for _, lattice := range designs {
		upper, lower := lattice.At(m.h.Threshold), lattice.At(m.h.Lower())
		method.FalseFail = max(method.FalseFail, upper.Fail)
		method.FalsePass = max(method.FalsePass, lower.Pass)
		method.Power = min(method.Power, lower.Fail)
	}
}

// typicalBaseline is the optimal design against the likeliest baseline of a system at
// the threshold.
func (m *measurement) typicalBaseline(ctx context.Context) (at performanceAt, most int, err error) {
	passes := int(math.Round(baselineTrials * m.h.Threshold))
	baseline, err := sprt.FromBaseline(stats.Counts{Passes: passes, Trials: baselineTrials}, m.h.Delta, m.h.Alpha,
		m.h.Beta, sprt.DefaultGamma)
	if err != nil {
		return nil, 0, err
	}
	fixed, found := baseline.Hypotheses.FixedSample()
	if !found {
		return nil, 0, errors.New("no fixed sample keeps both errors against the baseline")
	}
	// As many trials over its fixed sample as without a baseline: 152 over 109.
	most = fixed.Trials * mostTrials / m.fixed.Trials
	plan, err := sprt.Optimal(ctx, baseline.Hypotheses, sprt.OptimalOptions{MaxTrials: most})
	if err != nil {
		return nil, 0, err
	}
	at, err = boundariesOf(plan.Design, nil)
	return at, most, err
}
