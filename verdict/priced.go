package verdict

import (
	"fmt"
	"regexp"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// Prices say which table estimates of costs are from.
type Prices struct {
	Digest string `json:"digest"`         // of the prices; see [prices.Table.Digest]
	Date   string `json:"date,omitempty"` // the latest of its rows, YYYY-MM-DD; empty where none has one
	Source string `json:"source"`         // "built in", or the files that were laid over it
}

// PricesOf describes a table; nil has none.
func PricesOf(t *prices.Table) *Prices {
	if t == nil {
		return nil
	}
	return &Prices{Digest: t.Digest(), Date: t.Date(), Source: t.Source}
}

// Priced notes the table of the estimates, where there are any.
func (cost *CostView) Priced(p *Prices) {
	if cost != nil && cost.EstimatedTrials > 0 {
		cost.Prices = p
	}
}

// digestForm is that of a digest.
var digestForm = lazy.Regexp(`^sha256:[0-9a-f]{64}$`)

// CheckPrices refuses what no judge writes of a saved cost: prices without an estimate, a digest that is none, and
// another digest than that of the built-in table of the same day.
func (cost *CostView) CheckPrices(path string) error {
	if cost == nil || cost.Prices == nil {
		return nil
	}
	if cost.EstimatedTrials == 0 {
		return &DifferenceError{
			Path: path + ".prices", Have: cost.Prices.Digest, Want: "none, as no cost is an estimate",
		}
	}
	return cost.Prices.check(path+".prices.digest", digestForm())
}

func (p *Prices) check(path string, form *regexp.Regexp) error {
	if !form.MatchString(p.Digest) {
		return &DifferenceError{
			Path: path, Have: fmt.Sprintf("%.80q", p.Digest), Want: "sha256: and 64 hexadecimal digits",
		}
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return err
	}
	if p.Source == builtIn.Source && p.Date == builtIn.Date() && p.Digest != builtIn.Digest() {
		return &DifferenceError{Path: path, Have: p.Digest, Want: builtIn.Digest() + " of the table of that day"}
	}
	return nil
}
