package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// SuiteSchema names the JSON form of a [Suite].
const SuiteSchema = "tribunal/check/v1"

// Suite says what a run of a suite will take, before it is paid for.
type Suite struct {
	Schema      string      `json:"schema"`       // names the JSON form
	Suite       string      `json:"suite"`        // name
	Digest      string      `json:"suite_digest"` // of the suite
	Scenarios   int         `json:"scenarios"`    // how many there are
	Concurrency int         `json:"concurrency"`  // trials at the same time
	Tests       []SuiteTest `json:"tests"`        // in the order of the suite
	Total       SuiteTotal  `json:"total"`        // of all tests
	// How many trials are recorded besides; nil where the tests alone decide that.
	Calibration *SuiteCalibration `json:"calibration,omitempty"`
	Variants    []SuiteVariant    `json:"variants,omitempty"` // what each variant of the agent takes; none: the agent alone
	Gate        *SuiteGate        `json:"gate,omitempty"`     // what a gate over the tests does; nil where there is one test, or none with a threshold
	Warnings    []verdict.Warning `json:"warnings"`           // what to know before relying on it; may be empty

	worked map[string]SuiteTest // by what its figures follow from, until the plan is complete
	family int                  // tests that a gate corrects for, of the options
}

// SuiteCalibration is how many trials a run records that works that out from its first ones, whatever its tests need:
// they may take more.
type SuiteCalibration struct {
	Trials    int `json:"trials"`     // of each scenario, that the run begins with: so many are recorded at least
	MaxTrials int `json:"max_trials"` // of each scenario that are recorded at most, within the budget
	Least     int `json:"least"`      // of all scenarios
	Most      int `json:"most"`       // of all scenarios
	// MostUSD is what the most trials cost; nil where no price is known. A budget ends them before.
	MostUSD *float64 `json:"most_usd"`
}

// SuiteVariant is what the tests of one variant take together.
type SuiteVariant struct {
	Name      string `json:"name"`
	Tests     int    `json:"tests"`           // how many there are
	MaxTrials int    `json:"max_trials"`      // of all of them
	Expected  Ladder `json:"expected_trials"` // of all of them
}

// Header returns what every result has.
func (p *Suite) Header() verdict.Header {
	return verdict.Header{Schema: p.Schema, Warnings: p.Warnings}
}

// SuiteTest is one test of a suite: against a threshold, against a baseline, or both over the same trials.
type SuiteTest struct {
	Name      string `json:"name"`              // of the scenario or the group
	Variant   string `json:"variant,omitempty"` // of the agent; empty where there are none
	Scenarios int    `json:"scenarios"`         // that are pooled

	// Of the design against the threshold; empty and 0 where a baseline alone decides.
	Kind      string  `json:"kind,omitempty"`
	Digest    string  `json:"digest,omitempty"`
	Threshold float64 `json:"threshold,omitzero"` // the least pass rate that is good enough, from 0 to 1

	Delta     float64 `json:"delta"`      // the smallest drop that matters
	Alpha     float64 `json:"alpha"`      // exact, against the threshold; else as in Against
	Beta      float64 `json:"beta"`       // likewise
	LeastPass int     `json:"least_pass"` // straight passes before a Pass
	LeastFail int     `json:"least_fail"` // straight failures before a Fail
	MaxTrials int     `json:"max_trials"` // at which it ends at the latest, of both sides in rounds
	// Expected trials, of both sides in rounds. Of matched pairs beside a threshold they are an upper bound.
	ExpectedAt Ladder `json:"expected_trials"`
	// Undecided is how often the design against the threshold ends Inconclusive; nil where there is none.
	Undecided *UndecidedChance `json:"inconclusive,omitempty"`
	Against   *SuiteAgainst    `json:"against,omitempty"` // nil where no baseline is tested against
	// Shared is how many tests share the alpha that was asked for; 0: it is the test's own.
	Shared int        `json:"alpha_shared_by,omitempty"`
	Power  *TestPower `json:"power,omitempty"` // in a gate, against the threshold; nil where there is none
	// Of one question about all scenarios: what no scenario may fall to that has nothing of its own; nil of other tests.
	Floor *stratified.Floor `json:"floor,omitempty"`
	// A pass rate of every scenario that is in order, half way from the threshold to 1, or that of the baseline, and how
	// many trials are expected there, of both sides in rounds. 0 of other tests.
	UsualRate   float64 `json:"usual_rate,omitempty"`
	UsualTrials float64 `json:"usual_trials,omitempty"`
	// MaxCostUSD is the largest cost of a trial that the limits allow; nil is none.
	MaxCostUSD *float64 `json:"max_cost_usd_per_trial"`

	exceeds bool // the design's errors are above their targets
}

