package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// ForecastSchema names the JSON form of a [Forecast].
const ForecastSchema = "tribunal/forecast/v1"

// daysPerMonth is the mean length of a month.
const daysPerMonth = 365.25 / 12

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
// known, from too few trials, is null.
type Projection struct {
	Known      int      `json:"known"`            // trials that tell the amount
	PerSuccess float64  `json:"per_success"`      // the amounts of all trials over their passes
	Low        *float64 `json:"per_success_low"`  // of PerSuccess; nil where it is not known
	High       *float64 `json:"per_success_high"` // of PerSuccess; nil where it is not known
	Month      float64  `json:"month"`            // PerSuccess for all runs of a month
	MonthLow   *float64 `json:"month_low"`        // nil where it is not known
	MonthHigh  *float64 `json:"month_high"`       // nil where it is not known
	// The dearest twentieth of the trials that tell the amount; nil in results of earlier versions.
	Dearest *DearestTrials `json:"dearest,omitempty"`
}

// DearestTrials are the trials that took most: a twentieth of those that tell the amount, and one at least.
type DearestTrials struct {
	Trials int     `json:"trials"`
	Share  float64 `json:"share"` // of the amounts of all, from 0 to 1
}

// dearest are those of amounts.
func dearest(amounts []float64) *DearestTrials {
	slices.Sort(amounts)
	d := &DearestTrials{Trials: max(1, len(amounts)/20)}
	all, top := 0.0, 0.0
	for i, x := range amounts {
		all += x
		if i >= len(amounts)-d.Trials {
			top += x
		}
	}
	if all > 0 {
		d.Share = top / all
	}
	return d
}

// Unseen is the largest share of trials that shows in none of those that tell the amount with a chance of 5 %: what
// such trials cost may not be in the interval.
func (p *Projection) Unseen() float64 { return 1 - math.Pow(0.05, 1/float64(p.Known)) }

// What the dearest trials are of all from where a forecast warns, and a share of trials that may have shown in none.
// Chosen: with costs of a log-normal distribution the dearest twentieth are half of all from a standard deviation of
// the logarithm of 1.65 on, where intervals begin to miss more often than they say.
const (
	mostOfDearest = 0.5
	mostUnseen    = 0.05
)

// ForecastTrial is what a forecast needs of a trial.
type ForecastTrial struct {
	Passed  bool                    // its outcome was a pass
	CostUSD trial.Optional[float64] // where it tells it
	Tokens  trial.Optional[float64] // in and out
}

// Codes of the warnings of a forecast.
const (
	warnForecastCost verdict.Code = "cost-unknown"
	warnForecastFew  verdict.Code = "few-passes"
	warnForecastStop verdict.Code = "stopped-early"
	warnForecastEnd  verdict.Code = "stopped-test"
	warnForecastCut  verdict.Code = "stopped-recording"
	warnForecastDear verdict.Code = "dear-trials" // a few trials cost most, or ones that cost much may not have shown
)

// StoppedRate is the pass rate that the one test of a run came to, which stopped when it
// had decided: by the stage-wise ordering of its ends, see [sprt.Estimates].
type StoppedRate struct {
	Rate   float64        // median-unbiased
	Limits stats.Interval // at the level of the forecast
}

// StoppedRateOf is the rate by the end of a test, errors as failures; nil where the end is
// none that the sequential sample has.
func StoppedRateOf(sample baseline.Sample, end baseline.Outcome, alpha float64) *StoppedRate {
	boundaries, sequential := sample.Stops()
	if !sequential {
		return nil
	}
	e, err := boundaries.Estimate(end.Trials, end.Failures, alpha)
	if err != nil {
		return nil
	}
	return &StoppedRate{e.MedianUnbiased, e.Interval}
}

// ForecastOptions say what is projected.
type ForecastOptions struct {
	RunsPerDay float64  // that must succeed; positive
	Price      *float64 // USD a million tokens, for trials that do not tell their cost
	Alpha      float64  // of the intervals; 0 is [verdict.DefaultAlpha]
	Sequential bool     // the trials are those of a run that stopped when it had decided
	Cut        bool     // they are those of a recording that was stopped before all of them had run
	// Of the test of such a run; nil where there are several, or where it is not known.
	Rate *StoppedRate
}

// NewForecast projects the cost and the tokens of a month. The interval is that of
// [sample.PerSuccess]: approximate, and for work like that of the trials. There is none
// where the trials are too few for one that holds, and of runs that stopped by their
// outcomes only by [ForecastOptions.Rate].
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
	if f.Cost, err = f.project(trials, o, cost); err != nil {
		return nil, err
	}
	if f.Tokens, err = f.project(trials, o,
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
		Schema: ForecastSchema, RunsPerDay: o.RunsPerDay, PerMonth: o.RunsPerDay * daysPerMonth,
		Level: 1 - o.Alpha, Warnings: []verdict.Warning{},
	}
}

