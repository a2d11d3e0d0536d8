package verdict

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// LowerRate is the largest pass rate that the test takes for too low.
func (p *Plan) LowerRate() float64 { return lowerRate(p.Threshold, p.Delta) }

// LowerRate is the largest pass rate that the test takes for too low.
func (r *SequentialResult) LowerRate() float64 { return lowerRate(r.Threshold, r.Delta) }

func lowerRate(threshold, delta float64) float64 {
	return sprt.Hypotheses{Threshold: threshold, Delta: delta}.Lower()
}

// StraightPasses returns after how many passes without a failure the test ends
// with Pass; 0 if it never does.
func (b PlanBoundaries) StraightPasses() int {
	for i, pass := range b.PassAtOrBelow {
		if pass >= 0 {
			return i + 1
		}
		if i < len(b.FailAtOrAbove) && b.FailAtOrAbove[i] != nil && *b.FailAtOrAbove[i] <= 0 {
			return 0 // it has failed
		}
	}
	return 0
}

// StraightFailures returns after how many failures without a pass the test ends
// with Fail; 0 if it never does.
func (b PlanBoundaries) StraightFailures() int {
	for i, fail := range b.FailAtOrAbove {
		if fail != nil && *fail <= i+1 {
			return i + 1
		}
		if i < len(b.PassAtOrBelow) && b.PassAtOrBelow[i] >= i+1 {
			return 0 // it has passed
		}
	}
	return 0
}

// lattice is the inverse of planBoundaries, with the paths counted.
func (b PlanBoundaries) lattice() (*sprt.Lattice, error) {
	return b.boundaries().Lattice()
}

// Curves are the exact characteristics of a plan's test, and of Wald's test with
// the same limit, over pass rates.
type Curves struct {
	Design []sprt.Characteristics
	Wald   []sprt.Characteristics // nil where Wald's test is the design
}

// How far the curves reach beyond the two rates that are told apart, in deltas.
const (
	curvesBelow = 2
	curvesAbove = 8
)

// Curves computes the curves at so many pass rates, at least two, at equal
// distances: from two deltas below the lower rate to eight above the threshold,
// within 0 and 1.
func (p *Plan) Curves(points int) (Curves, error) {
	low := math.Max(p.LowerRate()-curvesBelow*p.Delta, 0)
	high := math.Min(p.Threshold+curvesAbove*p.Delta, 1)
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

func (d *DesignPlan) curve(points int, low, high float64) ([]sprt.Characteristics, error) {
	if len(d.Boundaries.PassAtOrBelow) == 0 {
		return nil, ErrNoBoundaries
	}
	lattice, err := d.Boundaries.lattice()
	if err != nil {
		return nil, err
	}
	curve := make([]sprt.Characteristics, points)
	for i := range curve {
		share := float64(i) / float64(points-1)
		curve[i] = lattice.At(math.Min(low*(1-share)+high*share, 1))
	}
	return curve, nil
}
