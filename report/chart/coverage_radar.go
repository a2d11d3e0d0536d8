package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// CoverageRadar draws the dimensions of coverage as an SVG document: an axis each from
// the centre, 0, to the rim, 1. Neighbours that were measured are joined; an axis that
// was not is dashed, and says so, so that it is not taken for 0.
func CoverageRadar(w io.Writer, r *coverage.Result) error {
	if r == nil || len(r.Dimensions) == 0 {
		return errNoCoverage
	}
	// A result may come from a file: what is beyond the rim cannot be drawn.
	for _, m := range r.Dimensions {
		if m.Value != nil && !(*m.Value >= 0 && *m.Value <= 1) {
			return fmt.Errorf("chart: %s coverage %v is not between 0 and 1", m.Dimension, *m.Value)
		}
	}
	title, below := radarTitle(r)
	s := newSheet(title, below)
	s.description = radarDescription(r)
	c := &radar{Canvas: s.area, dimensions: r.Dimensions}
	size := c.Size()
	// Chosen: a little below the middle, with room for the labels around the rim.
	c.centre = vg.Point{X: c.Center().X, Y: c.Center().Y - 0.05*size.Y}
	c.radius = 0.4 * vg.Length(math.Min(float64(size.X), float64(size.Y)))
	c.shape()
	c.labels()
	return s.writeTo(w)
}

// radarTitle is the overall value, and what it is made of.
func radarTitle(r *coverage.Result) (title, below string) {
	title = "Coverage: not measured"
	if r.Overall != nil {
		title = "Coverage: " + rate(*r.Overall) + " overall"
	}
	below = fmt.Sprintf("%s; the weighted geometric mean of what was measured", prose.Count(r.Trials, "trial"))
	if r.Minimum != nil {
		below += ", minimum " + rate(*r.Minimum)
	}
	return title, below
}

// radarDescription says in words what the drawing shows.
func radarDescription(r *coverage.Result) string {
	var parts []string
	for _, m := range r.Dimensions {
		text := "not measured"
		if m.Value != nil {
			text = rate(*m.Value)
		}
		parts = append(parts, fmt.Sprintf("%s %s", m.Dimension, text))
	}
	return "Radar chart of coverage, from 0 in the centre to 1 at the rim: " + strings.Join(parts, ", ") + "."
}

// radar is the drawing within the sheet. The axes are as many as the result has
// dimensions, in its order.
type radar struct {
	draw.Canvas
	centre     vg.Point
	radius     vg.Length
	dimensions []coverage.Measurement
}

// at is the point of a value on an axis; the first axis points up, and the others
// follow clockwise.
func (c *radar) at(axis int, value float64) vg.Point {
	// Angles count anticlockwise from the right; the first axis is at a right angle.
	angle := math.Pi/2 - 2*math.Pi*float64(axis)/float64(len(c.dimensions))
	return vg.Point{
		X: c.centre.X + c.radius*vg.Length(value*math.Cos(angle)),
		Y: c.centre.Y + c.radius*vg.Length(value*math.Sin(angle)),
	}
}

// stroke draws a line through points.
func (c *radar) stroke(at []vg.Point, stroke color.Color, width vg.Length, dashes []vg.Length) {
	c.StrokeLines(draw.LineStyle{Color: stroke, Width: width, Dashes: dashes}, at)
}

// grid is a ring for every quarter, and the axes.
func (c *radar) grid() {
	style := newFonts().style(7, xfont.WeightNormal)
	style.Color, style.XAlign, style.YAlign = grey, draw.XRight, draw.YCenter
	for ring := 1; ring <= 4; ring++ {
		value := float64(ring) / 4
		var at []vg.Point
		for i := range c.dimensions {
			at = append(at, c.at(i, value))
		}
		stroke := faint
		// The rim is 1, and is drawn stronger.
		if ring == 4 {
			stroke = grey
		}
		c.stroke(append(at, at[0]), stroke, vg.Points(0.8), solid)
		c.FillText(style, vg.Point{X: at[0].X - vg.Points(4), Y: at[0].Y}, rate(value))
	}
	for i, m := range c.dimensions {
		dashes := solid
		if m.Value == nil {
			dashes = dashed
		}
		c.stroke([]vg.Point{c.centre, c.at(i, 1)}, grey, vg.Points(0.8), dashes)
	}
}

// shape joins neighbours that were measured and fills what lies between them. Nothing
// is drawn across an axis that was not measured: it would seem to have a value there.
func (c *radar) shape() {
	n := len(c.dimensions)
	var edges [][]vg.Point
	for i := range c.dimensions {
		// With one dimension, its neighbour would be itself.
		next := (i + 1) % n
		if a, b := c.dimensions[i].Value, c.dimensions[next].Value; a != nil && b != nil && next != i {
			edges = append(edges, []vg.Point{c.at(i, *a), c.at(next, *b)})
		}
	}
	for _, edge := range edges {
		c.FillPolygon(paleBlue, append([]vg.Point{c.centre}, edge...))
	}
	c.grid() // which the areas hide
	for _, edge := range edges {
		c.stroke(edge, blue, vg.Points(1.6), solid)
	}
	for i, m := range c.dimensions {
		if m.Value != nil {
			c.stroke([]vg.Point{c.centre, c.at(i, *m.Value)}, blue, vg.Points(2.5), solid)
			c.DrawGlyph(draw.GlyphStyle{Color: blue, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}},
				c.at(i, *m.Value))
		}
	}
}

// labels stand outside of the rim.
func (c *radar) labels() {
	for i, m := range c.dimensions {
		name := newFonts().style(11, xfont.WeightBold)
		below := newFonts().style(9, xfont.WeightNormal)
		// Beyond the rim; texts are aligned away from the centre, so that none runs
		// over the drawing.
		at := c.at(i, 1.1)
		align := draw.XCenter
		switch off := at.X - c.centre.X; {
		case off > vg.Points(5):
			align = draw.XLeft
		case off < -vg.Points(5):
			align = draw.XRight
		}
		name.XAlign, below.XAlign = align, align
		name.YAlign, below.YAlign = draw.YBottom, draw.YTop
		heading, text := string(m.Dimension), "not measured"
		if m.Value != nil {
			heading += " " + rate(*m.Value)
			text = ""
			if m.Of != nil {
				text = fmt.Sprintf("%d of %s", m.Covered, about(m.Dimension, *m.Of))
			}
		}
		c.FillText(name, at, heading)
		c.FillText(below, at, text)
	}
}

// about says of what a dimension is a share. The number of paths is an estimate, with
// one decimal; the number of states is what was expected.
func about(d coverage.Dimension, total float64) string {
	switch d {
	case coverage.PathDimension:
		return "about " + rate(math.Round(total*10)/10)
	case coverage.StateDimension:
		return rate(total) + " expected"
	}
	return rate(total)
}
