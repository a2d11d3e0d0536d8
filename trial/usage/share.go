package usage

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// Share is what one trial took of a model, as results hold it. The cost of the only share is left to the trial; of
// several it is what steps tell.
type Share struct {
	Model string `json:"model,omitempty"` // empty: of no model that is told
	Amounts
}

// Shares are what the trial took of each model; nil where it tells nothing.
func (u Trial) Shares() (list []Share) {
	switch {
	case len(u.parts) > 0:
	case u.model == "" && u.total == (amounts{}):
		return nil
	default:
		return []Share{{u.model, u.total.shown()}}
	}
	for i := range u.parts {
		p := &u.parts[i]
		list = append(list, Share{p.model, p.shown()})
	}
	return list
}

// OfShares is the way back.
func OfShares(list []Share) (u Trial) {
	for _, s := range list {
		a := s.told()
		u.of(s.Model).add(&a)
		a.cost = trial.Optional[float64]{}
		u.total.add(&a)
	}
	switch len(u.parts) {
	case 0:
	case 1:
		return Trial{model: u.parts[0].model, total: u.parts[0].amounts}
	default:
		u.of("") // takes what is left of the cost
	}
	return u
}

// told are the amounts as they are added up.
func (a *Amounts) told() (x amounts) {
	if a.CostUSD != nil {
		x.cost = trial.Some(*a.CostUSD)
	}
	for kind, n := range a.counts() {
		if n != nil {
			x.counts[kind] = trial.Some(*n)
		}
	}
	return x
}

// Problem says which amount of the share no trial takes; "" if there is none.
func (s *Share) Problem() string {
	if c := s.CostUSD; c != nil && !(*c >= 0 && *c <= math.MaxFloat64) {
		return fmt.Sprintf("cost_usd %v", *c)
	}
	for kind, n := range s.counts() {
		if n != nil && *n < 0 {
			return fmt.Sprintf("%s %d", countedNames[kind], *n)
		}
	}
	return ""
}
