package plan

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Schema names the JSON form of a [Plan].
const Schema = "tribunal/plan/v1"

// Plan describes a sequential test before a trial is paid for.
type Plan struct {
	Schema    string            `json:"schema"`    // names the JSON form
	Threshold float64           `json:"threshold"` // the least pass rate that is good enough, from 0 to 1
	Delta     float64           `json:"delta"`     // the threshold less the largest rate that is too low
	Alpha     float64           `json:"alpha"`     // bounds the chance of a false Fail, from 0 to 1
	Beta      float64           `json:"beta"`      // bounds the chance of a false Pass, from 0 to 1
	Prior     string            `json:"prior"`     // the weighting under which trials are saved
	Warnings  []verdict.Warning `json:"warnings"`  // what to know before relying on it; may be empty

	Baseline *Baseline  `json:"baseline,omitempty"` // where the threshold comes from a stored baseline
	Fixed    *FixedTest `json:"fixed"`              // nil where it takes more than 20,000 trials
	Floors   Floors     `json:"floors"`             // below which no valid test goes
	Design   DesignPlan `json:"design"`             // the test that is planned
	// Cut off at the same number of trials; absent where it is the design.
	Wald *DesignPlan `json:"wald,omitempty"`
	// WaldUncut is Wald's test with a cut-off that matters at no rate.
	WaldUncut *DesignPlan `json:"wald_uncut,omitempty"`
	Price     *Price      `json:"price,omitempty"` // nil where no price is known
	// Where a number of looks was asked for: what the design says at each.
	Looks []PlannedLook `json:"looks,omitempty"`
	// How alike the trials of a scenario are in the recording that the baseline or the prior is, and what more would
	// tell; nil without one, and where that cannot be told of it.
	Variation *intraclass.Variation `json:"variation,omitempty"`
	// What answers that are served again make of the errors; nil where that was not asked.
	Dependence *Dependence `json:"dependence,omitempty"`
	// What verdict --anytime takes at the rates of the design's points; absent of plans of earlier versions.
	AtAnyTime *design.AtAnyTime `json:"at_any_time,omitempty"`
}

// Header returns what every result has.
func (p *Plan) Header() verdict.Header {
	return verdict.Header{Schema: p.Schema, Warnings: p.Warnings}
}

// Baseline is the stored baseline that a test compares with.
type Baseline struct {
	Passes int     `json:"passes"` // among Trials
	Trials int     `json:"trials"` // of the recording
	Delta  float64 `json:"delta"`  // smallest drop that matters
	Gamma  float64 `json:"gamma"`  // probability that the limits miss the baseline's rate
	Low    float64 `json:"low"`    // of the baseline's pass rate
	High   float64 `json:"high"`   // of the baseline's pass rate
	// ComfortableTrials is the number of baseline trials at which, at the observed
	// rate, about half of delta is left between the two rates that are told apart.
	ComfortableTrials int `json:"comfortable_trials"`
}

// FixedTest is the classical test with the fewest trials.
type FixedTest struct {
	Trials      int     `json:"trials"`       // always as many
	MaxFailures int     `json:"max_failures"` // most failures that pass
	Alpha       float64 `json:"alpha"`        // exact
	Beta        float64 `json:"beta"`         // exact
}

// Floors are what no valid test can go below.
type Floors struct {
	Pass int `json:"pass"` // straight passes before any Pass
	Fail int `json:"fail"` // straight failures before any Fail
	// A lower bound of the expected trials at the threshold.
	TrialsAtH0 float64 `json:"expected_trials_at_threshold"`
	// A lower bound of the expected trials at the lower rate.
	TrialsAtH1       float64 `json:"expected_trials_at_lower_rate"`
	OptimalObjective float64 `json:"objective_bound,omitempty"` // of the design's objective
}

// DesignPlan is a design with its exact characteristics.
type DesignPlan struct {
	Kind      string  `json:"kind"`       // such as "optimal" or "wald"
	MaxTrials int     `json:"max_trials"` // at which it ends at the latest
	Group     int     `json:"group"`      // looks come after multiples of this many trials
	Alpha     float64 `json:"alpha"`      // exact
	Beta      float64 `json:"beta"`       // exact
	Gates     bool    `json:"gates"`      // both errors are within their targets
	Certified bool    `json:"certified"`  // and were confirmed in integers
	// Expected trials under the weighting; nil where it is not optimal.
	Objective  *float64          `json:"objective,omitempty"`
	Gap        *float64          `json:"gap,omitempty"`       // to the bound that no design beats
	Boundaries design.Boundaries `json:"boundaries,omitzero"` // absent where they are not listed
	Points     []design.Point    `json:"points"`              // what it does at some pass rates
	Digest     string            `json:"digest"`              // identifies hypotheses and boundaries
}

// Price is what trials cost, in money and time, one after the other.
type Price struct {
	PerTrialUSD     *float64     `json:"per_trial_usd"`     // nil where it is not known
	SecondsPerTrial *float64     `json:"seconds_per_trial"` // nil where it is not known
	Fixed           *Spending    `json:"fixed,omitempty"`   // of the classical test; nil where there is none
	Worst           Spending     `json:"worst"`             // all trials of the design
	Points          []PricePoint `json:"points"`            // at the rates of the design's points
}

// PricePoint is the expected price at one pass rate.
type PricePoint struct {
	P float64 `json:"p"` // the true pass rate, from 0 to 1
	Spending
}

// Spending is money and time; nil where its price is not known.
type Spending struct {
	USD     *float64 `json:"usd"`     // nil where a trial's price is not known
	Seconds *float64 `json:"seconds"` // nil where a trial's duration is not known
}

