package report

import (
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
)

// axis is the scale that the bars of a column share, with marks such as the
// threshold.
type axis struct {
	scale.Scale
	marks []float64 // rising
	// Writes a number of the scale; nil says that there is no scale.
	label func(float64) string
}

// newAxis is the axis of spans and marks.
func newAxis(spans []document.Span, least, most float64, marks ...float64) axis {
	return axis{scale.Of(spans, least, most, marks...), marks, figure.Exact}
}

// cell is the column of x on a scale of so many columns.
func (a axis) cell(x float64, width int) int {
	// Each column stands for the numbers from its left edge on.
	return min(int(a.At(x)*float64(width)), width-1)
}

// markCells are the columns of the marks: never the first or the last, so that
// there is room on both sides; a mark that cannot be told from the one above it is
// not shown.
func (a axis) markCells(width int) map[int]float64 {
	cells := map[int]float64{}
	above := width + 1
	for _, mark := range slices.Backward(a.marks) {
		at := min(max(a.cell(mark, width), 1), width-2)
		if above-at >= 2 {
			cells[at] = mark
			above = at
		}
	}
	return cells
}

// strokes are the characters that bars are drawn with.
type strokes struct {
	line, estimate, mark, crossing string // of intervals
	full, empty                    string // of bars that are filled from the left
}

// draw returns a bar of exactly width columns. On which side of a mark an interval
// lies is always right, however coarse the scale is: an interval that ends below
// the mark does not reach its column, and one that begins at or above it begins
// to the right of it.
func (a axis) draw(s document.Span, width int, with strokes) string {
	marks := a.markCells(width)
	from, to := a.cell(s.Low, width), a.cell(s.High, width)
	// The side of a mark decides a verdict, so it wins over the rounding to columns.
	for at, mark := range marks {
		switch {
		case s.Low >= mark:
			from, to = max(from, at+1), max(to, at+1)
		case s.High < mark:
			from, to = min(from, at-1), min(to, at-1)
		default:
			from, to = min(from, at), max(to, at)
		}
	}
	// An estimate is drawn within its interval, also where a coarse scale moved that.
	estimate := -1
	if s.Estimate != nil {
		estimate = min(max(a.cell(*s.Estimate, width), from), to)
	}
	var bar strings.Builder
	for i := range width {
		_, marked := marks[i]
		switch inside := from <= i && i <= to; {
		case i == estimate:
			bar.WriteString(with.estimate)
		case inside && marked:
			bar.WriteString(with.crossing)
		case inside:
			bar.WriteString(with.line)
		case marked:
			bar.WriteString(with.mark)
		default:
			bar.WriteByte(' ')
		}
	}
	return bar.String()
}

// header is the line above the bars: the values of the marks above their columns
// and, where there is room, the ends.
func (a axis) header(width int) string {
	line := []byte(strings.Repeat(" ", width))
	// A label needs a blank on both sides; one that has no room is left out.
	put := func(at int, text string) {
		at = min(max(at, 0), width-len(text))
		if at < 0 {
			return
		}
		for i := max(at-1, 0); i < min(at+len(text)+1, width); i++ {
			if line[i] != ' ' {
				return
			}
		}
		copy(line[at:], text)
	}
	// Marks first, since they are what the reader looks for, then the ends of the
	// scale.
	cells := a.markCells(width)
	for _, mark := range slices.Backward(a.marks) {
		for at, shown := range cells {
			if shown == mark {
				label := a.label(mark)
				put(at-(len(label)-1)/2, label)
			}
		}
	}
	put(0, a.label(a.Low))
	put(width, a.label(a.High))
	return string(line)
}

// filled is a bar that is filled from the left: full for 1 alone, and empty for 0 alone.
func filled(x float64, width int, with strokes) string {
	if width < 1 {
		return ""
	}
	full := 0
	if x > 0 { // NaN is not
		full = min(max(int(math.Round(x*float64(width))), 1), width)
	}
	if x < 1 {
		full = min(full, width-1)
	}
	return strings.Repeat(with.full, full) + strings.Repeat(with.empty, width-full)
}
