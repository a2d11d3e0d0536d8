package html

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
)

// The chart of a quantity over time, in units of the drawing.
const (
	seriesWidth, seriesHeight = 640.0, 260.0
	seriesLeft, seriesRight   = 56.0, 12.0
	seriesTop, seriesBottom   = 10.0, 28.0
	seriesFloor               = seriesHeight - seriesBottom
)

// seriesChart is a quantity over time: a band of the intervals, a dot for each point with a label that a pointer
// shows, the
// values of the segments, and a line at each change within the band of where it may be. Points stand beside each other
// in
// their order, whatever time lies between.
func seriesChart(s *document.Series) drawing {
	low, high, known := s.Range()
	if !known {
		return drawing{}
	}
	var spans []document.Span
	for _, p := range s.Points {
		for _, x := range []*float64{p.Value, p.Low, p.High, p.Mark} {
			if x != nil {
				spans = append(spans, document.Span{Low: *x, High: *x})
			}
		}
	}
	least, most := s.Least, s.Most
	if !(most > least) {
		least, most = extent(spans)
	}
	on := scale.Of(spans, least, most)
	if s.Joined {
		on = scale.Scale{Low: least, High: most}
	}
	x := func(i float64) float64 {
		return seriesLeft + (i+.5)/float64(len(s.Points))*(seriesWidth-seriesLeft-seriesRight)
	}
	y := func(v float64) float64 { return seriesTop + (1-on.At(v))*(seriesFloor-seriesTop) }
	var b strings.Builder
	for _, c := range s.Changes {
		from, to := x(float64(c.Earliest)-1), x(float64(c.Latest))
		fmt.Fprintf(&b, `<rect class="a-fail" x="%s" y="%s" width="%s" height="%s"/>`, coordinate(from),
			coordinate(seriesTop),
			coordinate(to-from), coordinate(seriesFloor-seriesTop))
	}
	if s.Joined {
		b.WriteString(seriesGrid(s, on, y))
	}
	b.WriteString(seriesBand(s, x, y))
	b.WriteString(seriesMarks(s, x, y))
	for _, g := range s.Segments {
		fmt.Fprintf(&b, `<path class="line walk" d="M%s %sH%s"/>`, coordinate(x(float64(g.From)-.5)), coordinate(y(g.Value)),
			coordinate(x(float64(g.To)-.5)))
	}
	for _, c := range s.Changes {
		fmt.Fprintf(&b, `<path class="threshold" d="M%s %sV%s"><title>%s</title></path>`, coordinate(x(float64(c.At)-.5)),
			coordinate(seriesTop), coordinate(seriesFloor), template.HTMLEscapeString(safe.Text(c.Label)))
	}
	// Many points stand close: their dots are smaller.
	radius := min(4, max(1.5, 200/float64(len(s.Points))))
	for i, p := range s.Points {
		if p.Value != nil {
			fmt.Fprintf(&b, `<circle class="%s" cx="%s" cy="%s" r="%s"><title>%s</title></circle>`,
				strings.TrimSpace("dot "+p.Class), coordinate(x(float64(i))), coordinate(y(*p.Value)), coordinate(radius),
				template.HTMLEscapeString(safe.Text(p.Label)))
		}
	}
	b.WriteString(cornerPath(seriesLeft, seriesTop, seriesFloor, seriesWidth-seriesRight) +
		label(seriesLeft-6, seriesTop+10, "end", s.Write(on.High)) + label(seriesLeft-6, seriesFloor, "end",
		s.Write(on.Low)) +
		label(seriesLeft, seriesFloor+18, "start", s.First) + label(seriesWidth-seriesRight, seriesFloor+18, "end", s.Last))
	caption := seriesCaption(s, low, high)
	return drawing{svg(seriesWidth, seriesHeight, prose.Capitalised(s.Name)+" over time", caption, b.String()), caption}
}