// Ladder holds a figure at the pass rates that matter for a test: 1, its threshold
// and its lower rate. Where a baseline alone decides, these are 1, a candidate that is as
// good as the baseline at [SuiteAgainst].Rate, and one that is worse by delta.
type Ladder struct {
	Perfect   float64 `json:"perfect"`   // at a pass rate of 1
	Threshold float64 `json:"threshold"` // at the threshold
	Lower     float64 `json:"lower"`     // at the largest rate that is too low
}

// UndecidedChance is the probability that a design uses up its trials without a verdict.
type UndecidedChance struct {
	Threshold float64 `json:"at_threshold"` // at a pass rate of the threshold
	Largest   float64 `json:"largest"`      // over all pass rates
	At        float64 `json:"largest_at"`   // the rate at which it is largest
}

// SuiteTotal is what all tests take together.
type SuiteTotal struct {
	MaxTrials int    `json:"max_trials"`      // of all tests together, or of the budget
	Expected  Ladder `json:"expected_trials"` // trials of all tests together, without the budget
	// All trials at their limits, or the budget; nil where nothing bounds it.
	WorstUSD    *float64 `json:"worst_cost_usd"`
	ExpectedUSD *Ladder  `json:"expected_cost_usd"` // nil where no price is known
	BudgetUSD   *float64 `json:"budget_cost_usd"`   // nil where there is none
	// BudgetTrials are those of the budget; 0 where it has no limit of them.
	BudgetTrials int  `json:"budget_trials,omitempty"`
	BudgetTimed  bool `json:"budget_timed,omitempty"` // it has a limit of tokens or time
}

// BudgetEnds reports whether a budget may end the run before its tests have decided.
func (t SuiteTotal) BudgetEnds() bool {
	return t.BudgetTimed || t.BudgetTrials > 0 && t.BudgetTrials == t.MaxTrials ||
		t.BudgetUSD != nil && t.WorstUSD != nil && *t.WorstUSD == *t.BudgetUSD
}

// SuiteOptions say what is planned.
type SuiteOptions struct {
	Suite, Digest string   // name and digest of the suite
	Scenarios     int      // how many there are
	Concurrency   int      // trials at the same time
	BudgetUSD     *float64 // nil where there is none
	PriceUSD      *float64 // of a trial
	MaxTrials     int      // of the budget; 0 is no limit
	Timed         bool     // it has a budget of tokens or time
	Tests         int      // that will be added, for which a gate corrects
	// Calibration has the trials of each scenario; nil is none. The rest follows.
	Calibration *SuiteCalibration
}

// Codes of warnings about a suite.
const (
	warnBudgetShort verdict.Code = "budget-short"
	warnUnbounded   verdict.Code = "cost-unbounded"
)

// Codes of warnings about tests that are planned.
const (
	warnUndecided verdict.Code = "often-inconclusive"
)

// PlannedTest is a test as it is to be run.
type PlannedTest struct {
	Name      string   // of its own among the tests
	Variant   string   // of the agent; empty where there are none
	Scenarios []string // that are pooled
	// Design is against the threshold; zero where a baseline alone decides.
	Design sprt.Design
	// Stored is the test against a recorded baseline, and Rounds that of both sides; at most one of
	// them is there.
	Stored     *StoredBaseline
	Rounds     *baseline.Rounds
	MaxCostUSD *float64 // the largest cost of a trial; nil is none
	Shared     int      // how many tests share the alpha; 0: it is the test's own
	// Joint are the designs of one question about all scenarios, against a threshold, a baseline, or both; none of other
	// tests. Recorded has the outcomes of a stored baseline by scenario, P, F or E for each trial, and File names it.
	Joint    []*stratified.Design
	Recorded []string
	File     string
}

// AddTest adds a test. An error is that of a test that cannot be run.
func (p *Suite) AddTest(t PlannedTest) error {
	if len(t.Joint) > 0 {
		p.Tests = append(p.Tests, t.joint())
		return nil
	}
	planned := SuiteTest{
		Name: t.Name, Variant: t.Variant, Scenarios: len(t.Scenarios), MaxCostUSD: t.MaxCostUSD, Shared: t.Shared,
	}
	// Of equal tests, which most are, the work is done once.
	key := t.key()
	if known, ok := p.worked[key]; ok {
		known.Name, known.Variant, known.Scenarios, known.MaxCostUSD, known.Shared =
			planned.Name, planned.Variant, planned.Scenarios, planned.MaxCostUSD, planned.Shared
		p.Tests = append(p.Tests, known)
		return nil
	}
	if t.Design.Boundaries.MaxTrials() > 0 || t.Stored == nil && t.Rounds == nil {
		if err := planned.threshold(t.Design); err != nil {
			return err
		}
		if p.family > 1 {
			if err := planned.power(t.Design, p.family); err != nil {
				return err
			}
		}
	}
	if err := planned.against(t); err != nil {
		return err
	}
	if p.worked == nil {
		p.worked = map[string]SuiteTest{}
	}
	p.worked[key] = planned
	p.Tests = append(p.Tests, planned)
	return nil
}

