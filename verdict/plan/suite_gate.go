package plan

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// TestPower is what the test of a scenario against its threshold does in a gate of several: exact, from the
// boundaries of its design.
type TestPower struct {
	// Good is a pass rate to be expected of a scenario that is in order: with a tenth of the failures that
	// the threshold allows.
	Good float64 `json:"good"`
	Far  float64 `json:"far"` // a rate that is too low by twice delta, or 0
	// The chances of a Pass.
	Passes AtRates `json:"passes"`
	// The chances of a Fail that is one beside all other scenarios, of which none is taken to fail: with
	// one that does, more of them count.
	Blocks AtRates `json:"blocks"`
}

// AtRates are chances at the pass rates that matter in a gate.
type AtRates struct {
	Good      float64 `json:"good"`      // at [TestPower].Good
	Threshold float64 `json:"threshold"` // at the threshold
	Lower     float64 `json:"lower"`     // at the largest rate that is too low
	Far       float64 `json:"far"`       // at [TestPower].Far
}

// SuiteGate is what a gate does by the tests against thresholds alone, without floors, baselines, behaviour
// and coverage. Scenarios are independent.
type SuiteGate struct {
	Tests int `json:"tests"` // against a threshold
	// Shared says that the tests share the alpha, so that each Fail is one beside the others.
	Shared bool `json:"alpha_shared"`
	// One scenario is too low by delta, or by twice delta, and the others are good: the scenario of which
	// that is found the least often.
	TooLow GateChances `json:"one_too_low"`
	Far    GateChances `json:"one_far_below"`
	Good   GateChances `json:"all_good"`         // all scenarios are good
	AtEdge GateChances `json:"all_at_threshold"` // all are at their thresholds
}

// GateChances are those of the decisions. Together they are 1.
type GateChances struct {
	Block  float64 `json:"block"` // at the least, where tests do not share the alpha
	Review float64 `json:"review"`
	Deploy float64 `json:"deploy"`
}

// power fills in what the design does beside others, of so many tests in all.
func (t *SuiteTest) power(d sprt.Design, tests int) error {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return err
	}
	h := d.Hypotheses
	p := &TestPower{Good: 1 - (1-h.Threshold)/10, Far: math.Max(h.Threshold-2*h.Delta, 0)}
	level := h.Alpha / float64(tests)
	if t.Shared > 0 {
		const rounding = 1e-9 // of a design whose exact alpha is all of its part
		level = h.Alpha * (1 + rounding)
	}
	for _, at := range []struct {
		rate           float64
		passes, blocks *float64
	}{
		{p.Good, &p.Passes.Good, &p.Blocks.Good},
		{h.Threshold, &p.Passes.Threshold, &p.Blocks.Threshold},
		{h.Lower(), &p.Passes.Lower, &p.Blocks.Lower},
		{p.Far, &p.Passes.Far, &p.Blocks.Far},
	} {
		*at.passes, *at.blocks = lattice.At(at.rate).Pass, lattice.FailsWithin(h.Threshold, level, at.rate)
	}
	t.Power = p
	return nil
}

// gateOf is what a gate does by the tests that have a threshold; nil unless they are several.
func gateOf(tests []SuiteTest) *SuiteGate {
	g := &SuiteGate{Shared: true}
	for _, t := range tests {
		if t.Power != nil {
			g.Tests++
			g.Shared = g.Shared && t.Shared > 0
		}
	}
	if g.Tests < 2 {
		return nil
	}
	g.Good = together(tests, -1, func(r AtRates) (float64, float64) { return r.Good, r.Good })
	g.AtEdge = together(tests, -1, func(r AtRates) (float64, float64) { return r.Threshold, r.Threshold })
	lower := func(r AtRates) (float64, float64) { return r.Good, r.Lower }
	far := func(r AtRates) (float64, float64) { return r.Good, r.Far }
	g.TooLow, g.Far = together(tests, leastBlocking(tests, lower), lower), together(tests, leastBlocking(tests, far), far)
	return g
}

// leastBlocking is the test that is another than the rest where a gate blocks least. The chance that no other test
// blocks is a product of those before it and those after it, so that all of them take one pass.
func leastBlocking(tests []SuiteTest, chances func(AtRates) (others, one float64)) (least int) {
	after := make([]float64, len(tests)+1) // the chance that no test from there on blocks
	after[len(tests)] = 1
	for i := len(tests) - 1; i >= 0; i-- {
		after[i] = after[i+1]
		if p := tests[i].Power; p != nil {
			others, _ := chances(p.Blocks)
			after[i] *= 1 - others
		}
	}
	most, before := -1.0, 1.0
	for i, t := range tests {
		if t.Power == nil {
			continue
		}
		others, one := chances(t.Power.Blocks)
		if spared := before * (1 - one) * after[i+1]; spared > most {
			most, least = spared, i
		}
		before *= 1 - others
	}
	return least
}

// together are the decisions of a gate over tests of which one is another than the rest; of is the chance
// of the others and of the one.
func together(tests []SuiteTest, one int, chances func(AtRates) (others, one float64)) GateChances {
	deploy, spared := 1.0, 1.0
	for i, t := range tests {
		if t.Power == nil {
			continue
		}
		passes, itsPasses := chances(t.Power.Passes)
		blocks, itsBlocks := chances(t.Power.Blocks)
		if i == one {
			passes, blocks = itsPasses, itsBlocks
		}
		deploy *= passes
		spared *= 1 - blocks
	}
	c := GateChances{Block: 1 - spared, Deploy: deploy}
	c.Review = math.Max(1-c.Block-c.Deploy, 0)
	return c
}
