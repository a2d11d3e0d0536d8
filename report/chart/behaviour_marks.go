package chart

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/fingerprint"
)

// mostMarks is how many trials of a side are drawn. Chosen: more of them make a large
// file, and cannot be told apart.
const mostMarks = 2000

// origin is the cross where the trials are as usual for their scenario.
type origin struct{}

// Plot draws the lines through zero.
func (origin) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: faint, Width: vg.Points(1)}
	c.StrokeLine2(line, c.Min.X, y(0), c.Max.X, y(0))
	c.StrokeLine2(line, x(0), c.Min.Y, x(0), c.Max.Y)
}

// marks are the trials.
type marks struct{ sides []mapSide }

// Plot draws the trials, the sides in turn so that neither hides the other.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	most := 0
	for _, s := range m.sides {
		most = max(most, min(len(s.points), mostMarks))
	}
	for i := range most {
		for _, s := range m.sides {
			shown := min(len(s.points), mostMarks)
			// As many of the smaller side are spread over those of the larger.
			for k := i * shown / most; k < (i+1)*shown/most; k++ {
				point := s.points[k*len(s.points)/shown]
				c.DrawGlyph(s.style, vg.Point{X: x(point.X), Y: y(point.Y)})
			}
		}
	}
}

// means are those of the sides, if there are two.
type means struct{ sides []mapSide }

// Plot draws the means, larger than the trials and with an edge.
func (m means) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range m.sides {
		if len(s.points) == 0 || len(m.sides) < 2 {
			continue
		}
		meanX, meanY := s.mean()
		at := vg.Point{X: x(meanX), Y: y(meanY)}
		// A ring of black and one of white set the mean apart from the trials of its
		// colour.
		mean := s.style
		mean.Color, mean.Radius = black, vg.Points(7.6)
		c.DrawGlyph(mean, at)
		mean.Color, mean.Radius = white, vg.Points(6.6)
		c.DrawGlyph(mean, at)
		mean.Color, mean.Radius = s.color, vg.Points(5)
		c.DrawGlyph(mean, at)
	}
}

// equalUnits gives the axes ranges that hold everything, in which a standard deviation
// is as long across as it is upwards.
func equalUnits(panel *plot.Plot, area draw.Canvas, m *fingerprint.Map, a arrows) {
	low, high := [2]float64{}, [2]float64{}
	hold := func(at [2]float64) {
		for k, x := range at {
			low[k], high[k] = math.Min(low[k], x), math.Max(high[k], x)
		}
	}
	for _, point := range m.Points {
		hold([2]float64{point.X, point.Y})
	}
	for _, one := range a.list {
		// A little beyond the tip, where the name is.
		hold([2]float64{1.12 * one.x, 1.12 * one.y})
	}
	// The room between the axes depends on the labels of the ticks, and these on the
	// ranges: so it is measured with the ranges set, and then they are widened to one
	// unit.
	panel.X.Min, panel.X.Max, panel.Y.Min, panel.Y.Max = low[0], high[0], low[1], high[1]
	size := panel.DataCanvas(area).Size()
	lengths := [2]float64{size.X.Points(), size.Y.Points()}
	// Data units a point, of the axis that needs more; 8 % are left as a margin.
	unit := 1e-9
	for k := range lengths {
		unit = math.Max(unit, 1.08*(high[k]-low[k])/lengths[k])
	}
	for k := range lengths {
		middle, half := (low[k]+high[k])/2, unit*lengths[k]/2
		low[k], high[k] = middle-half, middle+half
	}
	panel.X.Min, panel.X.Max, panel.Y.Min, panel.Y.Max = low[0], high[0], low[1], high[1]
}

// darkColours are what colours become where the viewer prefers a dark page. Those of
// marks that let others show through are written by the library a little darker than
// they are.
var darkColours = [...][2]string{
	{"#FFFFFF", "#14181D"}, {"#000000", "#ECEAE7"}, {"#666666", "#A9ADB2"}, {"#DDDDDD", "#3A4048"},
	{"#0072B2", "#56B4E9"}, {"#0071B1", "#56B4E9"}, {"#D55E00", "#F0A030"}, {"#D45D00", "#F0A030"},
}

// darkStyle returns the rules for them. The library writes no colour where it is black.
func darkStyle() string {
	var rules strings.Builder
	rules.WriteString("@media (prefers-color-scheme: dark) {\n")
	for _, property := range [...]string{"fill", "stroke"} {
		for _, c := range darkColours {
			fmt.Fprintf(&rules, "[style*=\"%s:%s\"] { %s: %s !important }\n", property, c[0], property, c[1])
		}
	}
	rules.WriteString("text:not([style*=\"fill:\"]), path:not([style*=\"fill:\"]) { fill: #ECEAE7 }\n}\n")
	return rules.String()
}