// project computes what a success takes of one amount, cost or tokens, over the trials that
// tell it: the amounts of all of them, failures too, over their passes. It is nil where no
// amount is known, or none of the trials that tell it passed.
func (f *Forecast) project(trials []ForecastTrial, o ForecastOptions,
	amount func(ForecastTrial) trial.Optional[float64]) (*Projection, error) {
	var passes, failures []float64
	for _, t := range trials {
		switch x := amount(t); {
		case !x.Known:
		case t.Passed:
			passes = append(passes, x.Value)
		default:
			failures = append(failures, x.Value)
		}
	}
	if len(passes) == 0 {
		return nil, nil
	}
	known := len(passes) + len(failures)
	counts := stats.Counts{Passes: len(passes), Trials: known}
	rate := StoppedRate{Rate: counts.Rate()}
	if o.Sequential && o.Rate != nil {
		rate = *o.Rate
	} else {
		var err error
		if rate.Limits, err = stats.ClopperPearson(counts, o.Alpha); err != nil {
			return nil, fmt.Errorf("forecast: %w", err)
		}
	}
	most := dearest(slices.Concat(passes, failures))
	perSuccess, interval, err := sample.PerSuccess(passes, failures, rate.Rate, rate.Limits, o.Alpha)
	switch {
	case errors.Is(err, sample.ErrTooFew), err == nil && (o.Cut || o.Sequential && o.Rate == nil):
		return f.month(known, perSuccess, nil, nil, most), nil
	case err != nil:
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return f.month(known, perSuccess, &interval.Low, &interval.High, most), nil
}

// month projects what a success takes to a month. The limits are nil where they are not
// known.
func (f *Forecast) month(known int, perSuccess float64, low, high *float64, most *DearestTrials) *Projection {
	p := &Projection{Known: known, PerSuccess: perSuccess, Low: low, High: high, Month: perSuccess * f.PerMonth,
		Dearest: most}
	if low != nil {
		p.MonthLow = new(*low * f.PerMonth)
	}
	if high != nil {
		p.MonthHigh = new(*high * f.PerMonth)
	}
	return p
}

// warn says how far the forecast can be relied on.
func (f *Forecast) warn(o ForecastOptions) {
	add := func(w verdict.Warning) { f.Warnings = append(f.Warnings, w) }
	if f.Cost == nil {
		add(warnForecastCost.Warning(
			"no cost can be told: nothing passed, or no trial tells its cost; a price of tokens would give one"))
	} else if f.Cost.Known < f.Trials {
		add(warnForecastCost.Warning("%d of %s tell their cost; the forecast is over these alone", f.Cost.Known,
			prose.Count(f.Trials, "trial")))
	}
	// A test that stops early after good luck shows a better rate than the true one.
	switch {
	case o.Cut:
		add(warnForecastCut.Warning("the recording was stopped before all of its trials had run, after outcomes were " +
			"known, or by a budget: this forecast has no interval; one that came to its end has one"))
		return
	case o.Sequential && o.Rate == nil:
		add(warnForecastStop.Warning("the run ended when its tests had decided: its share of passes, and so this " +
			"forecast, leans to the side of the decision and has no interval; a recording of a fixed number of " +
			"trials has one"))
		return
	case o.Sequential:
		add(warnForecastEnd.Warning("the run ended when its test had decided: the forecast is from the rate that " +
			"allows for it, and not from the share of passes"))
	}
	f.warnOfDear(add)
	if f.Cost != nil && f.Cost.Low == nil || f.Tokens != nil && f.Tokens.Low == nil {
		add(warnForecastFew.Warning("too few trials for an interval that holds: it takes %d that tell the amount, "+
			"%d passes and %d failures among them", sample.FewestTrials, sample.FewestOfOutcomes,
			sample.FewestOfOutcomes))
	}
}

// warnOfDear says where the interval may miss more often than it says, as of trials that are rare and cost much.
func (f *Forecast) warnOfDear(add func(verdict.Warning)) {
	p, what := f.Cost, "the cost"
	if p == nil {
		p, what = f.Tokens, "the tokens"
	}
	if p == nil || p.Low == nil || p.Dearest == nil {
		return
	}
	switch d := p.Dearest; {
	case d.Share > mostOfDearest:
		add(warnForecastDear.Warning("%d of %s took %s of %s: how many such trials come is hardly known, and the "+
			"interval misses more often than it says", d.Trials, prose.Count(p.Known, "trial"),
			phrase.Percent(d.Share), what))
	case p.Unseen() > mostUnseen:
		add(warnForecastDear.Warning("%s may show nothing of what up to %s of trials do, such as a loop: what those "+
			"cost is not in the interval", prose.Count(p.Known, "trial"), phrase.Percent(p.Unseen())))
	}
}
