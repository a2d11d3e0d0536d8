package sample

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// Sum returns the sum of the values with Neumaier's compensation: its error does
// not grow with their number. Without values it is 0; NaN and infinities propagate.
func Sum(values []float64) float64 {
	var c special.Accumulator
	for _, v := range values {
		c.Add(v)
	}
	return c.Sum()
}

// Mean returns the arithmetic mean, from [Sum]. It is NaN without values.
func Mean(values []float64) float64 {
	sum := Sum(values)
	if n := float64(len(values)); !math.IsInf(sum, 0) || n == 0 {
		return sum / n
	}
	// The sum overflowed, or a value is infinite: divide first.
	var c special.Accumulator
	for _, v := range values {
		c.Add(v / float64(len(values)))
	}
	return c.Sum()
}

// Median returns the middle value, or the mean of the two middle ones. The slice
// is not reordered. It is NaN without values and where a value is NaN.
func Median(values []float64) float64 {
	return Quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// Quantile returns the p-quantile of values that are sorted in ascending order, by
// linear interpolation between the order statistics at (n-1)p: type 7 of Hyndman &
// Fan (1996), the default of R and NumPy. It is NaN without values, where a value
// is NaN, and for p outside 0..1.
func Quantile(sorted []float64, p float64) float64 {
	// NaN sorts before all numbers.
	if len(sorted) == 0 || !(p >= 0 && p <= 1) || math.IsNaN(sorted[0]) {
		return math.NaN()
	}
	position := p * float64(len(sorted)-1)
	below := int(position)
	if below == len(sorted)-1 {
		return sorted[below]
	}
	low, high, t := sorted[below], sorted[below+1], position-float64(below)
	if low == high || t == 0 {
		return low // also where both are infinite
	}
	return low*(1-t) + high*t
}
