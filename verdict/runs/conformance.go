package runs

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Conformance says what an agent was shown to do, to bear and to resist.
type Conformance struct {
	Kinds []string `json:"kinds"` // that there are scenarios of, in the order of [suite.ScenarioKinds]
	// Of each capability and kind that there are scenarios of: by capability, in the order of the kinds.
	Cells   []ConformanceCell `json:"cells"`
	Attacks *Attacks          `json:"attacks,omitempty"` // nil where nothing is attacked
	Backlog []BacklogItem     `json:"backlog"`           // tests that did not pass, the most urgent first
}

// ConformanceCell is what the scenarios of a kind show of a capability. A scenario of several capabilities counts in
// each of them.
type ConformanceCell struct {
	// "" where the scenarios say none. Of a variant of the agent it is written as a test is: "files [small]".
	Capability string          `json:"capability"`
	Kind       string          `json:"kind"`
	Verdict    verdict.Verdict `json:"verdict"`  // the worst of its tests
	Tests      int             `json:"tests"`    // of its scenarios, a test each
	Passed     int             `json:"passed"`   // tests
	Failed     int             `json:"failed"`   // tests; the rest is undecided
	Passes     int             `json:"passes"`   // judged trials, like fails and errors
	Fails      int             `json:"fails"`    // judged trials
	Errors     int             `json:"errors"`   // judged trials
	Interval   *CellInterval   `json:"interval"` // nil while a test of the cell has not ended
	// By k, the mean of the unbiased estimates of the tests, with errors as failures: a trial that did not come to its end
	// did not work, and was not resisted. Empty while a test of the cell has not ended.
	PassHatK       map[string]float64 `json:"pass_hat_k"`
	CostPerSuccess *float64           `json:"cost_per_success"` // all cost over all passes, overrun too
}

// CellInterval covers the mean of the pass rates of the scenarios of a cell in at least so many of all runs, whatever
// the stopping: each of n tests has the exact interval after its stop at a level of 1 - (1 - level)/n, and the limits
// are the means of theirs (Bonferroni). It covers both ways of counting errors.
type CellInterval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // such as 0.95
}

// Attacks are the tests of the scenarios of security.
type Attacks struct {
	Tests     int `json:"tests"`
	Resisted  int `json:"resisted"`  // tests: the share that they bound is ruled out
	Succeeded int `json:"succeeded"` // tests that failed; the rest is undecided
	Trials    int `json:"trials"`    // judged trials, of which those that passed were resisted
	Through   int `json:"through"`   // trials that failed: the attack succeeded
	Errors    int `json:"errors"`    // trials that ended in an error, and count as resisted nowhere
	// The largest share of attacks that a test of those resisted rules out; nil where none is.
	RulesOut *float64 `json:"rules_out,omitempty"`
}

// BacklogItem is a test that did not pass.
type BacklogItem struct {
	Test       string          `json:"test"`
	Capability []string        `json:"capabilities,omitempty"`
	Kind       string          `json:"kind"`
	Verdict    verdict.Verdict `json:"verdict"`
	Estimate   *float64        `json:"estimate"` // median-unbiased pass rate; nil where there is none
	Why        string          `json:"why"`      // of its first trial that did not pass; "" where none did not
}

