package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Trials are the expected trials of several tests at every true pass rate.
type Trials struct {
	// The heading, and the line below it.
	Title, Below string
	Description  string // what a reader of the screen hears before the figures
	Tests        []TrialsLine
	Floor        TrialsLine // a lower bound; the area below it is shaded
	Marks        []TrialsMark
}

// TrialsMark is a vertical line at a rate, such as the threshold.
type TrialsMark struct {
	P    float64
	Name string
}

// TrialsLine is a line of a name: the expected trials at pass rates that rise.
type TrialsLine struct {
	Name   string
	P      []float64
	Trials []float64
}

// labelWidth is the room for the names of the lines.
const labelWidth = 2.75 * vg.Inch

// ExpectedTrials draws the lines as an SVG document, with their names at their right
// ends. There is room for eight lines and the floor.
func ExpectedTrials(w io.Writer, t Trials) error {
	// The floor is the last of the lines, with a stroke as any other.
	all := append(slices.Clone(t.Tests), t.Floor)
	if len(all) > len(strokes) {
		return fmt.Errorf("chart: %d lines, but only %d can be told apart", len(all), len(strokes))
	}
	most := 0.0
	for _, line := range all {
		if len(line.P) < 2 || len(line.P) != len(line.Trials) {
			return fmt.Errorf("chart: line %q has %d rates and %d values", line.Name, len(line.P), len(line.Trials))
		}
		for i, n := range line.Trials {
			if !(n >= 0 && n < math.Inf(1)) || !(line.P[i] >= 0 && line.P[i] <= 1) {
				return fmt.Errorf("chart: line %q has %v trials at %v", line.Name, n, line.P[i])
			}
			most = math.Max(most, n)
		}
	}
	panel := newPlot("", "true pass rate", "expected trials")
	// The floor is drawn at all rates that are shown.
	panel.X.Min, panel.X.Max = t.Floor.P[0], t.Floor.P[len(t.Floor.P)-1]
	panel.Y.Min, panel.Y.Max = 0, most*1.05
	s := newSheet(t.Title, t.Below)
	s.description = t.describe()
	// The names stand to the right of the panel, so it is drawn by hand into a part
	// of the sheet: the legend of the library stands within the panel.
	area := draw.Crop(s.area, 0, -labelWidth, 0, 0)
	if err := t.shade(panel); err != nil {
		return err
	}
	panel.Draw(area)
	// The shaded area is the panel's; lines and names are drawn over it in the units
	// that the panel has chosen.
	data := panel.DataCanvas(area)
	x, y := panel.Transforms(&data)
	t.marks(data, x)
	ends := make([]label, len(all))
	for i, line := range all {
		at := make([]vg.Point, len(line.P))
		for j := range at {
			at[j] = vg.Point{X: x(line.P[j]), Y: y(line.Trials[j])}
		}
		strokes[i].draw(data, at, strokes[i].first)
		ends[i] = label{at[len(at)-1], line.Name, strokes[i]}
	}
	name(s.area, ends)
	return s.writeTo(w)
}

// describe says what the drawing shows, with the figures at the marked rates.
func (t Trials) describe() string {
	var text strings.Builder
	text.WriteString(t.Description)
	for _, line := range append(slices.Clone(t.Tests), t.Floor) {
		var values []string
		for i, p := range line.P {
			// Rates are computed, so one that is marked may miss its last bits.
			if i == len(line.P)-1 || slices.ContainsFunc(t.Marks,
				func(m TrialsMark) bool { return math.Abs(m.P-p) < 1e-9 }) {
				values = append(values, fmt.Sprintf("%.1f at %s", line.Trials[i], rate(p)))
			}
		}
		fmt.Fprintf(&text, " %s: %s.", line.Name, strings.Join(values, ", "))
	}
	return text.String()
}

// shade fills what is below the minimum.
func (t Trials) shade(panel *plot.Plot) error {
	first, last := t.Floor.P[0], t.Floor.P[len(t.Floor.P)-1]
	outline := plotter.XYs{{X: first, Y: 0}}
	for i, p := range t.Floor.P {
		outline = append(outline, plotter.XY{X: p, Y: t.Floor.Trials[i]})
	}
	fill, err := plotter.NewPolygon(append(outline, plotter.XY{X: last, Y: 0}))
	if err != nil {
		return err
	}
	fill.Color, fill.LineStyle.Width = faint, 0
	panel.Add(fill)
	return nil
}

// marks draws the vertical lines, with their names above.
func (t Trials) marks(data draw.Canvas, x func(float64) vg.Length) {
	style := newFonts().style(8, xfont.WeightNormal)
	style.Color, style.XAlign, style.YAlign = grey, draw.XCenter, draw.YTop
	for _, m := range t.Marks {
		at := x(m.P)
		data.StrokeLine2(draw.LineStyle{Color: grey, Width: vg.Points(0.5)}, at, data.Min.Y, at,
			data.Max.Y-vg.Points(12))
		data.FillText(style, vg.Point{X: at, Y: data.Max.Y}, m.Name)
	}
}

// stroke is how a line is drawn: its dashes and marks tell it apart without colour.
type stroke struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	glyph  draw.GlyphDrawer // nil: none
	first  int              // point with a mark, so that the marks of lines that lie on each other do not
}

// strokes are given out in their order: to the tests, and then to the floor.
var strokes = [...]stroke{
	{grey, 1.2, dotted, nil, 0},
	{grey, 1.2, nil, nil, 0},
	{vermilion, 1.6, dashed, nil, 0},
	{vermilion, 1.2, nil, draw.CrossGlyph{}, 2},
	{blue, 2.4, nil, nil, 0},
	{blue, 1.2, nil, draw.CircleGlyph{}, 1},
	{black, 1.2, dashed, draw.BoxGlyph{}, 0},
	{black, 1, dotted, draw.PyramidGlyph{}, 3},
	{black, 1, nil, draw.TriangleGlyph{}, 2},
}

// marksApart is the distance of the marks on a line, in points of the line.
const marksApart = 5

func (s stroke) draw(c draw.Canvas, at []vg.Point, first int) {
	c.StrokeLines(draw.LineStyle{Color: s.color, Width: s.width, Dashes: s.dashes}, at)
	if s.glyph == nil {
		return
	}
	for i := first; i < len(at); i += marksApart {
		c.DrawGlyph(draw.GlyphStyle{Color: s.color, Radius: vg.Points(2.5), Shape: s.glyph}, at[i])
	}
}

// label is the name of a line that ends somewhere.
type label struct {
	end    vg.Point
	name   string
	stroke stroke
}

// name writes the names to the right of the ends, as near to them as they have room,
// with a piece of the line.
func name(c draw.Canvas, labels []label) {
	// In points: from the end of a line to its sample, the length of the sample, and
	// between two names.
	const lead, sample, apart = 18, 26, 13
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.end.Y, b.end.Y) })
	style := newFonts().style(9, xfont.WeightNormal)
	style.YAlign = draw.YCenter
	// From the lowest end upwards: a name that has no room moves up, and a thin line
	// leads to it.
	lowest := c.Min.Y
	for _, l := range labels {
		y := max(l.end.Y, lowest)
		lowest = y + vg.Points(apart)
		from := l.end.X + vg.Points(lead)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: vg.Points(0.5)}, l.end.X+vg.Points(3), l.end.Y, from, y)
		to := from + vg.Points(sample)
		l.stroke.draw(c, []vg.Point{{X: from, Y: y}, {X: (from + to) / 2, Y: y}, {X: to, Y: y}}, 1)
		c.FillText(style, vg.Point{X: to + vg.Points(4), Y: y}, l.name)
	}
}
