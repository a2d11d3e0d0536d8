package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// BehaviourSchema names the JSON form of a [Behaviour].
const BehaviourSchema = "tribunal/plan-behaviour/v1"

// Behaviour says how many trials of each side a comparison of behaviour takes to find a shift, from recorded trials
// of one system. What is promised is the simulated power alone; AgentAssay's formulas stand beside it with the power
// that they really have.
type Behaviour struct {
	Schema string           `json:"schema"` // names the JSON form
	Test   fingerprint.Test `json:"test"`   // that is planned
	Alpha  float64          `json:"alpha"`  // level of the test, between 0 and 1
	Beta   float64          `json:"beta"`   // chance to miss the shift that is allowed, between 0 and 1
	Delta  float64          `json:"delta"`  // drop of the pass rate, between 0 and 1, for Equation 31 alone
	// Shift is by column; absent where a Distance alone is asked for, whose direction is then drawn.
	Shift    []ColumnShift `json:"shift,omitempty"`
	Distance float64       `json:"distance"` // Mahalanobis distance of the shift, above 0

	// Trials of each side: the fewest that were found with the power; 0 where MaxTrials do not suffice.
	Trials      int     `json:"trials"`
	PerScenario int     `json:"trials_per_scenario"` // Trials in equal parts over the scenarios, rounded up
	Power       float64 `json:"power"`               // simulated, at Trials or else at MaxTrials; 0 to 1
	PowerErr    float64 `json:"power_err"`           // standard error of Power
	MaxTrials   int     `json:"max_trials"`          // of each side that were looked at

	Formulas []BehaviourFormula `json:"formulas"` // what formulas say, and what that is worth

	EffectiveDimension int             `json:"effective_dimension"` // components with 95 % of the variance (Equation 28)
	Participation      float64         `json:"participation_ratio"` // of the principal axes, 1 to Columns
	Columns            int             `json:"columns"`             // that vary
	Variance           float64         `json:"variance"`            // total, in squared units of the columns (Equation 37)
	VarianceInterval   [2]float64      `json:"variance_interval"`   // of 95 %, if normal (Equation 41)
	Class              hotelling.Class `json:"class"`               // by Definition 7.4
	ImplementedClass   hotelling.Class `json:"class_implemented"`   // by the limits of the paper's footnote

	Recorded     int    `json:"recorded_trials"` // that the power is simulated from
	Scenarios    int    `json:"scenarios"`       // of them
	Simulations  int    `json:"simulations"`     // for each number of trials
	Permutations int    `json:"permutations"`    // at most, of each simulated comparison
	Seed         uint64 `json:"seed"`            // of the simulations

	Cost *BehaviourCost `json:"cost,omitempty"` // nil where the trials do not tell it

	Warnings []verdict.Warning `json:"warnings"` // what weakens the figures
	// Sample is what all of it is computed from; absent where it is too much.
	Sample *fingerprint.Counts `json:"sample,omitempty"`
}

// ColumnShift is a shift of the mean of a column.
type ColumnShift struct {
	Column string  `json:"column"` // its name
	SD     float64 `json:"sd"`     // in standard deviations of a trial within its scenario; not 0
}

// BehaviourFormula is a number of trials of each side by a formula. The formulas of the paper do not say whether they
// mean one side or both: taken for one side they have more power.
type BehaviourFormula struct {
	Name   string `json:"name"`   // such as "Equation 30"
	Trials int    `json:"trials"` // 0 where it gives none
	// Power is simulated, of the planned test; nil where Trials are none, or more than are simulated.
	Power *float64 `json:"power"`
	// NormalPower is that of Hotelling's test for normal vectors, by the noncentral F; nil where Trials are too few
	// for that test.
	NormalPower *float64 `json:"normal_power"`
}

// BehaviourCost is what the planned comparison costs. Recorded trials serve as the baseline's, as far as they go.
type BehaviourCost struct {
	Known       int     `json:"known"`           // recorded trials that tell their cost; 0 where a price is given
	PerTrialUSD float64 `json:"per_trial_usd"`   // mean over the scenarios
	Baseline    int     `json:"baseline_trials"` // to run beside the recorded ones
	Candidate   int     `json:"candidate_trials"`
	USD         float64 `json:"usd"` // of both; 0 where no number of trials was found

	MaxUSD     *float64    `json:"max_usd,omitempty"` // that may be spent; nil is not said
	Affordable *Affordable `json:"affordable,omitempty"`
}

