package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// LowerRate is the largest pass rate that the test takes for too low.
func (p *Plan) LowerRate() float64 {
	return sprt.Hypotheses{Threshold: p.Threshold, Delta: p.Delta}.Lower()
}

// Curves are the exact characteristics of a plan's test, and of Wald's test with
// the same limit, over pass rates.
type Curves struct {
	Design []sprt.Characteristics // by rising pass rate
	Wald   []sprt.Characteristics // nil where Wald's test is the design
}

// How far the curves reach above the threshold, in deltas; below the lower rate it is
// [design.CurvesBelow]. Both are chosen, so that a chart shows where the curves are flat.
const (
	curvesAbove = 8
)

// Curves computes the curves at so many pass rates, at least two, at equal
// distances: from two deltas below the lower rate to eight above the threshold,
// within 0 and 1.
func (p *Plan) Curves(points int) (Curves, error) {
	low := math.Max(p.LowerRate()-design.CurvesBelow*p.Delta, 0)
	high := math.Min(p.Threshold+curvesAbove*p.Delta, 1)
	// Both ends must be there, and apart.
	if points < 2 || !(low < high) {
		return Curves{}, fmt.Errorf("curves of %d points from %v to %v", points, low, high)
	}
	var c Curves
	var err error
	if c.Design, err = p.Design.curve(points, low, high); err != nil || p.Wald == nil {
		return c, err
	}
	c.Wald, err = p.Wald.curve(points, low, high)
	return c, err
}

// ErrNoBoundaries says that a design does not list its boundaries.
var ErrNoBoundaries = errors.New("the design lists no boundaries")

// curve computes the exact characteristics of one design at equally distant rates.
func (d *DesignPlan) curve(points int, low, high float64) ([]sprt.Characteristics, error) {
	if len(d.Boundaries.PassAtOrBelow) == 0 {
		return nil, ErrNoBoundaries
	}
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	curve := make([]sprt.Characteristics, points)
	for i := range curve {
		// Weighing the two ends meets both of them exactly; adding steps would not.
		share := float64(i) / float64(points-1)
		curve[i] = lattice.At(math.Min(low*(1-share)+high*share, 1))
	}
	return curve, nil
}
