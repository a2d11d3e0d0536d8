package fingerprint

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/argument"
)

// What [BudgetOptions] that say nothing mean. Chosen: with 999 permutations the smallest p-value is .001;
// 400 simulations give a power of .9 a standard error of .015.
const (
	defaultBudgetPermutations = 999
	defaultSimulations        = 400
	defaultMaxTrials          = 2000
)

// BudgetOptions says which shift a comparison is to find, and how surely. Distance
// or Shift is needed.
type BudgetOptions struct {
	// Options are those of the planned comparison; 0 Permutations are 999 here.
	Options

	Beta float64 // probability to miss the shift, between 0 and 1; 0 is 0.1

	// Distance is the Mahalanobis distance of the shifted means, on the covariance of
	// the calibration trials within their scenarios. Without Shift its direction is
	// drawn anew in every simulation, uniformly as that covariance measures it.
	Distance float64
	// Shift is the shift of columns by their name, in standard deviations of the
	// calibration trials within their scenarios, on the scale that is tested. With a
	// Distance it gives the direction alone.
	Shift map[string]float64

	MaxTrials   int // a side; 0 is 2000
	Simulations int // for each number of trials looked at; 0 is 400
}

// Budget is the number of trials a side that a comparison needs. A number of trials
// that is 0 was not reached within the limit.
type Budget struct {
	// Trials is the number by the planned test, simulated: the smallest at which its power
	// was at least 1-beta.
	Trials   int     `json:"trials"`
	Power    float64 `json:"power"`     // at Trials, or at the limit if it was not reached; from 0 to 1
	PowerErr float64 `json:"power_err"` // standard error of Power

	// HotellingTrials is the number for normal vectors by the noncentral F, with
	// Components columns.
	HotellingTrials int     `json:"hotelling_trials"`
	HotellingPower  float64 `json:"hotelling_power"` // at HotellingTrials; 0 if that is

	Equation39 int `json:"equation_39"` // trials by AgentAssay, on Variance: no power follows from it
	Equation30 int `json:"equation_30"` // trials by AgentAssay's Theorem 7.1
	// Variance is the total variance of the calibration vectors as tested, not
	// standardised: in the squared units of their columns (Equation 37).
	Variance float64 `json:"variance"`

	Components    int     `json:"components"`          // principal components that hold 95 % of the variance
	Participation float64 `json:"participation_ratio"` // of the principal axes, from 1 to Columns
	Columns       int     `json:"columns"`             // that vary
	Distance      float64 `json:"distance"`            // Mahalanobis distance of the shift, above 0
	Calibration   int     `json:"calibration_trials"`  // that the power was simulated from
	Simulations   int     `json:"simulations"`         // for each number of trials
	Permutations  int     `json:"permutations"`        // at most, of each simulated comparison
	Seed          uint64  `json:"seed"`                // of the simulations

	Warnings []Warning `json:"warnings"` // what weakens the figures
}

// withDefaults fills in what is 0, and refuses what cannot be planned.
func (o BudgetOptions) withDefaults() (BudgetOptions, error) {
	if o.Permutations == 0 {
		o.Permutations = defaultBudgetPermutations
	}
	if o.Beta == 0 {
		o.Beta = 0.1
	}
	if o.MaxTrials == 0 {
		o.MaxTrials = defaultMaxTrials
	}
	if o.Simulations == 0 {
		o.Simulations = defaultSimulations
	}
	var err error
	o.Options, err = o.Options.withDefaults()
	if err != nil {
		return o, err
	}
	if err := argument.OpenUnit("beta", o.Beta); err != nil {
		return o, err
	}
	switch {
	case o.MaxTrials < 2 || o.MaxTrials > 1<<20:
		return o, argument.Wrong("maximum trials", o.MaxTrials, "must lie between 2 and 1048576")
	case o.Simulations < 1 || o.Simulations > 1<<20:
		return o, argument.Wrong("simulations", o.Simulations, "must lie between 1 and 1048576")
	case len(o.Shift) == 0 || o.Distance != 0:
		return o, argument.Positive("distance", o.Distance)
	}
	return o, nil
}

// PlanBudget computes how many trials a side a comparison needs to find a shift,
// from trials of one system. The power of the permutation tests is simulated: both
// sides are drawn with replacement from the calibration trials, without the means of
// their scenarios, the candidate's are shifted, and the test is run. That of
// Hotelling's test is computed for normal vectors, and simulated the same way if it
// is the planned test. The power printed is for vectors like the calibration's; a
// few of them say little about their covariance.
//
// It refuses fewer than three calibration trials with [ErrTooFewTrials], and stops
// with the cause of the context's end.
func PlanBudget(ctx context.Context, calibration *Sample, o BudgetOptions) (*Budget, error) {
	v := o.vocabularyOf(calibration)
	return PlanBudgetVectors(ctx, v.columns, v.Vectors(calibration), o)
}

