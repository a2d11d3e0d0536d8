package evidence

import (
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Pricing says what tokens cost, of trials that do not tell their cost.
type Pricing struct {
	File  string
	Table *prices.Table // nil until it is loaded, and in commands that look at no cost
}

// Load reads the table: what is built in, the file of the flag over it, and what a suite says over both. The suite may
// be nil.
func (p *Pricing) Load(s *suite.Suite) error {
	over, err := p.Over()
	if err != nil {
		return err
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return err
	}
	p.Table = builtIn.With(over)
	if s != nil {
		p.Table = p.Table.With(s.Prices)
	}
	return nil
}

// Over reads the file of the flag; nil where none is named.
func (p *Pricing) Over() (*prices.Table, error) {
	if p.File == "" {
		return nil, nil
	}
	return prices.Load(p.File)
}

// Used describes the table; nil where none was loaded.
func (p *Pricing) Used() *verdict.Prices { return verdict.PricesOf(p.Table) }

// Estimates counts trials whose cost is one.
type Estimates struct{ estimated, atMost, trials int }

// Add counts a trial.
func (e *Estimates) Add(t *trial.Trial) {
	e.trials++
	if t.CostBasis != trial.RecordedCost {
		e.estimated++
	}
	if t.CostBasis == trial.CostAtMost {
		e.atMost++
	}
}

// Warn says so, where there are any.
func (e *Estimates) Warn(a *world.World) {
	if e.estimated > 0 {
		a.Notice("warning", "%s", verdict.EstimateText(e.estimated, e.atMost, e.trials))
	}
}
