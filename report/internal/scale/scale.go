// Package scale chooses from where to where drawings show a quantity, so that the text and the page show the same.
package scale

import (
	"math"

	"github.com/tribunal-dev/tribunal/report/internal/document"
)

// Scale is the part of a quantity's range that a drawing shows.
type Scale struct{ Low, High float64 }

// Of is the scale of spans with their marks: all of what the quantity can be, from least to most, or the part of it
// where everything lies, if that is at most half. It holds all spans and marks, unless these are beyond the range.
func Of(spans []document.Span, least, most float64, marks ...float64) Scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range spans {
		low, high = min(low, s.Low), max(high, s.High)
	}
	for _, mark := range marks {
		low, high = min(low, mark), max(high, mark)
	}
	if !(high-low >= 0 && high-low <= (most-least)/2) { // also where NaN got in
		return Scale{least, most}
	}
	// A round step of which about five make the scale, and the end points on it.
	step := math.Pow(10, math.Floor(math.Log10(max((high-low)/2, 1e-4))))
	for _, factor := range []float64{5, 2} {
		if (high-low)/(factor*step) >= 2 {
			step *= factor
			break
		}
	}
	s := Scale{
		Low:  max(least, round(math.Floor(low/step+1e-9)*step)),
		High: min(most, round(math.Ceil(high/step-1e-9)*step)),
	}
	if s.High <= s.Low {
		s = Scale{max(least, round(s.Low-step)), min(most, round(s.High+step))}
	}
	return s
}

// round removes the noise of binary fractions, and the sign of 0.
func round(x float64) float64 { return math.Round(x*1e12)/1e12 + 0 }

// At is where x lies between the ends, from 0 to 1; what is beyond them, or is no number, is at an end.
func (s Scale) At(x float64) float64 {
	at := (x - s.Low) / (s.High - s.Low)
	if !(at > 0) {
		return 0
	}
	return min(at, 1)
}

// MarksOf are what the drawings of spans mark.
func MarksOf(spans []document.Span) (marks []float64) {
	for _, s := range spans {
		if !s.Unmarked {
			marks = append(marks, s.Mark)
		}
		if s.Lower > 0 {
			marks = append(marks, s.Lower)
		}
	}
	return marks
}