// key identifies all that the figures of a test follow from.
func (t PlannedTest) key() string {
	key := ""
	if t.Design.Boundaries.MaxTrials() > 0 {
		key = t.Design.Digest()
	}
	if t.Stored != nil {
		key += fmt.Sprintf(" %s %+v %s", t.Stored.Family.Digest(), t.Stored.Outcome, t.Stored.File)
	}
	if t.Rounds != nil {
		key += " " + t.Rounds.Digest()
	}
	if t.Shared > 0 {
		key += " shared"
	}
	return key
}

// threshold fills in what the design against the threshold does.
func (t *SuiteTest) threshold(d sprt.Design) error {
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
	t.Kind, t.Digest, t.Threshold, t.Delta = d.Kind.String(), d.Digest(), h.Threshold, h.Delta
	t.Alpha, t.Beta, t.LeastPass, t.LeastFail = exact.Alpha, exact.Beta, b.StraightPasses(), b.StraightFailures()
	t.MaxTrials = d.Boundaries.MaxTrials()
	t.ExpectedAt = Ladder{lattice.At(1).ExpectedTrials, lattice.At(h.Threshold).ExpectedTrials,
		lattice.At(h.Lower()).ExpectedTrials}
	t.Undecided = undecided(lattice, h.Threshold)
	t.exceeds = !exact.Within(h)
	return nil
}

// undecided finds how often a design ends Inconclusive, at the threshold and where that is likeliest. As
// a function of the rate it has one peak, or is 0: a grid finds it, and steps that halve refine it.
func undecided(l *sprt.Lattice, threshold float64) *UndecidedChance {
	chance := func(rate float64) float64 { return l.At(rate).Inconclusive }
	u := &UndecidedChance{Threshold: chance(threshold), At: threshold}
	u.Largest = u.Threshold
	look := func(rate float64) {
		if x := chance(rate); rate >= 0 && rate <= 1 && x > u.Largest {
			u.Largest, u.At = x, rate
		}
	}
	const grid = 100
	for i := range grid + 1 {
		look(float64(i) / grid)
	}
	for step := 0.5 / grid; step > 1e-5; step /= 2 {
		from := u.At
		look(from - step)
		look(from + step)
	}
	return u
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
		family:      o.Tests,
	}
}

// Complete adds up the tests and warns where a budget may end them. Totals are sums: tests
// share nothing but the budget. The options are those that the plan was begun with.
func (p *Suite) Complete(o SuiteOptions) {
	p.worked = nil
	p.Gate = gateOf(p.Tests)
	p.warnTests()
	total := SuiteTotal{BudgetUSD: o.BudgetUSD, BudgetTrials: o.MaxTrials, BudgetTimed: o.Timed}
	worst, dearest, bounded := 0.0, 0.0, true
	p.calibration(o)
	for _, t := range p.Tests {
		// What is recorded beyond the last trial of a test costs no less.
		if c := p.Calibration; c != nil {
			t.MaxTrials = max(t.MaxTrials, c.MaxTrials*t.Scenarios)
		}
		total.MaxTrials += t.MaxTrials
		total.Expected = total.Expected.plus(t.ExpectedAt)
		p.addVariant(t)
		// The largest cost of a trial, or else its usual price, at the limit of trials.
		each := cmp.Or(t.MaxCostUSD, o.PriceUSD)
		if each == nil {
			bounded = false
			continue
		}
		worst, dearest = worst+*each*float64(t.MaxTrials), max(dearest, *each)
	}
	if o.MaxTrials > 0 && o.MaxTrials < total.MaxTrials {
		total.MaxTrials = o.MaxTrials
		worst = min(worst, dearest*float64(o.MaxTrials))
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
			warnUnbounded.Warning("nothing bounds the cost: set limits.max_cost_usd or budget.max_cost_usd"))
	}
	// A budget below what the tests take on average at their thresholds will often end some
	// of them early.
	if price := o.PriceUSD; price != nil {
		e := total.Expected
		total.ExpectedUSD = &Ladder{*price * e.Perfect, *price * e.Threshold, *price * e.Lower}
		if o.BudgetUSD != nil && *o.BudgetUSD < total.ExpectedUSD.Threshold {
			p.Warnings = append(p.Warnings,
				warnBudgetShort.Warning(
					"the cost budget is less than what the tests take on average at their thresholds: it may "+
						"end them without a verdict"))
		}
	}
	if o.MaxTrials > 0 && float64(o.MaxTrials) < total.Expected.Threshold {
		p.Warnings = append(p.Warnings,
			warnBudgetShort.Warning(
				"the budget of %s is less than what the tests take on average at their thresholds: it "+
					"may end them without a verdict",
				prose.Count(o.MaxTrials, "trial")))
	}
	p.Total = total
}

