package cli

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/prices"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// pricing says what tokens cost, of trials that do not tell their cost.
type pricing struct {
	file  string
	table *prices.Table // nil until it is loaded, and in commands that look at no cost
}

// register registers the flag, whose variable makes it the table of all that a person does.
func (p *pricing) register(flags *pflag.FlagSet) {
	flags.StringVar(&p.file, "prices", "", "table of prices in `FILE`, over the built-in one (tribunal prices list)")
}

// load reads the table: what is built in, the file of the flag over it, and what a suite says over both. The suite may
// be nil.
func (p *pricing) load(s *suite.Suite) error {
	over, err := p.over()
	if err != nil {
		return err
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return err
	}
	p.table = builtIn.With(over)
	if s != nil {
		p.table = p.table.With(s.Prices)
	}
	return nil
}

// over reads the file of the flag; nil where none is named.
func (p *pricing) over() (*prices.Table, error) {
	if p.file == "" {
		return nil, nil
	}
	return prices.Load(p.file)
}

// used describes the table; nil where none was loaded.
func (p *pricing) used() *verdict.Prices { return verdict.PricesOf(p.table) }

// estimates counts trials whose cost is one.
type estimates struct{ estimated, atMost, trials int }

// add counts a trial.
func (e *estimates) add(t *trial.Trial) {
	e.trials++
	if t.CostBasis != trial.RecordedCost {
		e.estimated++
	}
	if t.CostBasis == trial.CostAtMost {
		e.atMost++
	}
}

// warn says so, where there are any.
func (e *estimates) warn(a *App) {
	if e.estimated > 0 {
		a.notice("warning", "%s", verdict.EstimateText(e.estimated, e.atMost, e.trials))
	}
}