// Affordable is what a budget pays for.
type Affordable struct {
	PerScenario int     `json:"trials_per_scenario"` // of each side
	Trials      int     `json:"trials"`              // of each side
	USD         float64 `json:"usd"`
	Power       float64 `json:"power"`     // simulated; of the planned number where they suffice for it
	PowerErr    float64 `json:"power_err"` // standard error of Power
}

// What simulations of a [Behaviour] are. Chosen: 400 give a power of .9 a standard error of .015, and 299 permutations
// cost it less than that.
const (
	behaviourSimulations  = 400
	behaviourPermutations = 299
	mostBehaviourTrials   = 2000
)

// BehaviourOptions say which shift is to be found, how surely, and for how much.
type BehaviourOptions struct {
	Test     fingerprint.Test
	Alpha    float64       // 0 is [verdict.DefaultAlpha]
	Beta     float64       // 0 is [verdict.DefaultBeta]
	Delta    float64       // for Equation 31; 0 is [verdict.DefaultDelta]
	Shift    []ColumnShift // or Distance
	Distance float64       // in a direction that is drawn
	Seed     uint64        // of the simulations

	PriceUSD   *float64 // of a trial, in place of what the recorded ones cost
	MaxCostUSD *float64 // that may be spent; above 0

	// Simulations, for each number of trials, and Permutations of each simulated comparison; 0 are 400 and 299, which are
	// the most.
	Simulations, Permutations int
}

// Warnings of the plan of a comparison of behaviour.
const (
	warnBehaviourOutOfReach   verdict.Code = "shift-out-of-reach"
	warnBehaviourUnaffordable verdict.Code = "budget-too-small"
	warnBehaviourFree         verdict.Code = "cost-nothing"
)

// TestOfBehaviour plans a comparison of behaviour from recorded trials of one system. It refuses options that cannot
// be, with a [verdict.OptionError] or a *stats.ArgumentError, and fewer than three trials with
// [fingerprint.ErrTooFewTrials], and stops with the cause of the context's end.
func TestOfBehaviour(ctx context.Context, recorded *fingerprint.Sample, o BehaviourOptions) (*Behaviour, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	budget := o.budget()
	found, err := fingerprint.PlanBudget(ctx, recorded, budget)
	if err != nil {
		return nil, err
	}
	counts := recorded.Counts()
	counts.Duration = nil // it is left out of the test
	b := &Behaviour{
		Schema: BehaviourSchema, Test: o.Test, Alpha: o.Alpha, Beta: o.Beta, Delta: o.Delta, Shift: o.Shift,
		Distance: found.Distance, Trials: found.Trials, Power: found.Power, PowerErr: found.PowerErr,
		MaxTrials: mostBehaviourTrials, EffectiveDimension: found.Components, Participation: found.Participation,
		Columns: found.Columns, Variance: found.Variance, Class: hotelling.ClassOf(found.Variance),
		ImplementedClass: hotelling.ImplementedClassOf(found.Variance), Recorded: recorded.Len(),
		Scenarios: len(counts.Scenarios), Simulations: o.Simulations, Permutations: o.Permutations, Seed: o.Seed,
		Warnings: []verdict.Warning{},
	}
	interval := &b.VarianceInterval
	if interval[0], interval[1], err = hotelling.Equation41(b.Variance, b.Recorded-b.Scenarios); err != nil {
		return nil, err
	}
	b.PerScenario = (b.Trials + b.Scenarios - 1) / b.Scenarios
	for _, w := range found.Warnings {
		b.Warnings = append(b.Warnings, verdict.Warning{Code: verdict.Code(w.Code), Text: w.Text})
	}
	if b.Trials == 0 {
		b.Warnings = append(b.Warnings, warnBehaviourOutOfReach.Warning(
			"%d trials of each side, the largest number that is considered, find the shift in %.0f%% of comparisons: none "+
				"were planned",
			b.MaxTrials, 100*b.Power))
	}
	b.addFormulas(found, counts)
	if err := b.addCost(counts, o); err != nil {
		return nil, err
	}
	if err := b.simulate(ctx, recorded, budget); err != nil {
		return nil, err
	}
	// As many as the result of a comparison holds of both sides.
	if counts.Numbers() <= mostBehaviourNumbers {
		b.Sample = counts
	}
	return b, nil
}

