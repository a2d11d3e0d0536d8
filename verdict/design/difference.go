package design

import (
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
)

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

// Claim is a verdict against a drop by delta, with the interval of the difference.
func (d *Difference) Claim(path string, v verdict.Verdict, delta float64) verdict.Claim {
	return verdict.Claim{Path: path, Verdict: v, Low: d.Low, High: d.High, Bad: -delta}
}