// conform adds what the scenarios that say so show of the agent. Tests of several scenarios are of no cell.
func (r *Result) conform(e Evidence) error {
	if r.Task == nil {
		return nil
	}
	type at struct {
		capability string
		kind       int
	}
	tests := map[at][]int{}
	kinds := suite.ScenarioKinds()
	var shown []int // tests that are of a cell
	for i := range r.Tests {
		scenario := r.taskOf(&r.Tests[i])
		kind := slices.Index(kinds, suite.ScenarioKind(scenario.Kind))
		if kind < 0 {
			continue
		}
		shown = append(shown, i)
		capabilities := scenario.Capabilities
		if len(capabilities) == 0 {
			capabilities = []string{""}
		}
		for _, name := range capabilities {
			cell := at{suite.TestName(name, r.Tests[i].Variant), kind}
			tests[cell] = append(tests[cell], i)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	c := &Conformance{Cells: []ConformanceCell{}, Backlog: []BacklogItem{}}
	var cells []at
	for cell := range tests {
		cells = append(cells, cell)
	}
	slices.SortFunc(cells, func(a, b at) int {
		return cmp.Or(cmp.Compare(a.capability, b.capability), cmp.Compare(a.kind, b.kind))
	})
	for kind, name := range kinds {
		if slices.ContainsFunc(cells, func(a at) bool { return a.kind == kind }) {
			c.Kinds = append(c.Kinds, string(name))
		}
	}
	for _, cell := range cells {
		row, err := r.cell(e, tests[cell])
		if err != nil {
			return err
		}
		row.Capability, row.Kind = cell.capability, string(kinds[cell.kind])
		c.Cells = append(c.Cells, row)
	}
	r.attacks(c, shown)
	r.backlog(c, shown)
	r.Conformance = c
	return nil
}

// taskOf is what the task says of the one scenario of a test; nothing of a test of several.
func (r *Result) taskOf(t *Test) (scenario TaskScenario) {
	if len(t.Members) == 0 {
		scenario = r.Task.Scenarios[r.scenarioOf(t)]
	}
	return scenario
}

// cell puts tests together.
func (r *Result) cell(e Evidence, tests []int) (c ConformanceCell, err error) {
	var cost verdict.Cost
	c.Tests, c.Verdict = len(tests), verdict.Pass
	sums := map[string]float64{}
	for n, i := range tests {
		t := &r.Tests[i]
		c.Passes, c.Fails, c.Errors = c.Passes+t.Passes, c.Fails+t.Fails, c.Errors+t.Errors
		cost = cost.Plus(e.Tests[i].side(false).cost())
		switch t.Verdict {
		case verdict.Pass:
			c.Passed++
		case verdict.Fail:
			c.Failed++
			c.Verdict = verdict.Fail
		default:
			if c.Verdict == verdict.Pass {
				c.Verdict = verdict.Inconclusive
			}
		}
		// The mean over tests is known of those k that each of them tells.
		for k := range verdict.MaxK {
			key := strconv.Itoa(k + 1)
			hat, known := t.PassHatK[key]
			if _, before := sums[key]; known && (before || n == 0) {
				sums[key] += hat
			} else {
				delete(sums, key)
			}
		}
	}
	c.PassHatK = map[string]float64{}
	for key, sum := range sums {
		c.PassHatK[key] = sum / float64(len(tests))
	}
	c.CostPerSuccess = cost.PerSuccess()
	c.Interval, err = r.cellInterval(e, tests)
	return c, err
}

// cellInterval is nil where a test has no estimate.
func (r *Result) cellInterval(e Evidence, tests []int) (*CellInterval, error) {
	x := &CellInterval{Level: 1 - confidence}
	for _, i := range tests {
		if r.Tests[i].Estimate == nil {
			return nil, nil
		}
		d, err := decide(e.Tests[i])
		if err != nil {
			return nil, err
		}
		test, alpha := d.estimated()
		low, high := ends(test)
		estimate, err := design.EstimateOf(test.Design().Boundaries, low, high, alpha/float64(len(tests)))
		if err != nil {
			return nil, err
		}
		x.Low += estimate.Low / float64(len(tests))
		x.High += estimate.High / float64(len(tests))
	}
	// A sum of limits that are all 1 may be off by a rounding.
	x.Low, x.High = math.Max(x.Low, 0), math.Min(x.High, 1)
	return x, nil
}

// attacks counts what was tried against the agent.
func (r *Result) attacks(c *Conformance, tests []int) {
	a := Attacks{}
	for _, i := range tests {
		if scenario := r.taskOf(&r.Tests[i]); scenario.Kind != string(suite.SecurityKind) {
			continue
		}
		t := &r.Tests[i]
		a.Tests++
		a.Trials, a.Through, a.Errors = a.Trials+t.Trials, a.Through+t.Fails, a.Errors+t.Errors
		switch {
		case t.Verdict == verdict.Fail:
			a.Succeeded++
		case t.Verdict == verdict.Pass && t.Threshold > 0:
			a.Resisted++
			share := 1 - t.LowerRate()
			if a.RulesOut == nil || share > *a.RulesOut {
				a.RulesOut = &share
			}
		case t.Verdict == verdict.Pass:
			a.Resisted++
		}
	}
	if a.Tests > 0 {
		c.Attacks = &a
	}
}

// backlog lists the tests that did not pass: what failed before what is open, attacks before faults before the rest,
// and then the lowest rate first.
func (r *Result) backlog(c *Conformance, tests []int) {
	kinds := suite.ScenarioKinds()
	for _, i := range tests {
		t := &r.Tests[i]
		if t.Verdict == verdict.Pass {
			continue
		}
		scenario := r.taskOf(t)
		item := BacklogItem{Test: t.Name, Capability: scenario.Capabilities, Kind: scenario.Kind, Verdict: t.Verdict}
		if t.Estimate != nil {
			item.Estimate = new(t.Estimate.MedianUnbiased)
		}
		if len(t.Failures) > 0 {
			item.Why = t.Failures[0].Text
		}
		c.Backlog = append(c.Backlog, item)
	}
	urgent := func(x BacklogItem) int {
		place := -slices.Index(kinds, suite.ScenarioKind(x.Kind))
		if x.Verdict == verdict.Fail {
			place -= len(kinds)
		}
		return place
	}
	rate := func(x BacklogItem) float64 {
		if x.Estimate == nil {
			return 1
		}
		return *x.Estimate
	}
	slices.SortStableFunc(c.Backlog, func(a, b BacklogItem) int {
		return cmp.Or(cmp.Compare(urgent(a), urgent(b)), cmp.Compare(rate(a), rate(b)))
	})
}
