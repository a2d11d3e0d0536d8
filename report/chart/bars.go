package chart

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars are up to four panels of bars, two beside each other: what was measured, and what it is compared with.
type Bars struct {
	// The heading, and the line below it.
	Title, Below string
	Description  string // what a reader of the screen hears before the figures
	First        string // names the first bar of each pair
	Second       string // names the second one
	Panels       []BarPanel
}

// BarPanel is one panel.
type BarPanel struct {
	Title, Unit string
	Names       []string  // below the pairs
	First       []float64 // not negative
	Second      []float64 // likewise; NaN has no bar
}

// PairedBars draws the panels as an SVG document.
func PairedBars(w io.Writer, b Bars) error {
	if len(b.Panels) < 1 || len(b.Panels) > 4 {
		return fmt.Errorf("chart: %d panels of bars, and there is room for 1 to 4", len(b.Panels))
	}
	s := newSheet(b.Title, b.Below)
	size := s.area.Size()
	rows := vg.Length((len(b.Panels) + 1) / 2)
	step := (size.Y + gutter) / rows
	for i, p := range b.Panels {
		panel, err := b.panel(p, i == 0)
		if err != nil {
			return err
		}
		// Two beside each other, the first above.
		left, top := vg.Length(i%2), vg.Length(i/2)
		half := vg.Length(0.5)
		panel.Draw(draw.Crop(s.area, left*(size.X*half+gutter/2), -(1-left)*(size.X*half+gutter/2),
			(rows-1-top)*step, -top*step))
	}
	s.description = b.describe()
	return s.writeTo(w)
}

// panel draws one panel; the legend stands in the first.
func (b Bars) panel(p BarPanel, legend bool) (*plot.Plot, error) {
	if len(p.Names) == 0 || len(p.First) != len(p.Names) || len(p.Second) != len(p.Names) {
		return nil, fmt.Errorf("chart: panel %q has %d names, %d and %d bars", p.Title, len(p.Names), len(p.First),
			len(p.Second))
	}
	panel := newPlot(p.Title, "", p.Unit)
	most := 0.0
	width := vg.Points(max(5, 60/float64(len(p.Names))))
	for k, values := range [][]float64{p.First, p.Second} {
		bars := make(plotter.Values, len(values))
		for i, x := range values {
			switch {
			case math.IsNaN(x):
			case !(x >= 0 && x < math.Inf(1)):
				return nil, fmt.Errorf("chart: panel %q has a bar of %v", p.Title, x)
			default:
				bars[i], most = x, math.Max(most, x)
			}
		}
		chart, err := plotter.NewBarChart(bars, width)
		if err != nil {
			return nil, fmt.Errorf("chart: panel %q: %w", p.Title, err)
		}
		chart.LineStyle.Width = vg.Points(0.5)
		chart.Color, chart.Offset = blue, -width/2
		name := b.First
		if k == 1 {
			chart.Color, chart.Offset, name = faint, width/2, b.Second
		}
		panel.Add(chart)
		if legend {
			panel.Legend.Add(name, chart)
		}
	}
	panel.Legend.Top, panel.Legend.Padding = true, vg.Points(2)
	panel.Legend.XOffs = -vg.Points(4)
	panel.NominalX(p.Names...)
	panel.X.Tick.Label.Rotation = math.Pi / 8
	panel.X.Tick.Label.XAlign, panel.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	panel.Y.Min, panel.Y.Max = 0, math.Max(most, 1e-9)*1.25
	return panel, nil
}

// describe says what the drawing shows.
func (b Bars) describe() string {
	var text strings.Builder
	text.WriteString(b.Description)
	for _, p := range b.Panels {
		fmt.Fprintf(&text, " %s:", p.Title)
		for i, name := range p.Names {
			fmt.Fprintf(&text, " %s %.4g", name, p.First[i])
			if !math.IsNaN(p.Second[i]) {
				fmt.Fprintf(&text, " (%s %.4g)", b.Second, p.Second[i])
			}
			text.WriteString([]string{",", "."}[min(1, (i+1)/len(p.Names))])
		}
	}
	return text.String()
}