// seriesCaption says what the chart shows.
func seriesCaption(s *document.Series, low, high float64) string {
	span := prose.Capitalised(s.Name) + ", from " + s.Write(low) + " to " + s.Write(high)
	if !s.Joined {
		text := fmt.Sprintf("%s: a dot for each of %s, with its interval as a band, and the value between changes as a line.",
			span, prose.Count(len(s.Points), "point"))
		if len(s.Changes) > 0 {
			text += " Dashed lines are the changes, within the places where they may be."
		}
		return text
	}
	text := fmt.Sprintf("%s: a dot for each of %s, with its 95%% interval.", span, prose.Count(len(s.Points), "run"))
	if slices.ContainsFunc(s.Points[1:], func(p document.SeriesPoint) bool { return !p.Apart }) {
		text += " Lines join runs of one version with the same tests and without a long break between them."
	}
	var marks []float64
	for _, p := range s.Points {
		if p.Mark != nil {
			marks = append(marks, *p.Mark)
		}
	}
	switch {
	case len(marks) == 0:
	case slices.Min(marks) == slices.Max(marks):
		text += " The dashed line is the threshold, " + s.Write(marks[0]) + "."
	default:
		text += " The dashed lines are the thresholds."
	}
	return text
}

// seriesGrid are lines across the chart, with their values between those of the ends.
func seriesGrid(s *document.Series, on scale.Scale, y func(float64) float64) string {
	const parts = 5
	var b strings.Builder
	for i := 1; i < parts; i++ {
		v := on.Low + (on.High-on.Low)*float64(i)/parts
		fmt.Fprintf(&b, `<path class="grid" d="M%s %sH%s"/>`, coordinate(seriesLeft), coordinate(y(v)),
			coordinate(seriesWidth-seriesRight))
		b.WriteString(label(seriesLeft-6, y(v)+4, "end", s.Write(v)))
	}
	return b.String()
}

// seriesMarks are what was required of the points, as lines that end where another value was, with the last value.
func seriesMarks(s *document.Series, x, y func(float64) float64) string {
	var b strings.Builder
	for from := 0; from < len(s.Points); {
		mark, to := s.Points[from].Mark, from+1
		for to < len(s.Points) && mark != nil && s.Points[to].Mark != nil && *s.Points[to].Mark == *mark {
			to++
		}
		if mark != nil {
			fmt.Fprintf(&b, `<path class="threshold" d="M%s %sH%s"><title>threshold %s</title></path>`,
				coordinate(x(float64(from)-.5)), coordinate(y(*mark)), coordinate(x(float64(to)-.5)),
				template.HTMLEscapeString(s.Write(*mark)))
		}
		from = to
	}
	return b.String()
}

// extent is from where to where spans lie, with room for a point that is alone.
func extent(spans []document.Span) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range spans {
		low, high = min(low, s.Low), max(high, s.High)
	}
	room := (high - low) / 20
	if !(room > 0) {
		room = max(math.Abs(high), 1) / 20
	}
	return low - room, high + room
}

// seriesBand are the intervals of neighbours, joined; a point without one ends an area, and so does one that is apart.
func seriesBand(s *document.Series, x, y func(float64) float64) string {
	var d, line strings.Builder
	for from := 0; from < len(s.Points); {
		to := from
		for to < len(s.Points) && s.Points[to].Low != nil && s.Points[to].High != nil && (to == from || !s.Points[to].Apart) {
			to++
		}
		if to == from {
			from++
			continue
		}
		// A single interval is an area too: of half a point to each side, or of less where points have much room.
		half := .5
		if s.Joined {
			half = min(half, float64(len(s.Points))/60)
		}
		fmt.Fprintf(&d, "M%s %s", coordinate(x(float64(from)-half)), coordinate(y(*s.Points[from].High)))
		for i := from; i < to; i++ {
			fmt.Fprintf(&d, "L%s %s", coordinate(x(float64(i))), coordinate(y(*s.Points[i].High)))
		}
		fmt.Fprintf(&d, "L%s %sV%s", coordinate(x(float64(to-1)+half)), coordinate(y(*s.Points[to-1].High)),
			coordinate(y(*s.Points[to-1].Low)))
		for i := to - 1; i >= from; i-- {
			fmt.Fprintf(&d, "L%s %s", coordinate(x(float64(i))), coordinate(y(*s.Points[i].Low)))
		}
		fmt.Fprintf(&d, "L%s %sz", coordinate(x(float64(from)-half)), coordinate(y(*s.Points[from].Low)))
		for i := from; i < to && s.Joined; i++ {
			if s.Points[i].Value != nil {
				fmt.Fprintf(&line, "%c%s %s", "ML"[min(i-from, 1)], coordinate(x(float64(i))), coordinate(y(*s.Points[i].Value)))
			}
		}
		from = to
	}
	text := `<path class="within" d="` + d.String() + `"/>`
	if line.Len() > 0 {
		text += `<path class="line walk" d="` + line.String() + `"/>`
	}
	return text
}
