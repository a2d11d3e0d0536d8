package multiplicity

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Correction names a correction of several p-values for their number. The zero
// value is Holm's.
type Correction int

// The corrections of [Adjust].
const (
	// Holm bounds the probability of any false rejection, whatever the dependence
	// (Holm 1979, Scandinavian Journal of Statistics 6:65).
	Holm Correction = iota
	// BenjaminiHochberg bounds the expected share of false rejections, for
	// independent or positively dependent tests (JRSS B 1995, 57:289).
	BenjaminiHochberg
	// BenjaminiYekutieli does so whatever the dependence (Annals of Statistics 2001,
	// 29:1165).
	BenjaminiYekutieli
	// NoCorrection leaves the p-values as they are.
	NoCorrection
)

var corrections = enum.Of[Correction]("correction", "holm", "bh", "by", "none")

// String returns the name: "holm", "bh", "by" or "none".
func (c Correction) String() string { return corrections.String(c) }

// MarshalText returns the name; a value that is none of the constants is refused.
func (c Correction) MarshalText() ([]byte, error) { return corrections.MarshalText(c) }

// UnmarshalText sets the correction from its name.
func (c *Correction) UnmarshalText(text []byte) error { return corrections.UnmarshalText(text, c) }

// Adjust returns the adjusted p-values, in the order of p: rejecting those at or
// below alpha controls what the correction promises at level alpha. Values outside
// 0..1 and NaN are refused, with their index; p is left as it is.
func Adjust(correction Correction, p []float64) ([]float64, error) {
	if !corrections.Has(correction) {
		return nil, argument.Wrong("correction", int(correction), "is not a known correction")
	}
	for i, value := range p {
		if !(value >= 0 && value <= 1) {
			return nil, argument.Wrong(fmt.Sprintf("p-value %d", i), value, "must lie between 0 and 1")
		}
	}
	adjusted := slices.Clone(p)
	order := make([]int, len(p)) // indices from the smallest p-value to the largest
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	switch correction {
	case Holm:
		stepDown(adjusted, order)
	case BenjaminiHochberg:
		stepUp(adjusted, order, 1)
	case BenjaminiYekutieli:
		harmonic := 0.0
		for i := len(p); i > 0; i-- {
			harmonic += 1 / float64(i)
		}
		stepUp(adjusted, order, harmonic)
	}
	return adjusted, nil
}

// stepDown multiplies the smallest p-value by n, the next by n-1, and so on; none
// falls below a smaller one.
func stepDown(p []float64, order []int) {
	largest := 0.0
	for rank, i := range order {
		largest = math.Max(largest, math.Min(1, p[i]*float64(len(p)-rank)))
		p[i] = largest
	}
}

// stepUp multiplies the p-value of rank r by n/r and the factor; none exceeds a
// larger one.
func stepUp(p []float64, order []int, factor float64) {
	smallest := 1.0
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		scaled := math.Max(p[i], p[i]*factor*float64(len(p))/float64(rank)) // rounding must not lower it
		smallest = math.Min(smallest, scaled)
		p[i] = smallest
	}
}
