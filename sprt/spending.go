package sprt

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// Spending says which share of an error may be used up by the time that a share t
// of the trials has run (Lan and DeMets 1983).
type Spending uint8

const (
	OBrienFleming Spending = iota // 2 - 2Φ(z/√t): little early, most at the end
	Pocock                        // log(1 + (e-1)t): about evenly
	Linear                        // t
)

// spent returns the error of the total that may be used up at share t.
func (s Spending) spent(total, t float64) float64 {
	t = math.Min(math.Max(t, 0), 1)
	switch {
	case t == 0:
		return 0
	case t == 1:
		return total
	case s == Pocock:
		return total * math.Log1p((math.E-1)*t)
	case s == Linear:
		return total * t
	}
	return math.Min(total, 2*dist.NormalSurvival(dist.NormalUpperQuantile(total/2)/math.Sqrt(t)))
}

// Looks builds a design look by look, for looks that are not known beforehand: each
// look takes the widest boundaries that keep the exact error used up so far within
// what the spending function allows. When to look must not depend on the outcomes;
// it may depend on anything else, such as the clock.
type Looks struct {
	hypotheses Hypotheses
	spending   Spending
	boundaries Boundaries
	last       int
}

// NewLooks returns a design without looks that ends after maxTrials.
func NewLooks(h Hypotheses, maxTrials int, s Spending) (*Looks, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if err := checkMaxTrials(maxTrials); err != nil {
		return nil, err
	}
	return &Looks{hypotheses: h, spending: s, boundaries: open(maxTrials)}, nil
}

// Look adds a look after so many trials, more than at the look before. Both errors
// are computed on the lattice: false Fails at the threshold, false Passes at the
// lower rate.
func (l *Looks) Look(trials int) error {
	if trials <= l.last || trials > l.boundaries.MaxTrials() {
		return fmt.Errorf("look after %d trials: must come after the look at %d and by %d", trials, l.last, l.boundaries.MaxTrials())
	}
	share := float64(trials) / float64(l.boundaries.MaxTrials())
	h := l.hypotheses
	alpha, beta := l.spending.spent(h.Alpha, share), l.spending.spent(h.Beta, share)
	i := trials - 1
	for fail := trials; fail >= 0; fail-- {
		l.boundaries.FailAtOrAbove[i] = fail
		if l.boundaries.lattice().errors(h).Alpha > alpha*(1-slack) {
			l.boundaries.FailAtOrAbove[i] = fail + 1
			break
		}
	}
	if l.boundaries.FailAtOrAbove[i] > trials {
		l.boundaries.FailAtOrAbove[i] = Never
	}
	for pass := 0; pass < l.boundaries.FailAtOrAbove[i] && pass <= trials; pass++ {
		l.boundaries.PassAtOrBelow[i] = pass
		if l.boundaries.lattice().errors(h).Beta > beta*(1-slack) {
			l.boundaries.PassAtOrBelow[i] = pass - 1
			break
		}
	}
	l.last = trials
	return nil
}

// Design returns the design with the looks so far. Its errors are within the
// targets whatever further looks are added.
func (l *Looks) Design() Design {
	return Design{Kind: SpendingKind, Hypotheses: l.hypotheses, Boundaries: l.boundaries.Clone()}
}
