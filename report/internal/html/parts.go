package html

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/trial/oracle"
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

// Evaluator is what one evaluator found, as the template "evaluators" shows a list of them.
type Evaluator = evaluator

// NewEvaluators makes the texts of results safe, and writes every score that is known.
func NewEvaluators(results []oracle.Result) []Evaluator {
	list := pageEvaluators(results)
	for i, r := range results {
		if r.Score.Known {
			list[i].Score = "score " + figure.Brief(r.Score.Value)
		}
		list[i].Parts = NewEvaluators(r.Parts)
	}
	return list
}

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

// RateSeries draws pass rates of runs one after the other, with what it shows below it.
func RateSeries(points []document.SeriesPoint, first, last string) (chart template.HTML, caption string) {
	low := 1.0
	for _, p := range points {
		for _, x := range []*float64{p.Low, p.Mark} {
			if x != nil {
				low = min(low, *x)
			}
		}
	}
	// The axis begins where it does on other days too, so that pages can be compared.
	least := 0.0
	for _, bound := range []float64{.5, .8, .9} {
		if low >= bound {
			least = bound
		}
	}
	d := seriesChart(&document.Series{Name: "pass rate", Points: points, First: first, Last: last, Least: least, Most: 1,
		Joined: true, Write: phrase.Rate})
	return d.Chart, d.Caption
}

// The drawing of a line of text, in units of the drawing.
const sparkWidth, sparkHeight = 140.0, 24.0

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
	title := fmt.Sprintf("pass rates of the latest %d runs, from %s to %s", len(rates), phrase.Rate(rates[0]),
		phrase.Rate(last))
	return svg(sparkWidth, sparkHeight, title, "", content)
}

// Gauge draws where the failures of a test stand between its boundaries: from a Pass on the left to a Fail on the
// right. Share is from 0 to 1.
func Gauge(share float64, title string) template.HTML {
	const width, height = 240.0, 20.0
	x := 44 + min(max(share, 0), 1)*(width-88)
	content := label(0, 14, "start", "Pass") + label(width, 14, "end", "Fail") +
		fmt.Sprintf(`<path class="grid" d="M44 10H%s"/><circle class="dot" cx="%s" cy="10" r="4"/>`, coordinate(width-44),
			coordinate(x))
	return svg(width, height, title, "", content)
}
