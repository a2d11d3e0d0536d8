package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// calibrateRegression measures tests of a candidate against a baseline that is a sample itself.
//
// The promise is made to whoever lets a change of an agent through: where nothing changed the test
// fails with at most alpha, where the rate dropped by delta it passes with at most beta, at every
// rate of the baseline, over the sampling of both sides. For a suite of several scenarios the gate
// blocks with at most alpha where nothing changed, and deploys with at most beta where one of them
// dropped.
//
// Rates of one test are exact: every outcome of the baseline by its probability, times a walk on the
// lattice of the test that follows it. Whole gates are simulated.
func calibrateRegression(c *calibrator) error {
	for _, step := range []func() error{c.storedBaselines, c.sideBySide, c.baselineGates} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// storedSetting is a baseline that was recorded, and what is asked of a candidate.
type storedSetting struct {
	name   string
	sample func() (baseline.Sample, error)
	// the probability of each outcome at a rate, by what is independent of the sample
	mass  func(p float64) map[baseline.Outcome]float64
	delta float64
	// the rates at which the errors are measured: from here to 1
	lowest float64
	guard  float64 // the lowest guarded rate; 0: chosen by what the baseline came to
	suites bool    // measure suites of several scenarios too
}

// fixedBaseline is one of a number of trials that was fixed.
func fixedBaseline(trials int, delta, lowest float64) storedSetting {
	return storedSetting{
		name:   fmt.Sprintf("%d trials, delta %v", trials, delta),
		sample: func() (baseline.Sample, error) { return baseline.Fixed(trials) },
		mass: func(p float64) map[baseline.Outcome]float64 {
			mass := map[baseline.Outcome]float64{}
			for passes, m := range binomialMasses(trials, p) {
				mass[baseline.Outcome{Trials: trials, Failures: trials - passes}] = m
			}
			return mass
		},
		delta: delta, lowest: lowest,
	}
}

// sequentialBaseline is one that a sequential test stopped.
func sequentialBaseline(d sprt.Design, delta, lowest float64) storedSetting {
	return storedSetting{
		name:   fmt.Sprintf("ended by %s, delta %v", setting(d.Hypotheses), delta),
		sample: func() (baseline.Sample, error) { return baseline.Sequential(d.Boundaries) },
		mass: func(p float64) map[baseline.Outcome]float64 {
			mass := map[baseline.Outcome]float64{}
			for _, s := range walk(d.Boundaries, func(int) float64 { return p }) {
				mass[baseline.Outcome{Trials: s.trials, Failures: s.failures}] += s.probability
			}
			return mass
		},
		delta: delta, lowest: lowest,
	}
}

// impossible is the probability below which an outcome of a baseline is left out. It is no part of
// the errors that follow: what is left out could add at most this much for each outcome.
const impossible = 1e-10

// The errors that are asked for in all settings.
const regressionAlpha, regressionBeta = .05, .1

// storedBaselines adds the rows of baselines that were recorded.
func (c *calibrator) storedBaselines() error {
	settings := []storedSetting{fixedBaseline(100, .2, .97)}
	if !c.short {
		d, err := usualDesign(c.ctx)
		if err != nil {
			return err
		}
		several := fixedBaseline(100, .2, .95)
		several.suites = true
		// Of short ends, such as two failures in four trials, next to nothing is known.
		ended := sequentialBaseline(d, .2, .9)
		ended.guard = .8
		settings = append(settings[:0], several, fixedBaseline(100, .2, .8), fixedBaseline(300, .1, .8),
			fixedBaseline(1000, .1, .8), ended)
	}
	for _, s := range settings {
		if err := c.recordedBaseline(s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// recordedBaseline adds the rows of one baseline.
func (c *calibrator) recordedBaseline(s storedSetting) error {
	families, err := c.families(s)
	if err != nil {
		return err
	}
	rates := rateGrid(s.lowest, 1, pick(c, 8, 16))
	fail, pass := make([]float64, len(rates)), make([]float64, len(rates))
	err = bench.Repeat(c.ctx, len(rates), func(i int) error {
		mass := s.mass(rates[i])
		for _, o := range slices.SortedFunc(maps.Keys(mass), compareOutcomes) {
			family := families[o]
			if family == nil || mass[o] < impossible {
				continue // there is no test, which is no error
			}
			b, _ := family.Boundaries(o)
			_, falsely, _ := ends(b, rates[i])
			missed, _, _ := ends(b, rates[i]-s.delta)
			fail[i] += mass[o] * falsely
			pass[i] += mass[o] * missed
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.worstOf("stored baseline", s.name, falseFail, rates, fail, atMost(regressionAlpha))
	c.worstOf("stored baseline", s.name, falsePass, rates, pass, atMost(regressionBeta))
	if s.suites {
		return c.suitesOf(s, families)
	}
	return nil
}

// families plans the tests of all outcomes that are possible at the lowest rate. Which rates are
// guarded follows from what the baseline came to, in tiers, so that there are several families; each
// outcome has the one that a candidate beside it would be tested by, or none.
func (c *calibrator) families(s storedSetting) (map[baseline.Outcome]*baseline.Family, error) {
	sample, err := s.sample()
	if err != nil {
		return nil, err
	}
	q := baseline.Question{Delta: s.delta, Alpha: regressionAlpha, Beta: regressionBeta, Guard: s.guard}
	chain, err := baseline.NewChain(q, sample, baseline.Options{})
	if err != nil {
		return nil, err
	}
	families := map[baseline.Outcome]*baseline.Family{}
	mass := s.mass(s.lowest)
	outcomes := slices.SortedFunc(maps.Keys(mass), func(a, b baseline.Outcome) int {
		return cmp.Or(cmp.Compare(a.Failures*b.Trials, b.Failures*a.Trials), compareOutcomes(a, b))
	})
	for _, o := range outcomes {
		if mass[o] < impossible && o.Failures > 0 && float64(o.Passes()) < s.lowest*float64(o.Trials) {
			continue
		}
		plan, err := chain.Against(c.ctx, o)
		small, tooSmall := errors.AsType[*baseline.TooSmallError](err)
		switch {
		// So it is for all that are worse.
		case tooSmall && small != nil:
			return families, nil
		case err != nil:
			return nil, err
		}
		if _, tested := plan.Family.Boundaries(o); tested {
			families[o] = plan.Family
		}
	}
	return families, nil
}

// suitesOf adds how often suites are blocked in which nothing changed.
//
// The scenarios are independent and alike, each with a baseline of its own, and Holm's correction
// blocks if the smallest p-value is at most alpha by their number. So a rate follows from how often
// one test ends with so small a p-value, which is enumerated: the p-value of every Fail of every
// outcome of the baseline.
func (c *calibrator) suitesOf(s storedSetting, families map[baseline.Outcome]*baseline.Family) error {
	rates := []float64{s.lowest, (s.lowest + 1) / 2, .99}
	type powerPoint struct {
		p    float64
		mass []float64 // by rate
	}
	var fails []powerPoint
	outcomes := map[baseline.Outcome][]float64{} // their masses by rate
	for i, p := range rates {
		for o, m := range s.mass(p) {
			if outcomes[o] == nil {
				outcomes[o] = make([]float64, len(rates))
			}
			outcomes[o][i] = m
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(outcomes), compareOutcomes) {
		family := families[o]
		if family == nil || slices.Max(outcomes[o]) < impossible {
			continue
		}
		b, _ := family.Boundaries(o)
		var walks [][]stop
		for _, p := range rates {
			walks = append(walks, walk(b, func(int) float64 { return p }))
		}
		for j, end := range walks[0] {
			if end.outcome != sprt.Fail {
				continue
			}
			f := powerPoint{p: math.NaN(), mass: make([]float64, len(rates))}
			for i := range rates {
				f.mass[i] = outcomes[o][i] * walks[i][j].probability
			}
			// Rare ends count as if their p-value were 0, which spares the search for it.
			if slices.Max(f.mass) < rareEnd {
				f.p = 0
			}
			fails = append(fails, f)
			if f.p == 0 {
				continue
			}
			last := len(fails) - 1
			values, err := family.PValues(o, end.trials, end.failures)
			if err != nil {
				return err
			}
			fails[last].p = values.Unchanged
			if err := c.ctx.Err(); err != nil {
				return err
			}
		}
	}
	for _, scenarios := range []int{1, 5, 20} {
		block := make([]float64, len(rates))
		for i := range rates {
			one := 0.0
			for _, f := range fails {
				if f.p <= regressionAlpha/float64(scenarios) {
					one += f.mass[i]
				}
			}
			block[i] = -math.Expm1(float64(scenarios) * math.Log1p(-one))
		}
		c.worstOf(fmt.Sprintf("%d baselines, Holm", scenarios), s.name, falseFail, rates, block, atMost(regressionAlpha))
	}
	return nil
}

// rareEnd is the probability below which an end is not looked at. There are some thousand ends, so
// that all of them together are below a thousandth of what is promised.
const rareEnd = 1e-8

// compareOutcomes orders outcomes, so that sums over them are always the same.
func compareOutcomes(a, b baseline.Outcome) int {
	return cmp.Or(cmp.Compare(a.Trials, b.Trials), cmp.Compare(a.Failures, b.Failures))
}

// worstOf adds the largest of the rates of an error, with the pass rate at which it is.
func (c *calibrator) worstOf(decision, setting, err string, rates, errs []float64, p promise) {
	at := 0
	for i, e := range errs {
		if e > errs[at] || math.IsNaN(e) {
			at = i
		}
	}
	c.exact(decision, fmt.Sprintf("%s, rate %.3g", setting, rates[at]), err, errs[at], p)
}

// sideBySide adds the rows of tests that run both sides in rounds.
func (c *calibrator) sideBySide() error {
	type settingOf struct{ delta, lowest float64 }
	settings := []settingOf{{.2, .9}}
	if !c.short {
		settings = []settingOf{{.2, .8}, {.1, .9}}
	}
	for _, s := range settings {
		h := baseline.Hypotheses{Delta: s.delta, Alpha: regressionAlpha, Beta: regressionBeta}
		h.Guarded.Low, h.Guarded.High = s.lowest, 1
		plan, err := baseline.SideBySide(c.ctx, h, baseline.Options{})
		if err != nil {
			return err
		}
		rates := rateGrid(s.lowest, 1, pick(c, 6, 12))
		fail, pass := make([]float64, len(rates)), make([]float64, len(rates))
		err = bench.Repeat(c.ctx, len(rates), func(i int) error {
			_, fail[i] = roundsEnds(plan.Test, rates[i], rates[i])
			pass[i], _ = roundsEnds(plan.Test, rates[i], rates[i]-s.delta)
			return nil
		})
		if err != nil {
			return err
		}
		name := fmt.Sprintf("at most %d rounds, delta %v", plan.Test.MaxRounds(), s.delta)
		c.worstOf("side by side", name, falseFail, rates, fail, atMost(regressionAlpha))
		c.worstOf("side by side", name, falsePass, rates, pass, atMost(regressionBeta))
	}
	return nil
}

// roundsEnds returns how likely a test in rounds is to pass and to fail, by carrying the
// probabilities of all states, the failures of both sides, from round to round.
func roundsEnds(r *baseline.Rounds, before, after float64) (pass, fail float64) {
	most := r.MaxRounds()
	width := most + 1
	alive, next := make([]float64, width*width), make([]float64, width*width)
	alive[0] = 1
	for n := 1; n <= most; n++ {
		clear(next)
		for b := range n {
			for k := range n {
				m := alive[b*width+k]
				if m == 0 {
					continue
				}
				next[b*width+k] += m * before * after
				next[(b+1)*width+k] += m * (1 - before) * after
				next[b*width+k+1] += m * before * (1 - after)
				next[(b+1)*width+k+1] += m * (1 - before) * (1 - after)
			}
		}
		for b := range n + 1 {
			for k := range n + 1 {
				m := &next[b*width+k]
				if *m == 0 {
					continue
				}
				switch r.Outcome(n, b, k) {
				case sprt.Undecided:
					continue
				case sprt.Pass:
					pass += *m
				case sprt.Fail:
					fail += *m
				}
				*m = 0
			}
		}
		alive, next = next, alive
	}
	return pass, fail
}
