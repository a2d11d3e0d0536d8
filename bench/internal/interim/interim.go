// Package interim looks at the behaviour of two agents several times while trials are
// still coming in, without more false alarms than one look at the end would give.
//
//	parts, err := interim.OBrienFleming(0.05, []float64{0.5, 1})
//	if err != nil {
//		return err
//	}
//	plan, err := interim.New(parts, fingerprint.Options{Seed: 1})
//	if err != nil {
//		return err
//	}
//	c, err := plan.Look(ctx, &baseline, &candidate) // at half of the trials, and at the end
package interim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// errNoLookLeft says that every look was taken, or that one has found a change.
var errNoLookLeft = errors.New("no look is left")

// Plan compares two samples several times as they grow, each time with a part of
// the level. The probability of any false finding is at most the sum of the parts,
// however the looks depend on each other, as long as the numbers of trials at which
// to look do not depend on what the trials did.
type Plan struct {
	alphas  []float64 // of the looks, in their order
	options fingerprint.Options
	taken   int
	found   bool   // a look found a change
	trials  [2]int // at the last look: the baseline's and the candidate's
}

// New returns a plan of looks with the levels, such as [OBrienFleming] gives. The
// level of the options is not used.
func New(alphas []float64, options fingerprint.Options) (*Plan, error) {
	if len(alphas) == 0 {
		return nil, argument.Wrong("looks", 0, "must be one at least")
	}
	for _, alpha := range alphas {
		if !(alpha >= 0) {
			return nil, argument.Wrong("alpha", alpha, "must not be negative")
		}
	}
	if sum := sample.Sum(alphas); !(sum > 0 && sum < 1) {
		return nil, argument.Wrong("sum of the analyses' alpha", sum, "must lie strictly between 0 and 1")
	}
	return &Plan{alphas: slices.Clone(alphas), options: options}, nil
}

// Look compares the samples, which hold the trials of the looks before and new
// ones. It refuses with [errNoLookLeft] after the last look, and after one that
// found a change. A look without a part of the level finds nothing. One that ends in an
// error, such as that of the context, is not taken.
func (p *Plan) Look(ctx context.Context, baseline, candidate *fingerprint.Sample) (*fingerprint.Comparison, error) {
	if p.found || p.taken == len(p.alphas) {
		return nil, errNoLookLeft
	}
	trials := [2]int{baseline.Len(), candidate.Len()}
	if trials[0] < p.trials[0] || trials[1] < p.trials[1] || trials == p.trials {
		return nil, argument.Wrong("trials", trials, fmt.Sprintf("must have grown since the look at %v", p.trials))
	}
	o := p.options
	o.Alpha = math.Max(p.alphas[p.taken], math.SmallestNonzeroFloat64)
	c, err := fingerprint.Compare(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	p.taken++
	p.trials = trials
	p.found = c.Changed
	return c, nil
}

// Taken returns the number of looks taken.
func (p *Plan) Taken() int { return p.taken }

// OBrienFleming splits alpha over looks at growing shares of the trials, the last
// of which must be 1: little early, most at the end. The look at share t may use
// what 2-2Φ(z/√t) has grown by since the look before, z the upper α/2 quantile (Lan
// and DeMets 1983, Biometrika 70:659). The parts add up to alpha.
func OBrienFleming(alpha float64, shares []float64) ([]float64, error) {
	if !(alpha > 0 && alpha < 1) {
		return nil, argument.Wrong("alpha", alpha, "must lie strictly between 0 and 1")
	}
	if len(shares) == 0 || shares[len(shares)-1] != 1 {
		return nil, argument.Wrong("shares", shares, "must end with 1")
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	parts := make([]float64, len(shares))
	spent, last := 0.0, 0.0
	for i, t := range shares {
		if !(t > last) {
			return nil, argument.Wrong("shares", shares, "must grow from above 0")
		}
		total := alpha
		if t < 1 {
			total = math.Min(alpha, 2*dist.NormalSurvival(z/math.Sqrt(t)))
		}
		parts[i] = total - spent
		spent = total
		last = t
	}
	return parts, nil
}
