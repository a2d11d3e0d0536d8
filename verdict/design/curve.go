package design

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Point is what a test does at one pass rate, exactly.
type Point struct {
	P            float64 `json:"p"`            // the true pass rate, from 0 to 1
	Pass         float64 `json:"pass"`         // probability of Pass
	Fail         float64 `json:"fail"`         // probability of Fail
	Inconclusive float64 `json:"inconclusive"` // probability that all trials are used up undecided
	ASN          float64 `json:"asn"`          // expected trials
	Q95          int     `json:"q95"`          // 95 % of the tests take no more trials
}

// How far the curves of a design reach below the lower of its two rates, in deltas, if 0 is
// not nearer. Above, they reach to a pass rate of 1. The number is chosen.
const (
	CurvesBelow = 2
)

// Curve is the operating characteristic of a design that tests of a run have:
// what it does at each pass rate, exactly.
type Curve struct {
	Digest string  `json:"digest"` // of the design
	Points []Point `json:"points"` // by rising pass rate
}

// At how many rates a curve is computed, both ends among them; the number is chosen.
const (
	curveRates = 41
)

// Characteristics computes what a design does at pass rates from below its lower rate up to
// 1, at equal distances, exactly. An error is that of boundaries that are no test. Those of the last designs
// are remembered.
func Characteristics(d sprt.Design) ([]Point, error) {
	points, err := rememberedPoints.of(d.Digest(), func() ([]Point, error) { return characteristics(d) })
	return slices.Clone(points), err
}

// characteristics computes them.
func characteristics(d sprt.Design) ([]Point, error) {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	h := d.Hypotheses
	low := math.Max(h.Lower()-CurvesBelow*h.Delta, 0)
	points := make([]Point, curveRates)
	for i := range points {
		share := float64(i) / (curveRates - 1)
		// Weighing both ends meets them exactly; rounding may not lead beyond 1.
		p := math.Min(low*(1-share)+share, 1)
		c, q95 := lattice.AtWithQuantile(p, 0.95)
		points[i] = Point{p, c.Pass, c.Fail, c.Inconclusive, c.ExpectedTrials, q95}
	}
	return points, nil
}
