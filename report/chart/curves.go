package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// The strokes that tell lines apart without colour.
var (
	solid  []vg.Length
	dashed = []vg.Length{vg.Points(6), vg.Points(3)}
	dotted = []vg.Length{vg.Points(1.5), vg.Points(2.5)}
)

// headroom is how high a panel is, as a multiple of its highest curve: what is above
// it is room for the legend.
const headroom = 1.46

// expectedPanel shows the expected trials at every pass rate.
func expectedPanel(p *plan.Plan, c plan.Curves) (*plot.Plot, error) {
	panel := newPlot("Expected trials", "true pass rate", "expected trials")
	// ASN is the usual name: the average sample number.
	asn := func(c sprt.Characteristics) float64 { return c.ExpectedTrials }
	// The axis holds the design, Wald's test and the fixed sample. It has a height in
	// any case.
	most := 1.0
	for _, point := range append(append([]sprt.Characteristics{}, c.Design...), c.Wald...) {
		most = math.Max(most, point.ExpectedTrials)
	}
	if p.Fixed != nil {
		most = math.Max(most, float64(p.Fixed.Trials))
	}
	// The fixed sample takes as many trials at every rate, so it is a level line.
	low, high := scope(panel, c.Design)
	panel.Y.Min, panel.Y.Max = 0, most*headroom
	if err := guides(panel, p, most*1.04); err != nil {
		return nil, err
	}
	if p.Fixed != nil {
		n := float64(p.Fixed.Trials)
		if err := addLine(panel, "fixed sample",
			plotter.XYs{{X: low, Y: n}, {X: high, Y: n}}, grey, dotted); err != nil {
			return nil, err
		}
	}
	// Wald's test is absent where it is the design itself.
	if c.Wald != nil {
		if err := addLine(panel, "Wald, same limit", points(c.Wald, asn), vermilion, dashed); err != nil {
			return nil, err
		}
	}
	return panel, addLine(panel, p.Design.Kind, points(c.Design, asn), blue, solid)
}

// characteristicPanel shows the probabilities of the outcomes at every pass rate.
func characteristicPanel(p *plan.Plan, c plan.Curves) (*plot.Plot, error) {
	panel := newPlot("Operating characteristic", "true pass rate", "probability")
	scope(panel, c.Design)
	panel.Y.Min, panel.Y.Max = 0, headroom
	// The ticks end at 1: what is above it is the legend's.
	panel.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 0, Label: "0"}, {Value: 0.2, Label: "0.2"}, {Value: 0.4, Label: "0.4"},
		{Value: 0.6, Label: "0.6"}, {Value: 0.8, Label: "0.8"}, {Value: 1, Label: "1"},
	}
	if err := guides(panel, p, 1.04); err != nil {
		return nil, err
	}
	// Each outcome has a colour and a stroke of its own.
	lines := []struct {
		name   string
		value  func(sprt.Characteristics) float64
		color  color.Color
		dashes []vg.Length
	}{
		{"Fail", func(c sprt.Characteristics) float64 { return c.Fail }, vermilion, dashed},
		{"Pass", func(c sprt.Characteristics) float64 { return c.Pass }, blue, solid},
		{"Inconclusive", func(c sprt.Characteristics) float64 { return c.Inconclusive }, black, dotted},
	}
	for _, line := range lines {
		if err := addLine(panel, line.name, points(c.Design, line.value), line.color, line.dashes); err != nil {
			return nil, err
		}
	}
	return panel, targets(panel, p)
}

// targets marks the two errors on their curves: what the design promises.
func targets(panel *plot.Plot, p *plan.Plan) error {
	marks, err := plotter.NewScatter(plotter.XYs{{X: p.Threshold, Y: p.Design.Alpha},
		{X: p.LowerRate(), Y: p.Design.Beta}})
	if err != nil {
		return err
	}
	// Two dots, at the exact errors of the design: the curve of Fail at the
	// threshold, and that of Pass at the lower rate.
	marks.GlyphStyle = draw.GlyphStyle{Color: black, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
	panel.Add(marks)
	panel.Legend.Add("false Fail, false Pass", marks)
	return nil
}

// scope sets the range of the pass rates.
// scope sets the rates that a panel shows, those of the curve, and puts the legend
// into the upper left corner.
func scope(panel *plot.Plot, c []sprt.Characteristics) (low, high float64) {
	low, high = c[0].P, c[len(c)-1].P
	panel.X.Min, panel.X.Max = low, high
	panel.Legend.Top, panel.Legend.Left = true, true
	panel.Legend.XOffs, panel.Legend.YOffs = vg.Points(6), -vg.Points(3)
	return low, high
}

// guides are vertical lines at the two rates that are told apart.
func guides(panel *plot.Plot, p *plan.Plan, top float64) error {
	// The lines stand behind the curves, which are added later.
	for _, at := range []float64{p.Threshold, p.LowerRate()} {
		line, err := plotter.NewLine(plotter.XYs{{X: at, Y: 0}, {X: at, Y: top}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: faint, Width: vg.Points(1)}
		panel.Add(line)
	}
	names, err := plotter.NewLabels(plotter.XYLabels{
		XYs:    plotter.XYs{{X: p.Threshold, Y: top}, {X: p.LowerRate(), Y: top}},
		Labels: []string{rate(p.Threshold), rate(p.LowerRate())},
	})
	if err != nil {
		return err
	}
	// The rates are written at the upper ends of the lines, small and grey.
	style := newFonts().style(8, 0)
	style.Color, style.XAlign, style.YAlign = grey, draw.XCenter, draw.YBottom
	for i := range names.TextStyle {
		names.TextStyle[i] = style
	}
	panel.Add(names)
	return nil
}

// points are a value of the characteristics by the true pass rate.
func points(c []sprt.Characteristics, value func(sprt.Characteristics) float64) plotter.XYs {
	list := make(plotter.XYs, len(c))
	for i, point := range c {
		list[i] = plotter.XY{X: point.P, Y: value(point)}
	}
	return list
}

// addLine adds a line to a panel and to its legend.
func addLine(panel *plot.Plot, name string, at plotter.XYs, stroke color.Color, dashes []vg.Length) error {
	line, err := plotter.NewLine(at)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: stroke, Width: vg.Points(1.6), Dashes: dashes}
	panel.Add(line)
	panel.Legend.Add(name, line)
	return nil
}
