package fingerprint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats/dist"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// ErrNoLookLeft says that every look was taken, or that one has found a change.
var ErrNoLookLeft = errors.New("no look is left")

// Looks compares two samples several times as they grow, each time with a part of
// the level. The probability of any false finding is at most the sum of the parts,
// however the looks depend on each other, as long as the numbers of trials at which
// to look do not depend on what the trials did.
type Looks struct {
	alphas  []float64
	options Options
	taken   int
	found   bool
	trials  [2]int
}

// NewLooks returns a plan of looks with the levels, such as [OBrienFleming] gives.
// Options.Alpha is not used.
func NewLooks(alphas []float64, options Options) (*Looks, error) {
	if len(alphas) == 0 {
		return nil, argumentError("looks", 0, "must be one at least")
	}
	for _, alpha := range alphas {
		if !(alpha >= 0) {
			return nil, argumentError("alpha", alpha, "must not be negative")
		}
	}
	if err := checkOpenUnit("sum of the looks' alpha", sample.Sum(alphas)); err != nil {
		return nil, err
	}
	return &Looks{alphas: slices.Clone(alphas), options: options}, nil
}

// Look compares the samples, which hold the trials of the looks before and new
// ones. It refuses with [ErrNoLookLeft] after the last look, and after one that
// found a change. A look without a part of the level finds nothing, and one that ends in
// an error, such as that of the context, is not taken.
func (l *Looks) Look(ctx context.Context, baseline, candidate *Sample) (*Comparison, error) {
	if l.found || l.taken == len(l.alphas) {
		return nil, ErrNoLookLeft
	}
	trials := [2]int{baseline.Len(), candidate.Len()}
	if trials[0] < l.trials[0] || trials[1] < l.trials[1] || trials == l.trials {
		return nil, argumentError("trials", trials, fmt.Sprintf("must have grown since the look at %v", l.trials))
	}
	o := l.options
	o.Alpha = math.Max(l.alphas[l.taken], math.SmallestNonzeroFloat64)
	c, err := Compare(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	l.taken++
	l.trials = trials
	l.found = c.Changed
	return c, nil
}

// Taken returns the number of looks taken.
func (l *Looks) Taken() int { return l.taken }

// OBrienFleming splits alpha over looks at growing shares of the trials, the last
// of which must be 1: little early, most at the end. The look at share t may use
// what 2-2Φ(z/√t) has grown by since the look before, z the upper α/2 quantile (Lan
// and DeMets 1983, Biometrika 70:659). The parts add up to alpha.
func OBrienFleming(alpha float64, shares []float64) ([]float64, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return nil, err
	}
	if len(shares) == 0 || shares[len(shares)-1] != 1 {
		return nil, argumentError("shares", shares, "must end with 1")
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	parts := make([]float64, len(shares))
	spent, last := 0.0, 0.0
	for i, t := range shares {
		if !(t > last) {
			return nil, argumentError("shares", shares, "must grow from above 0")
		}
		total := alpha
		if t < 1 {
			total = math.Min(alpha, 2*dist.NormalSurvival(z/math.Sqrt(t)))
		}
		parts[i], spent, last = total-spent, total, t
	}
	return parts, nil
}
