package chart

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrNoGrowth says that there are no curves, or numbers that have no logarithm.
var ErrNoGrowth = errors.New("no growth to draw")

// Growth is curves of time against size.
type Growth struct {
	Title, Below string // a line each
	Curves       []GrowthCurve
}

// GrowthCurve is how long work of several sizes takes.
type GrowthCurve struct {
	Name     string
	Sizes    []float64 // positive
	Seconds  []float64 // positive, one for each size
	Exponent *float64  // of the fit; nil: none
}

// GrowthCurves draws the curves as an SVG document, both axes logarithmic, so that a
// power is a straight line and its slope the exponent. Faint lines have the slopes 1 and
// 2. Each curve has its own mark and stroke beside its colour.
func GrowthCurves(w io.Writer, g Growth) error {
	if err := g.check(); err != nil {
		return err
	}
	s := newSheet(g.Title, g.Below)
	s.description = g.describe()
	const key = 2.8 * vg.Inch
	panel := newPlot("", "size, of what stands in brackets", "seconds")
	for _, axis := range []*plot.Axis{&panel.X, &panel.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, decades{}
	}
	g.scope(panel)
	panel.Add(slopes{})
	legend := plot.NewLegend()
	legend.TextStyle, legend.Top, legend.Left = panel.Legend.TextStyle, true, true
	legend.Padding, legend.ThumbnailWidth, legend.YPosition = vg.Points(5), vg.Points(30), draw.PosCenter
	for i, c := range g.Curves {
		line, marks, err := c.drawn(i)
		if err != nil {
			return fmt.Errorf("chart: %w", err)
		}
		panel.Add(line, marks)
		legend.Add(c.label(), line, marks)
	}
	for slope := 1.0; slope <= 2; slope++ {
		legend.Add(fmt.Sprintf("as n^%.0f grows", slope), &plotter.Line{LineStyle: slopeLine(slope)})
	}
	width := s.area.Size().X
	panel.Draw(draw.Crop(s.area, 0, -key, 0, 0))
	legend.Draw(draw.Crop(s.area, width-key+vg.Points(10), 0, 0, -vg.Points(8)))
	return s.writeTo(w)
}

func (g Growth) check() error {
	if len(g.Curves) == 0 {
		return ErrNoGrowth
	}
	for _, c := range g.Curves {
		if len(c.Sizes) == 0 || len(c.Sizes) != len(c.Seconds) {
			return fmt.Errorf("%w: %s has %d sizes and %d times", ErrNoGrowth, c.Name, len(c.Sizes), len(c.Seconds))
		}
		for _, x := range append(append([]float64{}, c.Sizes...), c.Seconds...) {
			if !(x >= 1e-15 && x <= 1e15) {
				return fmt.Errorf("%w: %s: %v is not between 1e-15 and 1e15", ErrNoGrowth, c.Name, x)
			}
		}
	}
	return nil
}

// label is what the key says of a curve.
func (c GrowthCurve) label() string {
	if c.Exponent == nil {
		return c.Name
	}
	return fmt.Sprintf("%s: n^%.2f", c.Name, *c.Exponent)
}

// describe is the drawing in words.
func (g Growth) describe() string {
	sentences := []string{"Both axes are logarithmic: seconds against size."}
	for _, c := range g.Curves {
		last := len(c.Sizes) - 1
		sentences = append(sentences, fmt.Sprintf("%s: from %.3g s at %.0f to %.3g s at %.0f.", c.label(), c.Seconds[0], c.Sizes[0], c.Seconds[last], c.Sizes[last]))
	}
	return strings.Join(sentences, " ")
}

// scope gives the axes whole decades that hold all curves.
func (g Growth) scope(panel *plot.Plot) {
	outer := func(of func(GrowthCurve) []float64) (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		for _, c := range g.Curves {
			for _, x := range of(c) {
				low, high = math.Min(low, math.Log10(x)), math.Max(high, math.Log10(x))
			}
		}
		low, high = math.Floor(low+1e-9), math.Ceil(high-1e-9)
		return math.Pow(10, low), math.Pow(10, math.Max(high, low+1))
	}
	panel.X.Min, panel.X.Max = outer(func(c GrowthCurve) []float64 { return c.Sizes })
	panel.Y.Min, panel.Y.Max = outer(func(c GrowthCurve) []float64 { return c.Seconds })
}

// What tells the curves apart: eight that follow each other have other marks, whatever
// their colours.
var (
	growthColors  = []color.RGBA{blue, vermilion, black, {0x00, 0x9e, 0x73, 0xff}, {0xa0, 0x50, 0x80, 0xff}, grey, {0xa0, 0x70, 0x00, 0xff}}
	growthStrokes = [][]vg.Length{solid, dashed, dotted, {vg.Points(9), vg.Points(3), vg.Points(2), vg.Points(3)}}
	growthMarks   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}}
)

// drawn returns curve i as a line and its marks.
func (c GrowthCurve) drawn(i int) (*plotter.Line, *plotter.Scatter, error) {
	points := make(plotter.XYs, len(c.Sizes))
	for k := range points {
		points[k] = plotter.XY{X: c.Sizes[k], Y: c.Seconds[k]}
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, nil, err
	}
	of := growthColors[i%len(growthColors)]
	line.LineStyle = draw.LineStyle{Color: of, Width: vg.Points(1.3), Dashes: growthStrokes[i%len(growthStrokes)]}
	marks.GlyphStyle = draw.GlyphStyle{Color: of, Radius: vg.Points(3.2), Shape: growthMarks[i%len(growthMarks)]}
	return line, marks, nil
}

// decades are ticks at the powers of ten.
type decades struct{}

// Ticks implements [plot.Ticker].
func (decades) Ticks(low, high float64) (ticks []plot.Tick) {
	for e := math.Round(math.Log10(low)); e <= math.Round(math.Log10(high)); e++ {
		label := fmt.Sprintf("1e%.0f", e)
		if e >= -3 && e <= 3 {
			label = fmt.Sprint(math.Pow(10, e))
		}
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, e), Label: label})
	}
	return ticks
}

// slopes are faint lines along which what grows like the size lies, and like its square.
type slopes struct{}

// Plot draws the lines.
func (slopes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width, height := math.Log10(p.X.Max/p.X.Min), math.Log10(p.Y.Max/p.Y.Min)
	for slope := 1.0; slope <= 2; slope++ {
		for start := -math.Floor(slope * width); start < height; start += 2 {
			// In decades from the corner: from where it enters to where it leaves.
			from, to := math.Max(0, -start/slope), math.Min(width, (height-start)/slope)
			if to <= from {
				continue
			}
			at := func(d float64) vg.Point {
				return vg.Point{X: x(p.X.Min * math.Pow(10, d)), Y: y(p.Y.Min * math.Pow(10, start+slope*d))}
			}
			c.StrokeLine2(slopeLine(slope), at(from).X, at(from).Y, at(to).X, at(to).Y)
		}
	}
}

func slopeLine(slope float64) draw.LineStyle {
	line := draw.LineStyle{Color: faint, Width: vg.Points(1)}
	if slope == 2 {
		line.Dashes = dotted
	}
	return line
}
