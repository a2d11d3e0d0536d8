package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The errors that the rows of a gate's power are about.
const (
	unblocked = "not blocked"  // although a scenario is too low, or dropped
	withheld  = "not deployed" // although all scenarios are as good as they should be
)

// calibrateGatePower measures whether a gate of many scenarios finds the one that is too low, and lets all
// of them pass that are good.
//
// The promises are those of the tests: a scenario that is too low by delta is blocked with at least 1-beta,
// also beside nineteen others, and a suite whose scenarios are at their thresholds deploys with at least
// 1-alpha, which is more than the 90 % that are asked here. The tests are those that a run of such a suite
// plans. Every end that fails is put before the gate, beside scenarios that pass; the rates weigh the ends
// by walks of this package.
func calibrateGatePower(c *calibrator) error {
	for _, scenarios := range pick(c, []int{20}, []int{20, 100}) {
		if err := c.gateOfMany(scenarios); err != nil {
			return err
		}
	}
	return c.droppedInGate()
}

// gateOfMany measures a gate over so many scenarios that are asked alike.
func (c *calibrator) gateOfMany(scenarios int) error {
	tests, err := plannedTogether(c, scenarios)
	if err != nil {
		return err
	}
	g := gateMeasure{calibrator: c, design: tests[0].Design, h: tests[0].Design.Hypotheses}
	blocks, err := g.blocksBeside(scenarios, tests[0].Shared)
	if err != nil {
		return err
	}
	const alpha, beta = .05, .1
	decision := fmt.Sprintf("gate of %d", scenarios)
	text := fmt.Sprintf("theta %v, delta %v", g.h.Threshold, g.h.Delta)
	audited := scenarios == 20 // the settings of the audit, with these rates of the one
	for _, low := range []struct{ rate, before float64 }{
		{g.h.Lower(), .95}, {g.h.Lower() - .1, .77}, {g.h.Lower() - .3, .20},
	} {
		mass := g.mass(low.rate)
		found := sumWhere(mass, func(i int) bool { return blocks[i] })
		c.exact(decision, fmt.Sprintf("%s, one at %.3g", text, low.rate), unblocked, 1-found, atMost(beta))
		if audited {
			c.before(low.before)
		}
	}
	pass, fail, _ := ends(g.design.Boundaries, g.h.Threshold)
	c.exact(decision, text+", all at theta", falseFail, anyOf(fail, scenarios), atMost(alpha))
	c.exact(decision, text+", all at theta", withheld, -math.Expm1(float64(scenarios)*math.Log(pass)), atMost(.1))
	c.before(map[bool]float64{true: .64, false: .994}[audited]) // of 20 scenarios and of 100
	pass, _, _ = ends(g.design.Boundaries, .99)
	c.exact(decision, text+", all at 0.99", withheld, -math.Expm1(float64(scenarios)*math.Log(pass)), atMost(.1))
	pass, _, _ = ends(g.design.Boundaries, g.h.Lower())
	c.exact(decision, text+", one too low, others perfect", falsePass, pass, atMost(beta))
	return nil
}

// anyOf is the probability that one of so many independent events happens.
func anyOf(p float64, events int) float64 { return -math.Expm1(float64(events) * math.Log1p(-p)) }

// plannedTogether are the tests that a run of a suite with a gate plans.
func plannedTogether(c *calibrator, scenarios int) ([]runner.Test, error) {
	var names []string
	for i := range scenarios {
		names = append(names, fmt.Sprintf("{name: s%d}", i))
	}
	s, err := suite.Parse("tribunal.yaml", []byte("version: 1\nname: many\nlimits: none\nagent: {command: [./agent]}\n"+
		"test: {threshold: 0.9, delta: 0.1}\nscenarios: ["+strings.Join(names, ", ")+"]\n"))
	if err != nil {
		return nil, err
	}
	return runner.Tests(c.ctx, s, s.Scenarios, runner.PrepareOptions{Together: true})
}

