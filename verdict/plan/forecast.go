package plan

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// ForecastSchema names the JSON form of a [Forecast].
const ForecastSchema = "tribunal/forecast/v1"

// DaysPerMonth is the mean length of a month.
const DaysPerMonth = 365.25 / 12

// Forecast projects what successes will cost, from trials. A success costs all trials
// that it takes: the cost of the failures is shared among the passes.
type Forecast struct {
	Schema     string  `json:"schema"`         // names the JSON form
	RunsPerDay float64 `json:"runs_per_day"`   // that must succeed
	PerMonth   float64 `json:"runs_per_month"` // runs that must succeed
	Level      float64 `json:"level"`          // of the intervals
	Trials     int     `json:"trials"`         // that the forecast is made from
	Passes     int     `json:"passes"`         // among them
	// Nil where no cost is known, or nothing passed.
	Cost *Projection `json:"cost_usd"`
	// In and out; nil where none are known, or nothing passed.
	Tokens *Projection `json:"tokens"`
	// USD a million tokens, where the cost comes from it.
	Price *float64 `json:"price_per_mtok,omitempty"`
	// What to know before relying on it; may be empty.
	Warnings []verdict.Warning `json:"warnings"`
}

// Header returns what every result has.
func (f *Forecast) Header() verdict.Header {
	return verdict.Header{Schema: f.Schema, Warnings: f.Warnings}
}

// Projection is an amount for each success, and for a month. An interval that is not
// known, from one trial, is null.
type Projection struct {
	Known      int      `json:"known"`            // trials that tell the amount
	PerSuccess float64  `json:"per_success"`      // the amounts of all trials over their passes
	Low        *float64 `json:"per_success_low"`  // of PerSuccess; nil where it is not known
	High       *float64 `json:"per_success_high"` // of PerSuccess; nil where it is not known
	Month      float64  `json:"month"`            // PerSuccess for all runs of a month
	MonthLow   *float64 `json:"month_low"`        // nil where it is not known
	MonthHigh  *float64 `json:"month_high"`       // nil where it is not known
}

// ForecastTrial is what a forecast needs of a trial.
type ForecastTrial struct {
	Passed  bool                    // its outcome was a pass
	CostUSD trial.Optional[float64] // where it tells it
	Tokens  trial.Optional[float64] // in and out
}

// Codes of the warnings of a forecast.
const (
	WarnForecastCost verdict.Code = "cost-unknown"
	WarnForecastFew  verdict.Code = "few-passes"
	WarnForecastStop verdict.Code = "stopped-early"
)

// ForecastOptions say what is projected.
type ForecastOptions struct {
	RunsPerDay float64  // that must succeed; positive
	Price      *float64 // USD a million tokens, for trials that do not tell their cost
	Alpha      float64  // of the intervals; 0 is [verdict.DefaultAlpha]
	Sequential bool     // the trials are those of a run that stopped when it had decided
}