// mostBehaviourNumbers is how many numbers of the trials a plan holds, some megabyte. It is chosen.
const mostBehaviourNumbers = 100_000

func (o BehaviourOptions) withDefaults() (BehaviourOptions, error) {
	o.Alpha = cmp.Or(o.Alpha, verdict.DefaultAlpha)
	o.Beta = cmp.Or(o.Beta, verdict.DefaultBeta)
	o.Delta = cmp.Or(o.Delta, verdict.DefaultDelta)
	o.Simulations = cmp.Or(o.Simulations, behaviourSimulations)
	o.Permutations = cmp.Or(o.Permutations, behaviourPermutations)
	for name, x := range map[string]float64{"alpha": o.Alpha, "beta": o.Beta, "delta": o.Delta} {
		if err := verdict.CheckLevel(name, x); err != nil {
			return o, err
		}
	}
	for name, usd := range map[string]*float64{"price": o.PriceUSD, "max cost": o.MaxCostUSD} {
		if usd != nil && !(*usd > 0 && *usd <= math.MaxFloat64) {
			return o, &verdict.OptionError{Option: name, Value: *usd, Problem: "must be above 0"}
		}
	}
	switch {
	case (len(o.Shift) == 0) == (o.Distance == 0):
		return o, &verdict.OptionError{Option: "shift", Value: o.Shift, Problem: "or a distance is needed, and not both"}
	case o.Simulations < 1 || o.Simulations > behaviourSimulations:
		return o, &verdict.OptionError{Option: "simulations", Value: o.Simulations, Problem: "must be from 1 to 400"}
	case o.Permutations < 1 || o.Permutations > behaviourPermutations:
		return o, &verdict.OptionError{Option: "permutations", Value: o.Permutations, Problem: "must be from 1 to 299"}
	}
	o.Shift = slices.Clone(o.Shift)
	slices.SortFunc(o.Shift, func(a, b ColumnShift) int { return cmp.Compare(a.Column, b.Column) })
	for i, s := range o.Shift {
		if i > 0 && s.Column == o.Shift[i-1].Column {
			return o, &verdict.OptionError{Option: "shift", Value: s.Column, Problem: "is named twice"}
		}
	}
	return o, nil
}

// budget translates the options.
func (o BehaviourOptions) budget() fingerprint.BudgetOptions {
	b := fingerprint.BudgetOptions{
		Options:   fingerprint.Options{Alpha: o.Alpha, Test: o.Test, Permutations: o.Permutations, Seed: o.Seed},
		Beta:      o.Beta,
		Distance:  o.Distance,
		MaxTrials: mostBehaviourTrials, Simulations: o.Simulations,
	}
	for _, s := range o.Shift {
		if b.Shift == nil {
			b.Shift = map[string]float64{}
		}
		b.Shift[s.Column] = s.SD
	}
	return b
}

// addFormulas adds what the formulas say; their powers are simulated later.
func (b *Behaviour) addFormulas(found *fingerprint.Budget, counts *fingerprint.Counts) {
	add := func(name string, trials int, err error) {
		f := BehaviourFormula{Name: name}
		if err == nil {
			f.Trials = trials
			if p, err := hotelling.Power(b.EffectiveDimension, trials, trials, b.Distance, b.Alpha); err == nil {
				f.NormalPower = &p
			}
		}
		b.Formulas = append(b.Formulas, f)
	}
	add("noncentral F", found.HotellingTrials, nil)
	add("Equation 30", found.Equation30, nil)
	trials, err := b.equation31(counts)
	add("Equation 31", trials, err)
	add("Equation 39", found.Equation39, nil)
	trials, err = hotelling.Algorithm4(b.Variance, b.EffectiveDimension, b.Distance, b.Alpha, b.Beta, found.Calibration)
	add("Algorithm 4", trials, err)
}

