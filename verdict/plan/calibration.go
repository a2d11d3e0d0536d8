package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Calibration is how many trials of each scenario a run records, worked out from the behaviour of its first ones: the
// adaptive budget of AgentAssay (Algorithm 4), with a number whose power is simulated in place of the formula's. The
// outcomes of the trials have no part in it.
type Calibration struct {
	CalibrationOptions
	Record int `json:"record"` // trials of each scenario, those that calibrate among them
	// Wanted is how many would find the shift; 0 where the largest number that is considered do not, and where Problem
	// says why nothing could be worked out.
	Wanted    int              `json:"wanted"`
	LimitedBy CalibrationLimit `json:"limited_by,omitempty"` // what keeps Record below that; "" is nothing
	// Power to find the shift with Record trials of each scenario on each side, simulated, and its standard error; 0
	// where there is a Problem.
	Power     float64  `json:"power"`
	PowerErr  float64  `json:"power_err"`
	USD       *float64 `json:"usd"`        // what Record trials of each scenario cost; nil where no cost is known
	WantedUSD *float64 `json:"wanted_usd"` // likewise of those that are wanted; nil where none are
	// Found is the least multiple of the shift that Record trials find with the power that was asked for; nil where
	// nothing limits them, and where they do not find the largest multiple that is looked at.
	Found   *FoundShift `json:"found,omitempty"`
	Plan    *Behaviour  `json:"plan,omitempty"`    // nil where there is a Problem
	Problem string      `json:"problem,omitempty"` // why nothing could be worked out
}

// CalibrationOptions say what calibrates a run, and what bounds it. Money and trials are those of the whole run.
type CalibrationOptions struct {
	Trials       int      `json:"trials"`                  // of each scenario, that the run begins with; 1 at least
	Scenarios    int      `json:"scenarios"`               // of the run; 1 at least
	MaxTrials    int      `json:"max_trials"`              // of each scenario that may be recorded
	MaxUSD       *float64 `json:"max_usd,omitempty"`       // that the run may cost; nil is no limit
	BudgetTrials int      `json:"budget_trials,omitempty"` // that the run may launch; 0 is no limit
	RoundUSD     *float64 `json:"round_usd"`               // of a trial of each scenario; nil where no cost is known
	// Behaviour says which shift is to be found. Its prices and its budget are not used.
	Behaviour BehaviourOptions `json:"-"`
}

// CalibrationLimit says what keeps a run from recording the trials that are wanted.
type CalibrationLimit string

// The limits.
const (
	NoCalibrationLimit CalibrationLimit = ""
	MostTrialsLimit    CalibrationLimit = "max-trials" // of a scenario
	BudgetTrialsLimit  CalibrationLimit = "trials"     // of the budget
	CostLimit          CalibrationLimit = "cost"       // of the budget
)

// FoundShift is a shift that is a multiple of another.
type FoundShift struct {
	Multiple float64 `json:"multiple"`  // above 1, in tenths
	Power    float64 `json:"power"`     // simulated
	PowerErr float64 `json:"power_err"` // standard error of Power
}

// BehaviourSeed is that of the simulations, so that two plans from the same trials are the same.
const BehaviourSeed = 1

// MostMultiple is the largest multiple of a shift that is looked at. It is chosen.
const MostMultiple = 10

// Calibrate works out how many trials of each scenario a run records. What cannot be worked out from these trials, such
// as a shift of a column that they do not have, is a Problem of the result, and then those that calibrate are all. It
// stops with the cause of the context's end, and refuses options that cannot be.
func Calibrate(ctx context.Context, recorded *fingerprint.Sample, o CalibrationOptions) (*Calibration, error) {
	o.Behaviour.Seed = BehaviourSeed
	o.Behaviour.PriceUSD, o.Behaviour.MaxCostUSD = nil, nil
	c := &Calibration{CalibrationOptions: o, Record: o.Trials}
	var err error
	c.Plan, err = TestOfBehaviour(ctx, recorded, o.Behaviour)
	_, argument := errors.AsType[*stats.ArgumentError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case argument, errors.Is(err, fingerprint.ErrTooFewTrials):
		c.Problem = err.Error()
		c.USD = c.cost(c.Record)
		return c, nil
	case err != nil:
		return nil, err
	}
	c.Plan.Cost = nil // of both sides of a comparison, of which a run is one
	c.bound()
	c.USD = c.cost(c.Record)
	if c.Wanted > 0 {
		c.WantedUSD = c.cost(c.Wanted)
	}
	return c, c.worth(ctx, recorded)
}

