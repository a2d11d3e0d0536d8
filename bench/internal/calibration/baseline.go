package calibration

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// calibrateBaseline enumerates stored baselines. With probability 1-gamma over them,
// every later test keeps alpha and beta: so the baselines are counted after which a
// candidate that is as good fails too often, or one that is worse by delta passes too
// often. A baseline that is too small is refused, and no error.
func calibrateBaseline(c *calibrator) error {
	// Of optimal designs there is one setting, as each baseline of it searches for a design anew.
	type setting struct {
		trials         int
		rate, delta    float64
		optimalDesigns bool
	}
	settings := []setting{{200, .9, .15, false}, {100, .95, .2, false}}
	if !c.short {
		settings = append(settings, setting{200, .9, .15, true}, setting{400, .9, .1, false},
			setting{400, .8, .15, false}, setting{100, .5, .3, false}, setting{1000, .95, .05, false})
	}
	for _, s := range settings {
		if err := c.storedBaseline(s.trials, s.rate, s.delta, s.optimalDesigns); err != nil {
			return err
		}
	}
	return c.baselineTakenAsKnown()
}

// mostAfterBaseline is the largest test that is made against a baseline.
//
// Chosen: where the limits of the baseline's rate are nearly delta apart, the hypotheses
// that are left between them are so close that a test takes many thousands of trials, and
// its walk the square of that. Such a baseline counts as if it had been refused.
const mostAfterBaseline = 2000

// storedBaseline adds the rows of one true rate. For every count of passes that a baseline may
// have, it makes the test that would follow and walks it twice: for a candidate with the true rate
// of the baseline, and for one that is worse by delta.
//
// Two promises follow. Of the baselines, at most gamma in probability are misleading, so that the
// test after them errs more than alpha or beta. And of both together, baseline and candidate, an
// error has a probability of at most alpha+gamma or beta+gamma: the misleading baselines may err
// every time, the others within their target.
func (c *calibrator) storedBaseline(trials int, rate, delta float64, optimalDesigns bool) error {
	const alpha, beta, gamma = .05, .1, sprt.DefaultGamma
	mass := binomialMasses(trials, rate)
	fail, pass, ready := make([]float64, trials+1), make([]float64, trials+1), make([]bool, trials+1)
	err := bench.Repeat(c.ctx, trials+1, func(k int) error {
		if mass[k] < 1e-9 {
			return nil // it is counted as broken below
		}
		b, err := sprt.FromBaseline(stats.Counts{Passes: k, Trials: trials}, delta, alpha, beta, gamma)
		if _, small := errors.AsType[*sprt.NotReadyError](err); small {
			ready[k] = true
			return nil
		} else if err != nil {
			return err
		}
		fixed, ok := b.Hypotheses.FixedSample()
		if !ok || fixed.Trials > mostAfterBaseline {
			ready[k] = true // nobody runs such a test
			return nil
		}
		// A fixed sample is enough to see whether the hypotheses are right: what a baseline promises is
		// in the hypotheses, and every design keeps those. One setting takes the default designs too.
		d, err := sprt.Fixed(b.Hypotheses, fixed.Trials)
		if optimalDesigns && err == nil && fixed.Trials < 400 {
			var p sprt.Plan
			p, err = sprt.Optimal(c.ctx, b.Hypotheses, sprt.OptimalOptions{MaxTrials: fixed.Trials * 7 / 5})
			d = p.Design
		}
		if err != nil {
			return err
		}
		_, fail[k], _ = ends(d.Boundaries, rate)
		pass[k], _, _ = ends(d.Boundaries, rate-delta)
		ready[k] = true
		return nil
	})
	if err != nil {
		return err
	}
	kind := "fixed"
	if optimalDesigns {
		kind = "optimal"
	}
	text := fmt.Sprintf("%d trials, rate %v, delta %v, %s", trials, rate, delta, kind)
	// A design may use its alpha up to the last digit.
	const slack = 1 + relativeRounding
	broken := sumWhere(mass, func(k int) bool { return !ready[k] || fail[k] > alpha*slack || pass[k] > beta*slack })
	c.exact("misleading baselines", text, misled, broken, atMost(gamma))
	var falseFails, falsePasses float64
	for k, m := range mass {
		falseFails += m * fail[k]
		falsePasses += m * pass[k]
	}
	c.exact("over all baselines", text, falseFail, falseFails, atMost(alpha+gamma))
	c.exact("over all baselines", text, falsePass, falsePasses, atMost(beta+gamma))
	return nil
}

// baselineTakenAsKnown is what comes of 50 trials whose rate is taken for the true one.
// The rows promise nothing: they show why a baseline is no threshold. What is enumerated are all
// baselines of 50 trials, and for each the fixed sample that its observed rate asks for.
func (c *calibrator) baselineTakenAsKnown() error {
	const trials, rate, delta, alpha, beta = 50, .9, .1, .05, .05
	var falseFails, falsePasses float64
	for k, m := range binomialMasses(trials, rate) {
		theta := float64(k) / trials
		// Below delta there is no lower hypothesis; what is unlikely beyond that adds nothing visible.
		if theta <= delta || m < 1e-12 {
			continue
		}
		// A baseline without failures would be a threshold of 1, which no test can hold.
		h := sprt.Hypotheses{Threshold: math.Min(theta, .995), Delta: delta, Alpha: alpha, Beta: beta}
		fixed, ok := h.FixedSample()
		if !ok {
			continue
		}
		d, err := sprt.Fixed(h, fixed.Trials)
		if err != nil {
			return err
		}
		_, fail, _ := ends(d.Boundaries, rate)
		pass, _, _ := ends(d.Boundaries, rate-delta)
		falseFails += m * fail
		falsePasses += m * pass
	}
	text := fmt.Sprintf("%d trials, rate %v, delta %v", trials, rate, delta)
	c.exact("taken as known", text, falseFail, falseFails, unpromised(alpha))
	c.exact("taken as known", text, falsePass, falsePasses, unpromised(beta))
	return nil
}
