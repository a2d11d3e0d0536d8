package html

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
)

// intervalChart is an interval with its estimate, the threshold and the rate that a Pass rules out; the ends of the
// scale stand below it.
func intervalChart(s document.Span, on scale.Scale) template.HTML {
	// In units of the drawing; the edge leaves room for the dot at the ends.
	const width, height, edge = 240, 34, 6
	at := func(p float64) float64 { return edge + on.At(p)*(width-2*edge) }
	x := func(p float64) string { return coordinate(at(p)) }
	content := fmt.Sprintf(`<path class="grid" d="M%s 10H%s"/><path class="span" d="M%s 10H%s"/>`, x(on.Low), x(on.High),
		x(s.Low), x(s.High))
	// A difference is told in points, with a line where there is none.
	write, unit := phrase.Rate, ""
	if s.Signed {
		write, unit = points, " points"
		content += fmt.Sprintf(`<path class="axis" d="M%s 1V19"/>`, x(0))
	}
	title := "interval " + figure.Interval(write(s.Low), write(s.High)) + unit
	if !s.Unmarked {
		content += fmt.Sprintf(`<path class="threshold" d="M%s 1V19"/>`, x(s.Mark))
		title += ", " + cmp.Or(s.MarkName, "required") + " " + write(s.Mark)
	}
	if s.Lower > 0 {
		content += fmt.Sprintf(`<path class="lower" d="M%s 1V19"/>`, x(s.Lower))
		title += ", too low " + write(s.Lower)
	}
	if s.Estimate != nil {
		content += fmt.Sprintf(`<circle class="dot" cx="%s" cy="10" r="4"/>`, x(*s.Estimate))
		title = write(*s.Estimate) + unit + ", " + title
	}
	// What is required has its name before the ends of the scale have theirs, and other marks where theirs run into
	// none. A letter is about so wide.
	const letter = 8
	type name struct{ at, half float64 }
	var named []name
	put := func(at float64, anchor, text string) {
		half := letter * float64(len(text)) / 2
		x := name{min(max(at, half), width-half), half}
		if slices.ContainsFunc(named, func(other name) bool { return math.Abs(x.at-other.at) < x.half+other.half }) {
			return
		}
		named = append(named, x)
		if anchor == "middle" {
			at = x.at
		}
		content += label(at, height-3, anchor, text)
	}
	marks := slices.DeleteFunc(marksOf(s), func(mark float64) bool { return mark == on.Low || mark == on.High })
	if !s.Unmarked && len(marks) > 0 && marks[0] == s.Mark {
		put(at(s.Mark), "middle", write(s.Mark))
	}
	put(edge-5, "start", write(on.Low))
	put(width-edge+5, "end", write(on.High)+unit)
	for _, mark := range marks {
		put(at(mark), "middle", write(mark))
	}
	return svg(width, height, title, "", content)
}

// marksOf are what a span marks, the first one first to be named.
func marksOf(s document.Span) []float64 {
	marks := scale.MarksOf([]document.Span{s})
	if s.Signed {
		return append(marks, 0)
	}
	return slices.DeleteFunc(marks, func(x float64) bool { return x == 0 })
}

// points writes a difference of rates in percentage points.
func points(x float64) string {
	text := strconv.FormatFloat(100*x, 'g', 3, 64)
	if x > 0 {
		text = "+" + text
	}
	return text
}

// strip draws the outcomes as squares in their order. Squares of one outcome are a dashed line, so that thousands of
// them are a few bytes.
func strip(marks string) template.HTML {
	if marks == "" {
		return ""
	}
	// Rows of so many squares; chosen, about the width of a card.
	const row = 60
	paths := map[byte]*strings.Builder{}
	for at := 0; at < len(marks); {
		end := at
		for end < len(marks) && marks[end] == marks[at] && end/row == at/row {
			end++
		}
		b := paths[marks[at]]
		if b == nil {
			b = &strings.Builder{}
			paths[marks[at]] = b
		}
		fmt.Fprintf(b, "M%d %dh%d", at%row, at/row, end-at)
		at = end
	}
	rows := (len(marks) + row - 1) / row
	columns := min(len(marks), row)
	var b strings.Builder
	title := fmt.Sprintf("%d passed, %d failed, %d errors", strings.Count(marks, "P"), strings.Count(marks, "F"),
		strings.Count(marks, "E"))
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 -.5 %d %d" width="%.1frem" role="img"><title>%s</title>`,
		columns, rows,
		float64(columns)*.6, title)
	for _, outcome := range []byte("PFE") {
		if d := paths[outcome]; d != nil {
			fmt.Fprintf(&b, `<path class="q-%c" d="%s"/>`, outcome+'a'-'A', d.String())
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
