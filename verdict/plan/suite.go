package plan

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
)

// SuiteSchema names the JSON form of a [Suite].
const SuiteSchema = "tribunal/check/v1"

// Suite says what a run of a suite will take, before it is paid for.
type Suite struct {
	Schema      string            `json:"schema"`       // names the JSON form
	Suite       string            `json:"suite"`        // name
	Digest      string            `json:"suite_digest"` // of the suite
	Scenarios   int               `json:"scenarios"`    // how many there are
	Concurrency int               `json:"concurrency"`  // trials at the same time
	Tests       []SuiteTest       `json:"tests"`        // in the order of the suite
	Total       SuiteTotal        `json:"total"`        // of all tests
	Warnings    []verdict.Warning `json:"warnings"`     // what to know before relying on it; may be empty
}

// Header returns what every result has.
func (p *Suite) Header() verdict.Header {
	return verdict.Header{Schema: p.Schema, Warnings: p.Warnings}
}

// SuiteTest is one test of a suite.
type SuiteTest struct {
	Name       string  `json:"name"`            // of the scenario or the group
	Scenarios  int     `json:"scenarios"`       // that are pooled
	Kind       string  `json:"kind"`            // of the design
	Digest     string  `json:"digest"`          // of the design
	Threshold  float64 `json:"threshold"`       // the least pass rate that is good enough, from 0 to 1
	Delta      float64 `json:"delta"`           // the threshold less the largest rate that is too low
	Alpha      float64 `json:"alpha"`           // exact
	Beta       float64 `json:"beta"`            // exact
	LeastPass  int     `json:"least_pass"`      // straight passes before a Pass
	LeastFail  int     `json:"least_fail"`      // straight failures before a Fail
	MaxTrials  int     `json:"max_trials"`      // at which it ends at the latest
	ExpectedAt Ladder  `json:"expected_trials"` // expected trials
	// MaxCostUSD is the largest cost of a trial that the limits allow; nil is none.
	MaxCostUSD *float64 `json:"max_cost_usd_per_trial"`
}

// Ladder holds a figure at the pass rates that matter for a test: 1, its threshold
// and its lower rate.
type Ladder struct {
	Perfect   float64 `json:"perfect"`   // at a pass rate of 1
	Threshold float64 `json:"threshold"` // at the threshold
	Lower     float64 `json:"lower"`     // at the largest rate that is too low
}

// SuiteTotal is what all tests take together.
type SuiteTotal struct {
	MaxTrials int    `json:"max_trials"`      // of all tests together
	Expected  Ladder `json:"expected_trials"` // trials of all tests together
	// All trials at their limits, or the budget; nil where nothing bounds it.
	WorstUSD    *float64 `json:"worst_cost_usd"`
	ExpectedUSD *Ladder  `json:"expected_cost_usd"` // nil where no price is known
	BudgetUSD   *float64 `json:"budget_cost_usd"`   // nil where there is none
}

// SuiteOptions say what is planned.
type SuiteOptions struct {
	Suite, Digest string   // name and digest of the suite
	Scenarios     int      // how many there are
	Concurrency   int      // trials at the same time
	BudgetUSD     *float64 // nil where there is none
	PriceUSD      *float64 // of a trial
	MaxTrials     int      // of the budget; 0 is no limit
}

// Codes of warnings about a suite.
const (
	WarnBudgetShort verdict.Code = "budget-short"
	WarnUnbounded   verdict.Code = "cost-unbounded"
)