// PlanBudgetVectors is [PlanBudget] for vectors of any origin.
func PlanBudgetVectors(ctx context.Context, columns []Column, calibration []Vector, o BudgetOptions) (*Budget, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := newModel(columns, calibration, o)
	if err != nil {
		return nil, err
	}
	b := &Budget{
		Components: m.axes.components(explained), Participation: m.axes.participation(),
		Columns: len(m.columns), Distance: m.distance,
		Variance: m.variance, Calibration: len(m.rows), Simulations: o.Simulations, Permutations: o.Permutations,
		Seed: o.Seed, Warnings: m.warnings,
	}
	if len(m.rows) < 5*len(m.columns) {
		b.Warnings = append(b.Warnings, warning(fewCalibration,
			"%d calibration trials for %d columns: the power is that for vectors like these, and others may vary more",
			len(m.rows), len(m.columns)))
	}
	b.HotellingTrials, err = hotelling.Trials(b.Components, b.Distance, o.Alpha, o.Beta, o.MaxTrials)
	if err != nil {
		return nil, err
	}
	if b.HotellingTrials > 0 {
		n := b.HotellingTrials
		b.HotellingPower, err = hotelling.Power(b.Components, n, n, b.Distance, o.Alpha)
		if err != nil {
			return nil, err
		}
	}
	b.Equation39, err = hotelling.Equation39(b.Variance, b.Components, b.Distance, o.Alpha, o.Beta)
	if err != nil {
		return nil, err
	}
	b.Equation30, err = hotelling.Equation30(b.Components, b.Distance, o.Alpha, o.Beta)
	if err != nil {
		return nil, err
	}
	return b, b.search(ctx, m, o)
}

// PowerAt returns the simulated power of the planned test with each of some numbers of trials a side, as
// [PlanBudget] simulates it: the same seed draws the same trials, so that the powers of both can be compared. It
// refuses numbers below 2 and above the options' maximum.
func PowerAt(ctx context.Context, calibration *Sample, o BudgetOptions, trials ...int) ([]float64, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	v := o.vocabularyOf(calibration)
	m, err := newModel(v.columns, v.Vectors(calibration), o)
	if err != nil {
		return nil, err
	}
	powers := make([]float64, len(trials))
	for i, n := range trials {
		if n < 2 || n > o.MaxTrials {
			return nil, argument.Wrong("trials", n, fmt.Sprintf("must lie between 2 and %d", o.MaxTrials))
		}
		if powers[i], err = m.power(ctx, n, o); err != nil {
			return nil, err
		}
	}
	return powers, nil
}

// vocabularyOf is the vocabulary of the options, or that of the trials.
func (o BudgetOptions) vocabularyOf(calibration *Sample) *Vocabulary {
	if o.Vocabulary != nil {
		return o.Vocabulary
	}
	return NewVocabulary(calibration)
}

// search looks for the smallest number of trials with enough power, from a guess by
// the noncentral F. Every number is simulated from the same seeds, so that the power
// grows with it but for little.
func (b *Budget) search(ctx context.Context, m *model, o BudgetOptions) error {
	reached := func(n int) (bool, float64, error) {
		power, err := m.power(ctx, n, o)
		return power >= 1-o.Beta, power, err
	}
	// Upwards by halves until the power suffices, then halving the gap.
	low, high := 1, b.HotellingTrials // low has not enough
	if high < 2 {
		high = o.MaxTrials
	}
	for {
		ok, power, err := reached(high)
		if err != nil {
			return err
		}
		b.Power = power
		if ok {
			b.Trials = high
			break
		}
		low = high
		if high == o.MaxTrials {
			break
		}
		high = min(o.MaxTrials, high+max(1, high/2))
	}
	for step := 1; b.Trials > 0 && b.Trials-low > 1; step++ {
		middle := low + (b.Trials-low)/2
		if step == 1 && low == 1 { // the guess is near: try just below it first
			middle = max(2, b.Trials-1-b.Trials/4)
		}
		ok, power, err := reached(middle)
		if err != nil {
			return err
		}
		if ok {
			b.Trials = middle
			b.Power = power
		} else {
			low = middle
		}
	}
	b.PowerErr = math.Sqrt(b.Power * (1 - b.Power) / float64(b.Simulations))
	return nil
}

// calibrate puts the vectors of one system on both sides of a pool, so that they are
// treated just as a comparison treats them.
func calibrate(columns []Column, vectors []Vector, o Options) (*pool, error) {
	if len(vectors) < 3 {
		return nil, fmt.Errorf("%w: an estimate of how trials vary needs 3 of them, and there are %d",
			ErrTooFewTrials, len(vectors))
	}
	groups := make(map[string][]Vector)
	var scenarios []string
	for _, v := range vectors {
		if o.Pooled {
			v.Scenario = ""
		}
		v.Input = ""
		if groups[v.Scenario] == nil {
			scenarios = append(scenarios, v.Scenario)
		}
		groups[v.Scenario] = append(groups[v.Scenario], v)
	}
	// One trial of each scenario on one side and the rest on the other: how they are split does not matter
	// to what is taken from the pool here.
	var first, rest []Vector
	for _, name := range scenarios {
		if g := groups[name]; len(g) > 1 {
			first = append(first, g[0])
			rest = append(rest, g[1:]...)
		}
	}
	if len(first) == 0 {
		return nil, fmt.Errorf("%w: an estimate of how trials vary needs several of a scenario, "+
			"and each of %d scenarios has one; if each trial draws its scenario at random, pool them",
			ErrTooFewTrials, len(scenarios))
	}
	o.oneSample = true
	return newPool(columns, first, rest, o)
}