// equation31 compares with the test of the pass rate at the recorded rate, by Equation 6.
func (b *Behaviour) equation31(counts *fingerprint.Counts) (int, error) {
	passes, judged := 0.0, 0
	for _, x := range counts.Outcome {
		if x.Known {
			passes += x.Value
			judged++
		}
	}
	if judged == 0 {
		return 0, errors.New("no trial is judged")
	}
	rate := passes / float64(judged)
	if rate < b.Delta {
		return 0, errors.New("there is no room for a drop")
	}
	h := 2*math.Asin(math.Sqrt(rate)) - 2*math.Asin(math.Sqrt(rate-b.Delta))
	return hotelling.Equation31(equation6(rate, b.Delta, b.Alpha, b.Beta), b.EffectiveDimension, b.Distance, h)
}

// simulate fills in the powers that are not those of the search.
func (b *Behaviour) simulate(ctx context.Context, recorded *fingerprint.Sample, o fingerprint.BudgetOptions) error {
	known := map[int]float64{}
	if b.Trials > 0 {
		known[b.Trials] = b.Power
	}
	var wanted []int
	want := func(n int) {
		_, ok := known[n]
		if !ok && n >= 2 && n <= b.MaxTrials && !slices.Contains(wanted, n) {
			wanted = append(wanted, n)
		}
	}
	for _, f := range b.Formulas {
		want(f.Trials)
	}
	affordable := b.affordable()
	want(affordable)
	// All at once, for one model of the recorded trials.
	powers, err := fingerprint.PowerAt(ctx, recorded, o, wanted...)
	if err != nil {
		return err
	}
	for i, n := range wanted {
		known[n] = powers[i]
	}
	for i := range b.Formulas {
		if p, ok := known[b.Formulas[i].Trials]; ok {
			b.Formulas[i].Power = &p
		}
	}
	if p, ok := known[affordable]; ok {
		a := b.Cost.Affordable
		a.Power = p
		a.PowerErr = math.Sqrt(p * (1 - p) / float64(b.Simulations))
	}
	return nil
}

// affordable is the number of trials of each side whose power a budget buys: not more than the planned number or than
// are looked at; 0 where no budget is asked for.
func (b *Behaviour) affordable() int {
	if b.Cost == nil || b.Cost.Affordable == nil {
		return 0
	}
	n := min(b.Cost.Affordable.Trials, b.MaxTrials)
	if b.Trials > 0 {
		n = min(n, b.Trials)
	}
	return n
}

// Header returns what every result has.
func (b *Behaviour) Header() verdict.Header {
	return verdict.Header{Schema: b.Schema, Warnings: b.Warnings}
}

// Rejudge plans again from the saved trials.
func (b *Behaviour) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	if b.Sample == nil {
		return nil, fmt.Errorf("%w: the trials were more than a plan holds", verdict.ErrNoOutcomes)
	}
	sample, o, err := b.asked()
	if err != nil {
		return nil, err
	}
	again, err := TestOfBehaviour(ctx, sample, o)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &verdict.DifferenceError{Path: "shift", Have: "what cannot be planned", Want: err.Error()}
	}
	return &rejudged.Result{Again: again, Given: []string{"sample"}}, nil
}

// asked is what a saved plan was made from, and with which options.
func (b *Behaviour) asked() (*fingerprint.Sample, BehaviourOptions, error) {
	o := BehaviourOptions{
		Test: b.Test, Alpha: b.Alpha, Beta: b.Beta, Delta: b.Delta, Shift: b.Shift, Seed: b.Seed,
		Simulations: b.Simulations, Permutations: b.Permutations,
	}
	if n := b.Sample.Numbers(); n > mostBehaviourNumbers {
		return nil, o, &verdict.DifferenceError{Path: "sample", Have: fmt.Sprint(n, " numbers"),
			Want: fmt.Sprint("at most ", mostBehaviourNumbers)}
	}
	sample, err := b.Sample.Sample()
	if err != nil {
		return nil, o, &verdict.DifferenceError{Path: "sample", Have: err.Error(), Want: "counts of trials"}
	}
	if len(b.Shift) == 0 {
		o.Distance = b.Distance
	}
	if c := b.Cost; c != nil {
		o.MaxCostUSD = c.MaxUSD
		if c.Known == 0 {
			o.PriceUSD = &c.PerTrialUSD
		}
	}
	return sample, o, nil
}
