package design

import "github.com/tribunal-dev/tribunal/sprt/baseline"

// Difference is the candidate's pass rate less the baseline's, as the end of the test tells
// it; see [baseline.Difference].
type Difference struct {
	MedianUnbiased float64 `json:"median_unbiased"` // as often too high as too low
	Naive          float64 `json:"naive"`           // of the shares of passes, which stopping biases
	Level          float64 `json:"level"`           // confidence of the interval, from 0 to 1
	Low            float64 `json:"low"`             // lower limit
	High           float64 `json:"high"`            // upper limit
}

// DifferenceOf is the form of estimates after a test.
func DifferenceOf(d baseline.Difference) *Difference {
	return &Difference{d.MedianUnbiased, d.Naive, d.Level, d.Interval.Low, d.Interval.High}
}
