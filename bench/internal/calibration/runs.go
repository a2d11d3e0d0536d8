package calibration

import (
	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/sprt"
)

// calibrateRuns runs simulated agents through the whole runner: sixteen trials at once,
// failures five times as slow as passes, so that who judged trials as they end would see
// too many passes.
//
// The promise is that of the design, alpha and beta, and is made to whoever runs a suite: that it
// survives trials that end in any order, launches beyond the decision, errors of the
// infrastructure and several scenarios that are alike. A drift promises nothing, for there is then
// no one rate that a verdict could be about. Simulated, since scheduling has no lattice: a run
// goes through runner.Run on a simulated clock, and 20,000 leave three standard errors of 0.46
// points at alpha, 0.64 at beta.
func calibrateRuns(c *calibrator) error {
	optimal, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	// 109 is the smallest fixed sample that keeps both errors of the usual hypotheses.
	fixed, err := sprt.Fixed(usualHypotheses, 109)
	if err != nil {
		return err
	}
	h := usualHypotheses
	for _, s := range []struct {
		name   string
		design sprt.Design
		// launch trials before it is known that they are needed
		eager bool
		// the share of trials that end in an infrastructure error
		errors float64
		// the change of the pass rate over 100 trials
		drift     float64
		scenarios int
		promise   func(float64) promise
	}{
		{"frugal", optimal, false, 0, 0, 1, atMost},
		{"eager", optimal, true, 0, 0, 1, atMost},
		{"errors", optimal, true, .15, 0, 1, atMost},
		{"drift", optimal, false, 0, -.1, 1, unpromised},
		{"scenarios alike", optimal, true, 0, 0, 4, atMost},
		{"fixed sample", fixed, true, 0, 0, 1, atMost},
		// The short form leaves the last two out.
	}[:pick(c, 4, 6)] {
		for _, e := range []struct {
			kind    string
			rate    float64
			nominal float64
			count   func(*simulation.RunRatesResult) int
		}{
			{falseFail, h.Threshold, h.Alpha, func(r *simulation.RunRatesResult) int { return r.Fail.Count }},
			{falsePass, h.Lower(), h.Beta, func(r *simulation.RunRatesResult) int { return r.Pass.Count }},
		} {
			// A pass takes 1 s on average and a failure five times as long, DefaultSlowness.
			agent := simulation.Agent{
				Name: s.name, PassRate: e.rate, ErrorRate: s.errors, Drift: s.drift,
				Slowness: simulation.DefaultSlowness, Seconds: simulation.Spread{Mean: 1, SD: .3},
			}
			if s.drift != 0 {
				agent.PassRate -= s.drift / 2 // at the rate after 50 trials
			}
			runs := c.runs(1500, 20_000)
			r, err := simulation.RunRates(c.ctx, simulation.RunRatesOptions{
				Design: s.design, Agent: &agent, Scenarios: s.scenarios, Runs: runs,
				Eager: s.eager, Seed: c.rowSeed(s.name, e.kind),
			})
			if err != nil {
				return err
			}
			c.counted("run, "+s.name, setting(h), e.kind, e.count(r), runs, s.promise(e.nominal))
		}
	}
	return nil
}