// NewForecast projects the cost and the tokens of a month. The interval is that of a
// ratio of sums, see [sample.RatioOfSums]: approximate, and for work like that of the
// trials.
func NewForecast(trials []ForecastTrial, o ForecastOptions) (*Forecast, error) {
	if o.Alpha == 0 {
		o.Alpha = verdict.DefaultAlpha
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	f := newForecast(o)
	f.Trials = len(trials)
	for _, t := range trials {
		if t.Passed {
			f.Passes++
		}
	}
	// A cost that is told counts; only where there is none is it computed from the tokens.
	cost := func(t ForecastTrial) trial.Optional[float64] {
		if !t.CostUSD.Known && o.Price != nil && t.Tokens.Known {
			f.Price = o.Price
			return trial.Some(t.Tokens.Value * *o.Price / 1e6)
		}
		return t.CostUSD
	}
	var err error
	if f.Cost, err = f.project(trials, o.Alpha, cost); err != nil {
		return nil, err
	}
	if f.Tokens, err = f.project(trials, o.Alpha,
		func(t ForecastTrial) trial.Optional[float64] { return t.Tokens }); err != nil {
		return nil, err
	}
	f.warn(o)
	return f, nil
}

// validate refuses rates and prices that are negative, infinite or NaN. Alpha is checked
// where the interval is computed.
func (o ForecastOptions) validate() error {
	if !(o.RunsPerDay > 0) || math.IsInf(o.RunsPerDay, 0) {
		return &verdict.OptionError{Option: "runs-per-day", Value: o.RunsPerDay, Problem: "must be a positive number"}
	}
	if o.Price != nil && (!(*o.Price >= 0) || math.IsInf(*o.Price, 0)) {
		return &verdict.OptionError{
			Option:  "price-per-mtok",
			Value:   *o.Price,
			Problem: "must be a number that is not negative",
		}
	}
	return nil
}

// newForecast is what a forecast says without any trial; Rejudge begins with it too.
func newForecast(o ForecastOptions) *Forecast {
	return &Forecast{
		Schema: ForecastSchema, RunsPerDay: o.RunsPerDay, PerMonth: o.RunsPerDay * DaysPerMonth,
		Level: 1 - o.Alpha, Warnings: []verdict.Warning{},
	}
}

// project computes what a success takes of one amount, cost or tokens, over the trials that
// tell it: the amounts of all of them, failures too, over their passes. It is nil where no
// amount is known, or none of the trials that tell it passed.
func (f *Forecast) project(trials []ForecastTrial, alpha float64,
	of func(ForecastTrial) trial.Optional[float64]) (*Projection, error) {
	var amounts, passes []float64
	passed := 0.0
	for _, t := range trials {
		x := of(t)
		if !x.Known {
			continue
		}
		one := 0.0
		if t.Passed {
			one = 1
		}
		amounts, passes, passed = append(amounts, x.Value), append(passes, one), passed+one
	}
	if passed == 0 {
		return nil, nil
	}
	ratio, interval, err := sample.RatioOfSums(amounts, passes, alpha)
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	// From a single trial, or where nothing was spent, there is no interval.
	if math.IsNaN(interval.Low) {
		return f.month(len(amounts), ratio, nil, nil), nil
	}
	return f.month(len(amounts), ratio, &interval.Low, &interval.High), nil
}

// month projects what a success takes to a month. The limits are nil where they are not
// known.
func (f *Forecast) month(known int, perSuccess float64, low, high *float64) *Projection {
	p := &Projection{Known: known, PerSuccess: perSuccess, Low: low, High: high, Month: perSuccess * f.PerMonth}
	if low != nil {
		p.MonthLow = new(*low * f.PerMonth)
	}
	if high != nil {
		p.MonthHigh = new(*high * f.PerMonth)
	}
	return p
}

// warn says how far the forecast can be relied on. Few passes make the interval rough: it is
// an approximation for large samples, and fewer than ten passes is chosen as too few.
func (f *Forecast) warn(o ForecastOptions) {
	if f.Cost == nil {
		f.Warnings = append(f.Warnings, WarnForecastCost.Warning(
			"no cost can be told: nothing passed, or no trial tells its cost; a price of tokens would give "+
				"one"))
	} else if f.Cost.Known < f.Trials {
		f.Warnings = append(f.Warnings,
			WarnForecastCost.Warning("%d of %s tell their cost; the forecast is over these alone", f.Cost.Known,
				prose.Count(f.Trials, "trial")))
	}
	if f.Passes > 0 && f.Passes < 10 {
		f.Warnings = append(f.Warnings, WarnForecastFew.Warning("%s: the interval is rough",
			prose.Count(f.Passes, "pass")))
	}
	// A test that stops early after good luck shows a better rate than the true one.
	if o.Sequential {
		f.Warnings = append(f.Warnings,
			WarnForecastStop.Warning(
				"the run ended when its tests had decided: its share of passes, and so this forecast, leans "+
					"to the side of the decision"))
	}
}