// Options say what to plan.
type Options struct {
	Hypotheses sprt.Hypotheses     // what is told apart, and with which errors
	MaxTrials  int                 // 0 means 1.4 times the fixed sample size
	Kind       sprt.Kind           // sprt.OptimalKind, sprt.WaldKind or sprt.DensityRatioKind
	Weighting  sprt.Weighting      // of the pass rates, under which an optimal design saves trials
	Prior      string              // name of the weighting, for a person
	History    stats.Counts        // for sprt.DensityRatioKind
	Group      int                 // look after multiples of this many trials; 0 means every trial
	Looks      int                 // so many looks at most, evenly apart, in place of Group; 0 means by Group
	Baseline   *sprt.Baseline      // nil for a threshold that is given
	Delta      float64             // smallest drop that matters against the baseline
	Gamma      float64             // of the baseline's limits
	Scenarios  []intraclass.Group  // of the recording that the baseline or the prior is; nil without one
	PriceUSD   *float64            // of a trial
	Seconds    *float64            // of a trial
	Served     int                 // how often each answer is served, for [Plan.Dependence]; 0 asks for none
	Progress   func(share float64) // may be nil

	earlier bool // a plan is described again that says nothing of any time
}

// Test designs a test and computes all that is to be said of it. The search for an optimal
// design takes most of the time; Progress of the options is told of it. An error means that
// the options cannot be used, that no test keeps these errors within the limit of trials, or
// that the context ended.
func Test(ctx context.Context, o Options) (*Plan, error) {
	fixed, err := o.complete()
	if err != nil {
		return nil, err
	}
	found, err := o.design(ctx)
	if err != nil {
		return nil, err
	}
	return describe(ctx, o, fixed, found)
}

// describe says all that is to be said of a design. It is apart from the search, so that a
// saved plan can be described again from its boundaries.
func describe(ctx context.Context, o Options, fixed *sprt.FixedDesign, found sprt.Plan) (*Plan, error) {
	h := o.Hypotheses
	bounds := h.Bounds()
	p := &Plan{
		Schema: Schema, Threshold: h.Threshold, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta,
		Prior:    o.Prior,
		Warnings: []verdict.Warning{},
		Floors: Floors{
			Pass:       bounds.Pass,
			Fail:       bounds.Fail,
			TrialsAtH0: bounds.UpperTrials,
			TrialsAtH1: bounds.LowerTrials,
		},
	}
	if o.Baseline != nil {
		b := o.Baseline
		// What a larger baseline would need, since a small one makes the two rates come close.
		_, comfortable := sprt.BaselineTrials(b.Counts.Rate(), o.Delta, o.Gamma)
		p.Baseline = &Baseline{b.Counts.Passes, b.Counts.Trials, o.Delta, o.Gamma, b.Limits.Low, b.Limits.High,
			comfortable}
	}
	if fixed != nil {
		p.Fixed = &FixedTest{fixed.Trials, fixed.MostFails, fixed.Errors.Alpha, fixed.Errors.Beta}
	}
	err := p.addDesigns(ctx, o, found)
	if err != nil {
		return nil, err
	}
	p.addPrice(o)
	p.Variation = variationOf(o.Scenarios)
	if p.Dependence, err = dependenceOf(found.Design, o.Served); err != nil {
		return nil, err
	}
	if !o.earlier {
		var rates []float64
		for _, x := range p.Design.Points {
			rates = append(rates, x.P)
		}
		if p.AtAnyTime, err = design.VerdictAtAnyTime(h.Threshold, h.Alpha, rates); err != nil {
			return nil, err
		}
	}
	p.warn(o)
	return p, nil
}

// addDesigns sets the design, and Wald's test beside it as the one that readers know.
func (p *Plan) addDesigns(ctx context.Context, o Options, found sprt.Plan) (err error) {
	if p.Design, err = describeDesign(found.Design, max(o.Group, 1)); err != nil {
		return err
	}
	if o.Looks > 0 {
		p.Looks = schedule(p.Design.Boundaries, p.Design.Group)
	}
	if o.Kind == sprt.OptimalKind {
		p.Design.Objective, p.Design.Gap = new(found.Objective), new(found.Gap)
		p.Floors.OptimalObjective = found.Bound
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.addWald(o)
}

// addWald describes Wald's test twice: cut off where the design ends, and in effect never.
// The first is left out where it is the design itself.
func (p *Plan) addWald(o Options) error {
	cut, err := sprt.Wald(o.Hypotheses, o.MaxTrials)
	if err != nil {
		return err
	}
	if o.Kind != sprt.WaldKind {
		described, err := describeDesign(cut, 1)
		if err != nil {
			return err
		}
		p.Wald = &described
	}
	uncut, err := sprt.Wald(o.Hypotheses, uncutTrials(o.Hypotheses))
	if err != nil {
		return err
	}
	described, err := describeDesign(uncut, 1)
	if err != nil {
		return err
	}
	// They are those of Wald's formula, thousands of them, and say nothing more.
	described.Boundaries = design.Boundaries{}
	p.WaldUncut = &described
	return nil
}

// ladder returns the rates at which a plan shows what its test does.
// They are from the best to the worst: perfect, halfway to the threshold, the threshold,
// between the two rates, the lower rate, and delta below it, or 0.
func ladder(h sprt.Hypotheses) []float64 {
	lower := h.Lower()
	// Rounded, so that 0.9 and 0.8 have 0.85 between them and not 0.8500000000000001.
	middle := math.Round((h.Threshold+lower)/2*1e12) / 1e12
	above := math.Round((1+h.Threshold)/2*1e12) / 1e12
	below := math.Max(0, math.Round((lower-h.Delta)*1e12)/1e12)
	return []float64{1, above, h.Threshold, middle, lower, below}
}