// Asks reports whether a plan is of these options, whatever its simulations and prices.
func (b *Behaviour) Asks(o BehaviourOptions) bool {
	o, err := o.withDefaults()
	distance := o.Distance
	if len(o.Shift) > 0 {
		distance = b.Distance // which follows from the shift
	}
	return err == nil && b.Test == o.Test && b.Alpha == o.Alpha && b.Beta == o.Beta && b.Distance == distance &&
		slices.Equal(b.Shift, o.Shift)
}

// bound finds how many trials are wanted, and how many of them the limits allow. Those that calibrate have been run.
func (c *Calibration) bound() {
	c.Wanted = c.Plan.PerScenario
	most := c.Wanted
	if c.Wanted == 0 { // more than are looked at
		most = math.MaxInt
	}
	limit := func(n int, by CalibrationLimit) {
		if n < most {
			most, c.LimitedBy = n, by
		}
	}
	limit(c.MaxTrials, MostTrialsLimit)
	if c.BudgetTrials > 0 {
		limit(c.BudgetTrials/c.Scenarios, BudgetTrialsLimit)
	}
	if c.MaxUSD != nil && c.RoundUSD != nil && *c.RoundUSD > 0 {
		const rounding = 1e-9 // ten times 0.1 is within 1
		rounds := math.Floor(*c.MaxUSD / *c.RoundUSD * (1 + rounding))
		limit(int(math.Min(rounds, math.MaxInt32)), CostLimit)
	}
	c.Record = max(most, c.Trials)
	if c.Wanted > 0 && c.Record >= c.Wanted {
		c.LimitedBy = NoCalibrationLimit
	}
}

// cost is that of so many trials of each scenario; nil where no cost is known.
func (c *Calibration) cost(trials int) *float64 {
	if c.RoundUSD == nil {
		return nil
	}
	return new(float64(trials) * *c.RoundUSD)
}

// worth simulates what the recorded trials find: the shift, or a multiple of it.
func (c *Calibration) worth(ctx context.Context, recorded *fingerprint.Sample) (err error) {
	trials := c.Record * c.Plan.Scenarios
	if trials == c.Plan.Trials {
		c.Power, c.PowerErr = c.Plan.Power, c.Plan.PowerErr
		return nil
	}
	// The same seed draws the same trials for every multiple: what finds a shift finds a larger one, but for little.
	at := func(tenths int) (power, powerErr float64) {
		if err != nil {
			return 0, 0
		}
		o, _ := c.Behaviour.withDefaults()
		o.Distance *= float64(tenths) / 10
		for i := range o.Shift {
			o.Shift[i].SD *= float64(tenths) / 10
		}
		var powers []float64
		powers, err = fingerprint.PowerAt(ctx, recorded, o.budget(), min(trials, mostBehaviourTrials))
		if err != nil {
			return 0, 0
		}
		p := powers[0]
		return p, math.Sqrt(p * (1 - p) / float64(c.Plan.Simulations))
	}
	if c.Power, c.PowerErr = at(10); c.LimitedBy == NoCalibrationLimit {
		return err
	}
	low, high := 10, 10*MostMultiple+1 // high finds it, or is none
	for err == nil && high-low > 1 {
		middle := min(low+(high-low)/2, 10*MostMultiple)
		if p, e := at(middle); p >= 1-c.Plan.Beta {
			high = middle
			c.Found = &FoundShift{Multiple: float64(middle) / 10, Power: p, PowerErr: e}
		} else {
			low = middle
		}
	}
	return err
}

// Again works the number out from what a saved one holds: the same, unless it was changed. It is an error where it
// holds no trials.
func (c *Calibration) Again(ctx context.Context) (*Calibration, error) {
	differs := func(path, have, want string) error {
		return &verdict.DifferenceError{Path: path, Have: have, Want: want}
	}
	b := c.Plan
	switch {
	case c.Trials < 1 || c.Scenarios < 1 || c.MaxTrials < c.Trials || c.BudgetTrials < 0:
		return nil, differs("trials", fmt.Sprint(c.Trials), "numbers of trials and scenarios that a suite can ask for")
	case b == nil && c.Problem == "":
		return nil, differs("plan", "missing", "what the trials were planned by")
	case b == nil: // nothing more is known of why
		return &Calibration{
			CalibrationOptions: c.CalibrationOptions, Record: c.Trials, USD: c.cost(c.Trials), Problem: c.Problem,
		}, nil
	case b.Sample == nil:
		return nil, fmt.Errorf("%w: the trials were more than a plan holds", verdict.ErrNoOutcomes)
	}
	sample, o, err := b.asked()
	if err != nil {
		return nil, err
	}
	asked := c.CalibrationOptions
	asked.Behaviour = o
	again, err := Calibrate(ctx, sample, asked)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, differs("plan.shift", "what cannot be planned", err.Error())
	}
	return again, nil
}
