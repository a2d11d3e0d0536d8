package special

import "math"

// Accumulator is a running sum with the rounding errors kept apart (Neumaier 1974,
// Zeitschrift für Angewandte Mathematik und Mechanik 54:39): its error does not grow
// with the number of terms. The zero value is an empty sum.
type Accumulator struct{ high, low float64 }

// Add adds a term.
func (a *Accumulator) Add(v float64) {
	t := a.high + v
	if math.Abs(a.high) >= math.Abs(v) {
		a.low += (a.high - t) + v
	} else {
		a.low += (v - t) + a.high
	}
	a.high = t
}

// Sum returns the sum of the terms so far; NaN and infinities among them propagate.
func (a *Accumulator) Sum() float64 {
	if math.IsInf(a.high, 0) || math.IsNaN(a.high) {
		return a.high // the compensation is Inf-Inf
	}
	return a.high + a.low
}
