package design

import (
	"math"

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

// How far the curves reach beyond the two rates that are told apart, in deltas.
const (
	CurvesBelow = 2
)

// Curve is the operating characteristic of a design that tests of a run have:
// what it does at each pass rate, exactly.
type Curve struct {
	Digest string  `json:"digest"` // of the design
	Points []Point `json:"points"` // by rising pass rate
}

// How many designs are described, and at how many rates.
const (
	curveRates = 41
)

func Characteristics(d sprt.Design) ([]Point, error) {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	h := d.Hypotheses
	low := math.Max(h.Lower()-CurvesBelow*h.Delta, 0)
	points := make([]Point, curveRates)
	for i := range points {
		share := float64(i) / (curveRates - 1)
		p := math.Min(low*(1-share)+share, 1)
		c := lattice.At(p)
		points[i] = Point{p, c.Pass, c.Fail, c.Inconclusive, c.ExpectedTrials, lattice.Quantile(p, 0.95)}
	}
	return points, nil
}
