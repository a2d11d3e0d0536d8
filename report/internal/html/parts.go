package html

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What other pages have of this one, so that all look the same.

// Style is the style sheet.
func Style() string { return pageStyle }

// Parts are the templates that the page is made of: "step" shows a [Step], and others what this package gives them.
func Parts() (*template.Template, error) { return template.New("report").Parse(pageTemplate) }

// Step is a step of a trial as the template "step" shows it.
type Step = step

// NewStep makes the texts of a step safe.
func NewStep(s runs.Step) Step { return pageStep(s) }

// Indented is JSON in lines, unless it is short or none.
func Indented(text string) string { return indented(text) }

// RateBar draws a rate with its interval on a scale from 0 to 1, the same in every row of a list.
func RateBar(rate, low, high float64) template.HTML {
	const width, height, edge = 160.0, 16.0, 5.0
	x := func(p float64) string { return coordinate(edge + min(max(p, 0), 1)*(width-2*edge)) }
	content := fmt.Sprintf(`<path class="grid" d="M%s 8H%s"/><path class="span" d="M%s 8H%s"/><circle class="dot" cx="%s" cy="8" r="4"/>`,
		x(0), x(1), x(low), x(high), x(rate))
	title := phrase.Rate(rate) + ", interval [" + phrase.Rate(low) + ", " + phrase.Rate(high) + "] of 0 to 100%"
	return svg(width, height, title, "", content)
}

// Strip draws outcomes in their order: P, F and E.
func Strip(outcomes string) template.HTML { return strip(outcomes) }

// RatePoint is a rate in a series, with its interval.
type RatePoint struct {
	Rate, Low, High float64 // from 0 to 1
	Class           string  // of its verdict; "" is none
	Title           string  // what it is
}

// The drawings of series, in units of the drawing.
const (
	seriesWidth, seriesHeight = 900.0, 220.0
	sparkWidth, sparkHeight   = 140.0, 24.0
)

// RateSeries draws rates one after the other, each with its interval, and a title for each that is shown when it is
// pointed at.
func RateSeries(points []RatePoint, title, description, first, last string) template.HTML {
	const left, right, top, bottom = 40.0, 10.0, 8.0, 26.0
	inner, rise := seriesWidth-left-right, seriesHeight-top-bottom
	x := func(i int) float64 { return left + inner*(float64(i)+.5)/float64(max(len(points), 1)) }
	y := func(p float64) float64 { return top + (1-min(max(p, 0), 1))*rise }
	var b strings.Builder
	for _, p := range []float64{.25, .5, .75, 1} {
		fmt.Fprintf(&b, `<path class="grid" d="M%s %sH%s"/>`, coordinate(left), coordinate(y(p)), coordinate(left+inner))
	}
	b.WriteString(cornerPath(left, top, top+rise, left+inner))
	b.WriteString(label(left-6, y(1)+4, "end", "100%") + label(left-6, y(.5)+4, "end", "50%") + label(left-6, y(0), "end", "0%"))
	b.WriteString(label(left, seriesHeight-8, "start", first) + label(left+inner, seriesHeight-8, "end", last))
	var at strings.Builder
	for i, p := range points {
		fmt.Fprintf(&at, "%s,%s ", coordinate(x(i)), coordinate(y(p.Rate)))
	}
	fmt.Fprintf(&b, `<polyline class="line walk" points="%s"/>`, strings.TrimSpace(at.String()))
	radius := coordinate(math.Min(4, math.Max(1.5, inner/float64(max(len(points), 1))/3)))
	for i, p := range points {
		fmt.Fprintf(&b, `<g class="%s"><title>%s</title><path class="reach" d="M%s %sV%s"/><circle cx="%s" cy="%s" r="%s"/></g>`,
			"point "+cmp.Or(p.Class, "none"), template.HTMLEscapeString(p.Title),
			coordinate(x(i)), coordinate(y(p.Low)), coordinate(y(p.High)), coordinate(x(i)), coordinate(y(p.Rate)), radius)
	}
	return svg(seriesWidth, seriesHeight, title, description, b.String())
}

// Sparkline draws rates one after the other in the height of a line.
func Sparkline(rates []float64) template.HTML {
	if len(rates) < 2 {
		return ""
	}
	var at strings.Builder
	for i, p := range rates {
		fmt.Fprintf(&at, "%s,%s ", coordinate(3+(sparkWidth-6)*float64(i)/float64(len(rates)-1)),
			coordinate(3+(1-min(max(p, 0), 1))*(sparkHeight-6)))
	}
	last := rates[len(rates)-1]
	content := fmt.Sprintf(`<path class="grid" d="M0 3H%[1]s"/><polyline class="line walk" points="%[2]s"/>`+
		`<circle class="dot" cx="%[3]s" cy="%[4]s" r="2.5"/>`, coordinate(sparkWidth), strings.TrimSpace(at.String()),
		coordinate(sparkWidth-3), coordinate(3+(1-min(max(last, 0), 1))*(sparkHeight-6)))
	title := fmt.Sprintf("pass rates of the latest %d runs, from %s to %s", len(rates), phrase.Rate(rates[0]), phrase.Rate(last))
	return svg(sparkWidth, sparkHeight, title, "", content)
}

// Gauge draws where the failures of a test stand between its boundaries: from a Pass on the left to a Fail on the right.
// Share is from 0 to 1.
func Gauge(share float64, title string) template.HTML {
	const width, height = 240.0, 20.0
	x := 44 + min(max(share, 0), 1)*(width-88)
	content := label(0, 14, "start", "Pass") + label(width, 14, "end", "Fail") +
		fmt.Sprintf(`<path class="grid" d="M44 10H%s"/><circle class="dot" cx="%s" cy="10" r="4"/>`, coordinate(width-44), coordinate(x))
	return svg(width, height, title, "", content)
}
