// Package spending builds sequential designs look by look, for tests whose looks are
// not known beforehand: each look may use up what a spending function allows of the
// two errors by then (Lan and DeMets 1983, Biometrika 70:659).
//
//	looks, err := spending.New(h, 150, spending.OBrienFleming)
//	err = looks.Look(40) // when to look must not depend on the outcomes
//	design := looks.Design()
package spending

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Function says which part of an error may be used up by the time that a share t,
// from 0 to 1, of the trials has run.
type Function uint8

// The functions, with the share of a total error a that they allow at t. Φ is the
// normal distribution function, and z the point that a/2 lies above.
const (
	OBrienFleming Function = iota // 2 - 2Φ(z/√t): little early, most at the end
	Pocock                        // a log(1 + (e-1)t): about evenly
	Linear                        // a t
)

var functions = enum.Of[Function]("spending function", "obrien-fleming", "pocock", "linear")

// String returns "obrien-fleming", "pocock" or "linear".
func (f Function) String() string { return functions.String(f) }

// spent returns the error of the total that may be used up at share t.
func (f Function) spent(total, t float64) float64 {
	t = math.Min(math.Max(t, 0), 1)
	switch {
	case t == 0:
		return 0
	case t == 1:
		return total
	case f == Pocock:
		return total * math.Log1p((math.E-1)*t)
	case f == Linear:
		return total * t
	}
	return math.Min(total, 2*dist.NormalSurvival(dist.NormalUpperQuantile(total/2)/math.Sqrt(t)))
}

// Looks is a design in the making. Each look takes the widest boundaries that keep the
// exact error used up so far within what the spending function allows. When to look
// must not depend on the outcomes; it may depend on anything else, such as the clock.
//
// The error that was used up is computed over all looks so far, exactly, not added up from increments: what
// rounding to whole failures leaves unused at one look is there for the next.
type Looks struct {
	hypotheses sprt.Hypotheses
	function   Function
	boundaries sprt.Boundaries
	last       int // trials at the last look; 0 before the first
}

// New returns a design without looks that ends after maxTrials. It returns a
// [sprt.HypothesesError] where there is nothing to test, or too few or too many trials.
func New(h sprt.Hypotheses, maxTrials int, f Function) (*Looks, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	b, err := sprt.NewBoundaries(maxTrials)
	if err != nil {
		return nil, err
	}
	return &Looks{hypotheses: h, function: f, boundaries: b}, nil
}

// Look adds a look after so many trials, more than at the look before. Both errors
// are computed on the lattice: false Fails at the threshold, false Passes at the
// lower rate.
func (l *Looks) Look(trials int) error {
	if trials <= l.last || trials > l.boundaries.MaxTrials() {
		return fmt.Errorf("look after %d trials: must come after the look at %d and by %d",
			trials, l.last, l.boundaries.MaxTrials())
	}
	// The share of trials is the information time of Lan and DeMets.
	share := float64(trials) / float64(l.boundaries.MaxTrials())
	if err := l.lowerFail(trials, l.function.spent(l.hypotheses.Alpha, share)); err != nil {
		return err
	}
	if err := l.raisePass(trials, l.function.spent(l.hypotheses.Beta, share)); err != nil {
		return err
	}
	l.last = trials
	return nil
}

// used returns the exact errors of the looks so far.
func (l *Looks) used() (sprt.Errors, error) {
	return sprt.Design{Hypotheses: l.hypotheses, Boundaries: l.boundaries}.Errors()
}

// slack keeps an error within its part when it is summed in another order.
const slack = 1e-12

// lowerFail sets the fewest failures at which the look fails within alpha.
func (l *Looks) lowerFail(trials int, alpha float64) error {
	fail := &l.boundaries.FailAtOrAbove[trials-1]
	// From the top downwards: each step adds one point that fails. The first that is too much is taken
	// back.
	for *fail = trials; *fail >= 0; *fail-- {
		used, err := l.used()
		if err != nil {
			return err
		}
		if used.Alpha > alpha*(1-slack) {
			*fail++
			break
		}
	}
	*fail = max(*fail, 0)
	if *fail > trials {
		*fail = sprt.Never
	}
	return nil
}

// raisePass sets the most failures at which the look passes within beta.
func (l *Looks) raisePass(trials int, beta float64) error {
	pass := &l.boundaries.PassAtOrBelow[trials-1]
	// A point that fails already cannot pass.
	most := min(trials, l.boundaries.FailAtOrAbove[trials-1]-1)
	for failures := 0; failures <= most; failures++ {
		*pass = failures
		used, err := l.used()
		if err != nil {
			return err
		}
		if used.Beta > beta*(1-slack) {
			*pass = failures - 1
			break
		}
	}
	return nil
}

// Design returns the design with the looks so far. Its errors are within the
// targets whatever further looks are added.
func (l *Looks) Design() sprt.Design {
	return sprt.Design{Kind: sprt.SpendingKind, Hypotheses: l.hypotheses, Boundaries: l.boundaries.Clone()}
}