// blocksBeside puts every end of one scenario before a gate in which the others passed, and says which of
// them it blocks for.
func (g *gateMeasure) blocksBeside(scenarios, shared int) ([]bool, error) {
	g.stops = walk(g.design.Boundaries, func(int) float64 { return .5 })
	g.tests = make([]runs.Test, len(g.stops))
	passes := slices.IndexFunc(g.stops, func(s stop) bool { return s.outcome == sprt.Pass })
	paths := pathsTo(g.design.Boundaries)
	blocks := make([]bool, len(g.stops))
	judge := func(i int) error {
		run, err := g.run(paths[[2]int{g.stops[i].trials, g.stops[i].failures}])
		if err == nil {
			g.tests[i] = run.Tests[0]
			g.tests[i].Shared = shared
		}
		return err
	}
	if err := judge(passes); err != nil {
		return nil, err
	}
	return blocks, bench.Repeat(g.ctx, len(g.stops), func(i int) error {
		if g.stops[i].outcome != sprt.Fail {
			return nil
		}
		if err := judge(i); err != nil {
			return err
		}
		list := slices.Repeat([]int{passes}, scenarios)
		list[0] = i
		judged, err := gate.Judge(g.ctx, g.suite(list...), gate.Options{Alpha: .05, Beta: .1})
		blocks[i] = err == nil && judged.Decision == gate.Block
		return err
	})
}

// droppedInGate measures how often a candidate that dropped is blocked by the run's own test against a
// recorded baseline, alone and as one of several that were planned together: then each has its part of
// alpha, and every Fail of it blocks. What the baseline came to is weighed by its own binomial masses; a
// baseline that is too small for the part counts as one by which nothing is blocked.
func (c *calibrator) droppedInGate() error {
	const alpha, beta = .05, .1
	type drop struct{ from, to, before float64 }
	for _, s := range pick(c,
		[]struct {
			tests, trials int
			delta         float64
			drops         []drop
		}{{1, 200, .3, []drop{{.99, .69, 0}}}},
		[]struct {
			tests, trials int
			delta         float64
			drops         []drop
		}{
			{1, 400, .1, []drop{{.97, .87, .935}, {.99, .9, .983}, {.97, .77, .45}}},
			{5, 600, .1, []drop{{.97, .87, 0}}},
		}) {
		question := baseline.Question{Delta: s.delta, Alpha: alpha / float64(s.tests), Beta: beta}
		for _, d := range s.drops {
			mass := fixedBaseline(s.trials, s.delta, d.from).mass(d.from)
			found, err := c.foundBy(question, s.trials, mass, d.to)
			if err != nil {
				return err
			}
			c.exact(fmt.Sprintf("gate of %d, baselines", s.tests),
				fmt.Sprintf("%d trials recorded, delta %v, %v -> %v", s.trials, s.delta, d.from, d.to), unblocked, 1-found,
				atMost(.2))
			if d.before > 0 {
				c.before(d.before)
			}
		}
	}
	return nil
}

// foundBy is the chance that tests against a recorded baseline fail at a rate of the candidate.
func (c *calibrator) foundBy(
	q baseline.Question, trials int, mass map[baseline.Outcome]float64, rate float64,
) (found float64, err error) {
	sample, err := baseline.Fixed(trials)
	if err != nil {
		return 0, err
	}
	chain, err := baseline.NewChain(q, sample, baseline.Options{})
	if err != nil {
		return 0, err
	}
	const negligible = 1e-6 // of outcomes of the baseline, which count as missed
	outcomes := slices.SortedFunc(maps.Keys(mass), func(a, b baseline.Outcome) int {
		return cmp.Compare(a.Failures, b.Failures)
	})
	for _, o := range outcomes {
		if mass[o] < negligible {
			continue
		}
		plan, err := chain.Against(c.ctx, o)
		if _, small := errors.AsType[*baseline.TooSmallError](err); small {
			continue
		}
		if err != nil {
			return 0, err
		}
		b, tested := plan.Family.Boundaries(o)
		if !tested {
			continue
		}
		_, fail, _ := ends(b, rate)
		found += mass[o] * fail
	}
	return found, nil
}
