package html

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The charts are drawn by hand: a page has thousands of them, their colours follow
// the page's theme, and the boundaries of a design are drawn once and referred to.

// svg opens a chart with its title and text alternative.
func svg(width, height float64, title, description, content string) template.HTML {
	text := fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img"><title>%s</title>`, coordinate(width), coordinate(height),
		template.HTMLEscapeString(safe.Text(title)))
	if description != "" {
		text += "<desc>" + template.HTMLEscapeString(safe.Text(description)) + "</desc>"
	}
	return template.HTML(text + content + "</svg>")
}

// coordinate writes a number of a drawing; what is none is drawn at 0.
func coordinate(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// label is a text at a point, made safe; anchor is start, middle or end of the text.
func label(x, y float64, anchor, text string) string {
	return fmt.Sprintf(`<text x="%s" y="%s" text-anchor="%s">%s</text>`, coordinate(x), coordinate(y), anchor,
		template.HTMLEscapeString(safe.Text(text)))
}

// cornerPath are both axes of a chart: down, and to the right.
func cornerPath(left, top, bottom, right float64) string {
	return fmt.Sprintf(`<path class="axis" d="M%s %sV%sH%s"/>`,
		coordinate(left), coordinate(top), coordinate(bottom), coordinate(right))
}

// The plane of the paths: the drawing of a design, and of every path in it.
const (
	// In units of the drawing, with room for the labels to the left and below.
	planeWidth, planeHeight          = 600.0, 260.0
	planeLeft, planeTop, planeBottom = 34.0, 8.0, 36.0
)

// plane has a unit for each trial and each failure, and the transformation of the
// drawing stretches it: so boundaries and paths are written in whole numbers, which
// keeps a page of thousands of paths small.
type plane struct {
	trials, failures int
}

// planeOf is the plane that holds all that the boundaries reach, and a tenth above.
// Of the boundary of Fail only points count that exist: no more failures than trials.
func planeOf(b design.Boundaries) plane {
	p := plane{trials: len(b.PassAtOrBelow), failures: 1}
	for i, pass := range b.PassAtOrBelow {
		p.failures = max(p.failures, pass+1)
		if i < len(b.FailAtOrAbove) && b.FailAtOrAbove[i] != nil && *b.FailAtOrAbove[i] <= i+1 {
			p.failures = max(p.failures, *b.FailAtOrAbove[i])
		}
	}
	p.failures += p.failures/10 + 1
	return p
}

// transform maps trials and failures to the drawing.
func (p plane) transform() string {
	right := (planeWidth - planeLeft - 10) / float64(max(p.trials, 1))
	up := (planeHeight - planeTop - planeBottom) / float64(p.failures)
	// Lines would be stretched too, so the style sheet asks for strokes that do not
	// scale. The vertical scale is negative: failures rise, and SVG counts downwards.
	return fmt.Sprintf(`transform="matrix(%.4f 0 0 %.4f %s %s)"`,
		right, -up, coordinate(planeLeft), coordinate(planeHeight-planeBottom))
}

// boundaryGroup is the drawing of a design: its two areas and its axes.
func boundaryGroup(id string, b design.Boundaries) string {
	p := planeOf(b)
	var pass, fail strings.Builder
	// Trials with the same limit are one rectangle. Index i is the trial i+1, from i
	// to i+1 on the axis.
	for i := 0; i < len(b.PassAtOrBelow); {
		end := i
		for end < len(b.PassAtOrBelow) && b.PassAtOrBelow[end] == b.PassAtOrBelow[i] {
			end++
		}
		if top := b.PassAtOrBelow[i]; top >= 0 {
			fmt.Fprintf(&pass, "M%d 0H%dV%dH%dz", i, end, top, i)
			if top == 0 { // a line of its own: an area without height cannot be seen
				fmt.Fprintf(&pass, "M%d 0H%dV0.3H%dz", i, end, i)
			}
		}
		i = end
	}
	for i := 0; i < len(b.FailAtOrAbove); {
		end := i
		for end < len(b.FailAtOrAbove) && sameCount(b.FailAtOrAbove[end], b.FailAtOrAbove[i]) {
			end++
		}
		if from := b.FailAtOrAbove[i]; from != nil && *from <= p.failures {
			fmt.Fprintf(&fail, "M%d %dH%dV%dH%dz", i, *from, end, p.failures, i)
		}
		i = end
	}
	bottom := planeHeight - planeBottom
	// Numbers stand at the ends of the axes alone: the tests have very different
	// lengths.
	axes := cornerPath(planeLeft, planeTop, bottom, planeWidth-10)
	axes += label(planeLeft, bottom+16, "middle", "0") + label(planeWidth-10, bottom+16, "end", fmt.Sprint(p.trials)) +
		label((planeLeft+planeWidth)/2, bottom+30, "middle", "trials")
	axes += label(planeLeft-5, planeTop+10, "end", fmt.Sprint(p.failures)) + label(planeLeft-5, bottom, "end", "0")
	return fmt.Sprintf(`<g id="%s"><g %s><path class="a-fail" d="%s"/><path class="a-pass" d="%s"/></g>%s%s%s</g>`,
		id, p.transform(), fail.String(), pass.String(), axes,
		label(planeLeft+8, planeTop+14, "start", "Fail"), label(planeWidth-16, bottom-6, "end", "Pass"))
}

// sameCount compares two limits of which either may be missing.
func sameCount(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// pathChart draws the failures after each judged trial. Where there are errors, the
// second line takes them for failures: the verdict holds for both.
func pathChart(id string, b design.Boundaries, marks, title string) template.HTML {
	p := planeOf(b)
	content := fmt.Sprintf(`<use href="#%s"/><g %s>`, id, p.transform())
	// The way with errors as failures is drawn first, so that the other one covers it
	// where both are the same.
	if strings.ContainsAny(marks, "E?") {
		content += fmt.Sprintf(`<path class="line walk alternative" d="%s"/>`, walk(marks, "FE?"))
	}
	content += fmt.Sprintf(`<path class="line walk" d="%s"/></g>`, walk(marks, "F"))
	description := fmt.Sprintf("%s, %s, %s", prose.Count(len(marks), "trial"),
		prose.Count(strings.Count(marks, "F"), "failure"), prose.Count(strings.Count(marks, "E"), "error"))
	return svg(planeWidth, planeHeight, title, description, content)
}

// walk goes right with each trial, and up with each failure.
func walk(marks, failures string) string {
	var d strings.Builder
	d.WriteString("M0 0")
	for i := 0; i < len(marks); {
		up, end := strings.IndexByte(failures, marks[i]) >= 0, i
		for end < len(marks) && (strings.IndexByte(failures, marks[end]) >= 0) == up {
			end++
		}
		// A run of equal steps is one stroke: a failure goes right and up, a pass
		// goes right.
		if n := end - i; up {
			fmt.Fprintf(&d, "l%d %d", n, n)
		} else {
			fmt.Fprintf(&d, "h%d", n)
		}
		i = end
	}
	return d.String()
}

// curveFigures are the operating characteristic of a design, and its expected trials.
func curveFigures(c document.Curve) []drawing {
	if len(c.Points) < 2 {
		return nil
	}
	// Two charts over the same true pass rates: the probabilities of the outcomes,
	// and the expected trials up to the largest. Both mark the rates that the design
	// tells apart.
	f := newFrame(c.Points[0].P, c.Points[len(c.Points)-1].P, 1)
	guides := f.guide(c.Threshold) + f.guide(c.LowerRate)
	outcomes := f.curve("s-pass", c.Points, func(p design.Point) float64 { return p.Pass }) +
		f.curve("s-fail", c.Points, func(p design.Point) float64 { return p.Fail }) +
		f.curve("s-open", c.Points, func(p design.Point) float64 { return p.Inconclusive })
	legend := ""
	for i, entry := range []struct{ class, name string }{{"s-pass", "Pass"}, {"s-fail", "Fail"},
		{"s-open", "Inconclusive"}} {
		y := 20 + 16*float64(i)
		legend += fmt.Sprintf(`<path class="line %s" d="M60 %sh24"/>`, entry.class, coordinate(y-4)) +
			label(90, y, "start", entry.name)
	}
	most := 1.0
	for _, p := range c.Points {
		most = math.Max(most, p.ASN)
	}
	g := newFrame(c.Points[0].P, c.Points[len(c.Points)-1].P, most)
	trials := g.curve("walk", c.Points, func(p design.Point) float64 { return p.ASN })
	about := fmt.Sprintf(
		"At the threshold of %s the design fails %s of runs; at %s it passes %s of them.",
		phrase.Rate(c.Threshold), figure.ExactChance(c.Alpha), phrase.Rate(c.LowerRate), figure.ExactChance(c.Beta))
	content := f.axes("true pass rate", "1") + guides + outcomes + legend
	expected := g.axes("true pass rate", figure.Quantity(math.Round(most))) + g.guide(c.Threshold) + g.guide(c.LowerRate) +
		trials
	atMost := fmt.Sprintf("At most %s expected trials.", figure.Hundredths(most))
	caption := fmt.Sprintf("Expected trials by true pass rate: at most %s, of %d.", figure.Hundredths(most), c.MaxTrials)
	return []drawing{
		{svg(curveWidth, curveHeight, "Operating characteristic", about, content), about},
		{svg(curveWidth, curveHeight, "Expected trials", atMost, expected), caption},
	}
}

const (
	// The charts of curves and histograms, in units of the drawing; the last line is
	// what is left between the axes.
	curveWidth, curveHeight          = 420.0, 240.0
	chartLeft, chartTop, chartBottom = 44.0, 8.0, 40.0
	chartRight                       = 12.0
	chartInner, chartRise            = curveWidth - chartLeft - chartRight, curveHeight - chartTop - chartBottom
)

// frame is the axes of a chart: the horizontal one from low to high, and the vertical
// one from 0 to top. It maps values to units of the drawing.
type frame struct{ low, high, top float64 }

// newFrame guards against a division by 0: an axis always has a length, also where
// all values are equal or NaN got in.
func newFrame(low, high, top float64) frame {
	if !(high > low) {
		high = low + 1
	}
	if !(top > 0) {
		top = 1
	}
	return frame{low, high, top}
}

func (f frame) x(v float64) float64 { return chartLeft + (v-f.low)/(f.high-f.low)*chartInner }
func (f frame) y(v float64) float64 { return chartTop + (1-v/f.top)*chartRise }

// rounded leaves out what sums leave behind: 0.6000000000000001 is 0.6.
func rounded(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// axes are both axes with the numbers at their ends, and the name of the horizontal
// one.
func (f frame) axes(name, top string) string {
	bottom := chartTop + chartRise
	text := cornerPath(chartLeft, chartTop, bottom, chartLeft+chartInner)
	return text + label(chartLeft, bottom+16, "middle", figure.Brief(rounded(f.low))) +
		label(chartLeft+chartInner, bottom+16, "end", figure.Brief(rounded(f.high))) +
		label(chartLeft+chartInner/2, bottom+32, "middle", name) + label(chartLeft-6, chartTop+10, "end", top) +
		label(chartLeft-6, bottom, "end", "0")
}

// guide is a dashed line at a rate, with the rate below it; "" beyond the axis.
func (f frame) guide(at float64) string {
	if at < f.low || at > f.high {
		return ""
	}
	x := coordinate(f.x(at))
	return fmt.Sprintf(`<path class="threshold" d="M%s %sV%s"/>`, x, coordinate(chartTop),
		coordinate(chartTop+chartRise)) + label(f.x(at), chartTop+chartRise+16, "middle", figure.Brief(at))
}

// curve is a line through one value of every point.
func (f frame) curve(class string, points []design.Point, value func(design.Point) float64) string {
	var at strings.Builder
	for _, p := range points {
		fmt.Fprintf(&at, "%s,%s ", coordinate(f.x(p.P)), coordinate(f.y(value(p))))
	}
	return fmt.Sprintf(`<polyline class="line %s" points="%s"/>`, class, strings.TrimSpace(at.String()))
}

// spreadFigure is the histogram of a quantity over the trials, with its median, mean
// and the value that 95 % of the trials do not exceed. All bins are equally wide.
func spreadFigure(d runs.Distribution) drawing {
	// One block says nothing that its number does not.
	if d.Min == d.Max {
		return drawing{Caption: fmt.Sprintf("%s: all %s, known of %d of %s", d.Name, figure.MetricAmount(d.Name, d.Min),
			d.Known,
			prose.Count(d.Trials, "trial"))}
	}
	most := 0
	for _, b := range d.Bins {
		most = max(most, b.Count)
	}
	f := newFrame(d.Min, d.Max, float64(most))
	var bars strings.Builder
	for i, b := range d.Bins {
		width := chartInner / float64(len(d.Bins))
		y := f.y(float64(b.Count))
		fmt.Fprintf(&bars, `<rect class="bar" x="%s" y="%s" width="%s" height="%s"/>`,
			coordinate(chartLeft+float64(i)*width+0.5), coordinate(y), coordinate(width-1),
			coordinate(chartTop+chartRise-y))
	}
	bottom := chartTop + chartRise
	axes := cornerPath(chartLeft, chartTop, bottom, chartLeft+chartInner) +
		label(chartLeft, bottom+16, "start", figure.MetricAmount(d.Name, d.Min)) +
		label(chartLeft+chartInner, bottom+16, "end", figure.MetricAmount(d.Name, d.Max)) +
		label(chartLeft+chartInner/2, bottom+32, "middle", d.Name.String()) +
		label(chartLeft-6, chartTop+10, "end", fmt.Sprint(most))
	caption := fmt.Sprintf("%s: median %s, mean %s, 95 %% at most %s, largest %s; known of %d of %s", d.Name,
		figure.MetricAmount(d.Name, d.Median), figure.MetricAmount(d.Name, d.Mean),
		figure.MetricAmount(d.Name, d.Q95), figure.MetricAmount(d.Name, d.Max), d.Known, prose.Count(d.Trials, "trial"))
	return drawing{svg(curveWidth, curveHeight, "Distribution of "+d.Name.String(), caption, axes+bars.String()),
		caption}
}
