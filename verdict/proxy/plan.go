package proxy

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict"
)

// ErrNoPrice is returned where no price is given, and the recorded trials have no cost above 0.
var ErrNoPrice = errors.New("the price of a trial is not known")

// Answer says whether a proxy pays.
type Answer uint8

const (
	unknown  Answer = iota // one of the two never varies within a scenario
	Pays                   // also at the low limit of the correlation
	NotShown               // at its estimate, and not at its low limit
	No                     // not at its estimate
)

var answers = enum.Of[Answer]("answer", "unknown", "pays", "not_shown", "does_not_pay")

// String is the name of the answer.
func (a Answer) String() string { return answers.String(a) }

// MarshalText writes the name.
func (a Answer) MarshalText() ([]byte, error) { return answers.MarshalText(a) }

// UnmarshalText reads a name.
func (a *Answer) UnmarshalText(text []byte) error { return answers.UnmarshalText(text, a) }

// Plan says what a proxy is worth.
type Plan struct {
	Schema    string `json:"schema"`
	Pairs     int    `json:"pairs"`
	Scenarios int    `json:"scenarios"` // of the pairs and the proxy's further trials
	Unpaired  int    `json:"unpaired"`  // trials of the target that are left out
	Errors    int    `json:"errors"`    // trials of either that are left out
	// Sample is all that was tried.
	Sample    controlvariate.Sample `json:"sample"`
	TargetUSD float64               `json:"target_usd"`
	ProxyUSD  float64               `json:"proxy_usd"`
	Level     float64               `json:"level"` // of the interval
	// Rho is the correlation of the outcomes within scenarios, or over scenarios where none has two pairs; nil where it
	// is not known.
	Rho      *float64        `json:"rho"`
	Interval *stats.Interval `json:"interval"`
	// Pooled is the correlation over all pairs, in which scenarios that are hard for both count too; nil where it is
	// not known.
	Pooled *float64 `json:"rho_pooled"`
	Answer Answer   `json:"answer"`
	// Split is the best split at Rho; AtLow that at the limit of the interval next to 0.
	Split *controlvariate.Allocation `json:"split"`
	AtLow *controlvariate.Allocation `json:"split_at_low"`
}

// Options are prices and the error of the interval.
type Options struct {
	TargetUSD, ProxyUSD float64 // of a trial, above 0; 0 is the mean of the recorded ones
	Alpha               float64 // 0 means verdict.DefaultAlpha
}

// For says what the proxy is worth.
func For(m *MatchedTrials, o Options) (*Plan, error) {
	if o.Alpha == 0 {
		o.Alpha = verdict.DefaultAlpha
	}
	all := m.whole()
	p := &Plan{
		Schema: "tribunal/plan-proxy/v1", Pairs: all.Pairs(), Scenarios: len(m.Scenarios), Unpaired: m.Unpaired,
		Errors: m.Errors, Sample: all, Level: 1 - o.Alpha,
	}
	for i, price := range []*float64{&o.TargetUSD, &o.ProxyUSD} {
		if *price == 0 {
			*price = m.CostUSD[i]
		}
		if !(*price > 0) || math.IsInf(*price, 0) {
			return nil, fmt.Errorf("%s: %w", m.Names[i], ErrNoPrice)
		}
	}
	p.TargetUSD, p.ProxyUSD = o.TargetUSD, o.ProxyUSD
	rho, interval, known, err := controlvariate.Correlation(m.samples(), o.Alpha)
	if err != nil || !known {
		return p, err
	}
	p.Rho, p.Interval = &rho, &interval
	if pooled, _, known, err := controlvariate.Correlation([]controlvariate.Sample{all}, o.Alpha); err == nil && known {
		p.Pooled = &pooled
	}
	return p, p.split(rho, interval)
}

// split answers at the estimate and at the low limit.
func (p *Plan) split(rho float64, interval stats.Interval) error {
	low := math.Min(math.Abs(interval.Low), math.Abs(interval.High))
	if interval.Contains(0) {
		low = 0
	}
	price := p.ProxyUSD / p.TargetUSD
	at, err := controlvariate.Split(rho, price)
	if err != nil {
		return err
	}
	atLow, err := controlvariate.Split(low, price)
	if err != nil {
		return err
	}
	p.Split, p.AtLow = &at, &atLow
	switch {
	case !at.Pays:
		p.Answer = No
	case !atLow.Pays:
		p.Answer = NotShown
	default:
		p.Answer = Pays
	}
	return nil
}