// AddTest adds a test. The largest cost of its trials may be nil.
func (p *Suite) AddTest(name string, scenarios int, d sprt.Design, maxCostUSD *float64) error {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return err
	}
	exact, err := d.Errors()
	if err != nil {
		return err
	}
	// Expected trials are exact, from the lattice of the design, at the rates that matter.
	h, b := d.Hypotheses, design.Of(d.Boundaries)
	t := SuiteTest{
		Name: name, Scenarios: scenarios, Kind: d.Kind.String(), Digest: d.Digest(), Threshold: h.Threshold,
		Delta: h.Delta,
		Alpha: exact.Alpha, Beta: exact.Beta, LeastPass: b.StraightPasses(), LeastFail: b.StraightFailures(),
		MaxTrials: d.Boundaries.MaxTrials(),
		ExpectedAt: Ladder{lattice.At(1).ExpectedTrials, lattice.At(h.Threshold).ExpectedTrials,
			lattice.At(h.Lower()).ExpectedTrials},
		MaxCostUSD: maxCostUSD,
	}
	if !exact.Within(h) {
		p.Warnings = append(p.Warnings,
			design.WarnErrorsExceed.Warning("%s: the design's exact errors, alpha %s and beta %s, exceed their targets",
				name, phrase.Percent(exact.Alpha), phrase.Percent(exact.Beta)))
	}
	p.Tests = append(p.Tests, t)
	return nil
}

// NewSuite begins a plan; tests are added by [Suite.AddTest], and then it is completed by
// [Suite.Complete]. In between its totals are 0.
func NewSuite(o SuiteOptions) *Suite {
	return &Suite{
		Schema:      SuiteSchema,
		Suite:       o.Suite,
		Digest:      o.Digest,
		Scenarios:   o.Scenarios,
		Concurrency: o.Concurrency,
		Tests:       []SuiteTest{},
		Warnings:    []verdict.Warning{},
	}
}

// Complete adds up the tests and warns where a budget may end them. Totals are sums: tests
// share nothing but the budget. The options are those that the plan was begun with.
func (p *Suite) Complete(o SuiteOptions) {
	total := SuiteTotal{BudgetUSD: o.BudgetUSD}
	worst, bounded := 0.0, true
	for _, t := range p.Tests {
		total.MaxTrials += t.MaxTrials
		total.Expected.Perfect += t.ExpectedAt.Perfect
		total.Expected.Threshold += t.ExpectedAt.Threshold
		total.Expected.Lower += t.ExpectedAt.Lower
		// The largest cost of a trial, or else its usual price, at the limit of trials.
		switch {
		case t.MaxCostUSD != nil:
			worst += *t.MaxCostUSD * float64(t.MaxTrials)
		case o.PriceUSD != nil:
			worst += *o.PriceUSD * float64(t.MaxTrials)
		default:
			bounded = false
		}
	}
	// One test without a bound leaves the sum without one, unless a budget ends the run.
	if !bounded {
		worst = math.Inf(1)
	}
	if o.BudgetUSD != nil {
		worst = math.Min(worst, *o.BudgetUSD)
	}
	if !math.IsInf(worst, 1) {
		total.WorstUSD = new(worst)
	} else {
		p.Warnings = append(p.Warnings,
			WarnUnbounded.Warning("nothing bounds the cost: set limits.max_cost_usd or budget.max_cost_usd"))
	}
	// A budget below what the tests take on average at their thresholds will often end some
	// of them early.
	if price := o.PriceUSD; price != nil {
		e := total.Expected
		total.ExpectedUSD = &Ladder{*price * e.Perfect, *price * e.Threshold, *price * e.Lower}
		if o.BudgetUSD != nil && *o.BudgetUSD < total.ExpectedUSD.Threshold {
			p.Warnings = append(p.Warnings,
				WarnBudgetShort.Warning(
					"the cost budget is less than what the tests take on average at their thresholds: it may "+
						"end them without a verdict"))
		}
	}
	if o.MaxTrials > 0 && float64(o.MaxTrials) < total.Expected.Threshold {
		p.Warnings = append(p.Warnings,
			WarnBudgetShort.Warning(
				"the budget of %d trials is less than what the tests take on average at their thresholds: it "+
					"may end them without a verdict",
				o.MaxTrials))
	}
	p.Total = total
}
