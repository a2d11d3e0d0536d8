package chart

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Growth is how long operations take at sizes, in three panels.
type Growth struct {
	Title, Below string
	Description  string // what a reader of the screen hears before the figures
	Panels       []GrowthPanel
}

// GrowthPanel is one panel, of operations that grow with the same.
type GrowthPanel struct {
	Title string
	Size  string // what a size counts
	Lines []GrowthLine
}

// GrowthLine is an operation of a name: seconds, above 0, at sizes that rise.
type GrowthLine struct {
	Name           string
	Sizes, Seconds []float64
}

// growthStrokes are one more than those of other drawings.
var growthStrokes = append(strokes[:len(strokes):len(strokes)], stroke{vermilion, 1, dotted, draw.PlusGlyph{}, 0})

// Growths draws the lines on logarithmic axes as an SVG document: the first panel above the two others, each with its
// legend, over thin lines of linear growth.
func Growths(w io.Writer, g Growth) error {
	if len(g.Panels) != 3 {
		return fmt.Errorf("chart: %d panels of growth, not 3", len(g.Panels))
	}
	s := newSheet(g.Title, g.Below)
	var said strings.Builder
	said.WriteString(g.Description)
	upper, left, right := s.panels()
	for i, area := range []draw.Canvas{upper, left, right} {
		panel, err := g.Panels[i].draw()
		if err != nil {
			return err
		}
		panel.Draw(area)
		for _, line := range g.Panels[i].Lines {
			last := len(line.Sizes) - 1
			fmt.Fprintf(&said, " %s: %.2g s at %s %s.", line.Name, line.Seconds[last],
				strconv.FormatFloat(line.Sizes[last], 'f', -1, 64), g.Panels[i].Size)
		}
	}
	s.description = said.String()
	return s.writeTo(w)
}

// draw lays a panel out. Its ends are powers of ten, and it is wide enough for the legend at its upper left.
func (p GrowthPanel) draw() (*plot.Plot, error) {
	if len(p.Lines) == 0 || len(p.Lines) > len(growthStrokes) {
		return nil, fmt.Errorf("chart: %d lines, but from 1 to %d can be told apart", len(p.Lines), len(growthStrokes))
	}
	panel := newPlot(p.Title, p.Size, "seconds")
	x, y := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, line := range p.Lines {
		if len(line.Sizes) < 2 || len(line.Sizes) != len(line.Seconds) {
			return nil, fmt.Errorf("chart: line %q has %d sizes and %d times", line.Name, len(line.Sizes), len(line.Seconds))
		}
		for i := range line.Sizes {
			if !(line.Sizes[i] > 0 && line.Sizes[i] < math.Inf(1)) || !(line.Seconds[i] > 0 && line.Seconds[i] < math.Inf(1)) {
				return nil, fmt.Errorf("chart: line %q takes %v s at %v", line.Name, line.Seconds[i], line.Sizes[i])
			}
			x.add(line.Sizes[i])
			y.add(line.Seconds[i])
		}
	}
	panel.X.Scale, panel.Y.Scale = plot.LogScale{}, plot.LogScale{}
	panel.X.Tick.Marker, panel.Y.Tick.Marker = powers{}, powers{}
	panel.X.Min, panel.X.Max = x.low, x.high
	panel.Y.Min, panel.Y.Max = math.Pow(10, math.Floor(math.Log10(y.low))), math.Pow(10, math.Ceil(math.Log10(y.high)))
	panel.Legend.Top, panel.Legend.Left = true, true
	panel.Legend.XOffs, panel.Legend.YOffs = vg.Points(6), -vg.Points(3)
	// A line is as high as its text: the room is worked out for so many of them on the shortest panel.
	panel.Y.Max *= math.Pow(panel.Y.Max/panel.Y.Min, 0.045*float64(len(p.Lines)))
	if err := linear(panel); err != nil {
		return nil, err
	}
	for i, line := range p.Lines {
		points := make(plotter.XYs, len(line.Sizes))
		for k := range points {
			points[k] = plotter.XY{X: line.Sizes[k], Y: line.Seconds[k]}
		}
		l, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		stroke := growthStrokes[i]
		l.LineStyle = draw.LineStyle{Color: stroke.color, Width: vg.Points(float64(stroke.width)), Dashes: stroke.dashes}
		marks.GlyphStyle = draw.GlyphStyle{Color: stroke.color, Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
		if stroke.glyph != nil {
			marks.Shape = stroke.glyph
		}
		panel.Add(l, marks)
		panel.Legend.Add(line.Name, l, marks)
	}
	return panel, nil
}

// span is a range of values.
type span struct{ low, high float64 }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

// linear draws the directions of linear growth, a line from every power of ten at the left and the lower end.
func linear(panel *plot.Plot) error {
	low, high := panel.X.Min, panel.X.Max
	for y := panel.Y.Min * low / high; y < panel.Y.Max; y *= 10 {
		from, to := plotter.XY{X: low, Y: y}, plotter.XY{X: high, Y: y / low * high}
		if from.Y < panel.Y.Min {
			from = plotter.XY{X: low * panel.Y.Min / y, Y: panel.Y.Min}
		}
		if to.Y > panel.Y.Max {
			to = plotter.XY{X: low * panel.Y.Max / y, Y: panel.Y.Max}
		}
		if from.X >= to.X {
			continue
		}
		line, err := plotter.NewLine(plotter.XYs{from, to})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: faint, Width: vg.Points(0.6)}
		panel.Add(line)
	}
	return nil
}

// powers are the powers of ten within an axis.
type powers struct{}

// Ticks implements [plot.Ticker].
func (powers) Ticks(low, high float64) (ticks []plot.Tick) {
	const slack = 1e-9 // powers that are computed miss the ends of the axis by their last bits
	for k := math.Ceil(math.Log10(low) - slack); k <= math.Log10(high)+slack; k++ {
		label := strconv.FormatFloat(math.Pow(10, k), 'f', -1, 64)
		if k >= 4 || k <= -4 {
			label = fmt.Sprintf("1e%.0f", k)
		}
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, k), Label: label})
	}
	return ticks
}