// calibration fills in how many trials are recorded.
func (p *Suite) calibration(o SuiteOptions) {
	if o.Calibration == nil {
		return
	}
	c := *o.Calibration
	c.Least, c.Most = c.Trials*o.Scenarios, c.MaxTrials*o.Scenarios
	if o.MaxTrials > 0 {
		c.Most = min(c.Most, max(o.MaxTrials, c.Least))
	}
	if o.PriceUSD != nil {
		c.MostUSD = new(*o.PriceUSD * float64(c.Most))
	}
	p.Calibration = &c
}

// plus adds two ladders, rate by rate.
func (l Ladder) plus(o Ladder) Ladder {
	return Ladder{l.Perfect + o.Perfect, l.Threshold + o.Threshold, l.Lower + o.Lower}
}

// addVariant adds a test to what its variant takes.
func (p *Suite) addVariant(t SuiteTest) {
	if t.Variant == "" {
		return
	}
	i := slices.IndexFunc(p.Variants, func(v SuiteVariant) bool { return v.Name == t.Variant })
	if i < 0 {
		i = len(p.Variants)
		p.Variants = append(p.Variants, SuiteVariant{Name: t.Variant})
	}
	v := &p.Variants[i]
	v.Tests++
	v.MaxTrials += t.MaxTrials
	v.Expected = v.Expected.plus(t.ExpectedAt)
}

// warnTests warns of designs that do not keep their errors, and of those that often end without a
// verdict: once for all tests of one design.
func (p *Suite) warnTests() {
	byDesign, first := map[string][]string{}, []SuiteTest{}
	for _, t := range p.Tests {
		if t.exceeds {
			p.Warnings = append(p.Warnings, design.WarnErrorsExceed.Warning(
				"%s errs more often than was asked for: a false Fail in up to %s of runs, a false Pass in up to %s", t.Name,
				phrase.Percent(t.Alpha), phrase.Percent(t.Beta)))
		}
		if t.Undecided == nil || t.Undecided.Largest < oftenUndecided {
			continue
		}
		if byDesign[t.Digest] == nil {
			first = append(first, t)
		}
		byDesign[t.Digest] = append(byDesign[t.Digest], t.Name)
	}
	p.warnBaselines()
	for _, t := range first {
		p.Warnings = append(p.Warnings, warnUndecided.Warning(
			"%s: after at most %s, %s of runs end undecided at a true pass rate of %s, and %s at the threshold; "+
				"a larger max_trials, or none, decides more of them",
			prose.Some(byDesign[t.Digest], 3), prose.Count(t.MaxTrials, "trial"), phrase.Percent(t.Undecided.Largest),
			phrase.Rate(t.Undecided.At), phrase.Percent(t.Undecided.Threshold)))
	}
}

// warnBaselines warns of tests against a baseline that often end without a verdict, once for all of a kind.
func (p *Suite) warnBaselines() {
	names, first := map[string][]string{}, []SuiteTest{}
	for _, t := range p.Tests {
		if a := t.Against; a != nil && max(a.Undecided.Unchanged, a.Undecided.Dropped) >= oftenUndecided {
			if names[a.Digest] == nil {
				first = append(first, t)
			}
			names[a.Digest] = append(names[a.Digest], t.Name)
		}
	}
	for _, t := range first {
		a, more := t.Against, "larger max_trials, or none,"
		if a.Trials > 0 {
			more = "larger baseline, or max_trials,"
		}
		p.Warnings = append(p.Warnings, warnUndecided.Warning(
			"%s: after at most %s, %s of runs against the baseline end undecided where nothing changed, and %s "+
				"after a drop of %s; a "+more+" decides more of them",
			prose.Some(names[a.Digest], 3), prose.Count(a.MaxTrials, "trial"), phrase.Percent(a.Undecided.Unchanged),
			phrase.Percent(a.Undecided.Dropped), phrase.Points(t.Delta)))
	}
}

// oftenUndecided is the share of runs without a verdict from which on a plan warns; chosen.
const oftenUndecided = 0.05
