package chart

import (
	"fmt"
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// boundariesPanel shows at how many failures the test ends, by trials. Every
// number of trials is a column one wide and every failure count a row one high,
// around the point itself.
func boundariesPanel(p *plan.Plan) (*plot.Plot, error) {
	b := p.Design.Boundaries
	// The title names what a picture does not show well: the earliest Pass, and that
	// a test of groups looks only now and then.
	title := "Boundaries: where the test ends"
	if passes := b.StraightPasses(); passes > 0 {
		title += fmt.Sprintf(" (with Pass after %d straight passes at the earliest)", passes)
	}
	if p.Design.Group > 1 {
		title += fmt.Sprintf(", analysed after every %d", p.Design.Group)
	}
	panel := newPlot(title, "trials", "failures")
	top := highest(b)
	// Half a unit more on each side: cells are drawn around their points.
	panel.X.Min, panel.X.Max = 0, float64(p.Design.MaxTrials)+0.5
	panel.Y.Min, panel.Y.Max = -0.5, float64(top)+0.5

	// Fail is from its limit upwards, as far as there are so many failures or the
	// panel goes; Pass is from 0 up to its limit.
	fails := area(b, func(i int) (low, high int, ends bool) {
		fail := b.FailAtOrAbove[i]
		return or(fail, 0), min(i+1, top), fail != nil && *fail <= min(i+1, top)
	})
	passes := area(b, func(i int) (low, high int, ends bool) {
		return 0, min(b.PassAtOrBelow[i], i+1), b.PassAtOrBelow[i] >= 0
	})
	// Colour and name tell the regions apart, see regionNames.
	for _, region := range []struct {
		cells      []plotter.XYs
		fill, edge color.Color
	}{{fails, paleRed, vermilion}, {passes, paleBlue, blue}} {
		if len(region.cells) == 0 {
			continue
		}
		for _, outline := range region.cells {
			polygon, err := plotter.NewPolygon(outline)
			if err != nil {
				return nil, err
			}
			polygon.Color = region.fill
			polygon.LineStyle = draw.LineStyle{Color: region.edge, Width: vg.Points(0.8)}
			panel.Add(polygon)
		}
	}
	for _, system := range []struct {
		rate float64
		// From 0 to 1; two shares, so that the names of both paths do not meet.
		share  float64 // of its path, where the name stands
		dashes []vg.Length
	}{{p.Threshold, 0.99, dashed}, {p.LowerRate(), 0.8, dotted}} {
		if err := addTypical(panel, system.rate, system.share, p.Design.MaxTrials, top, system.dashes); err != nil {
			return nil, err
		}
	}
	labels, err := regionNames(b, top)
	if err != nil {
		return nil, err
	}
	panel.Add(labels)
	return panel, nil
}

// highest is the largest failure count that is shown: the last that a boundary
// reaches, and a little more.
func highest(b design.Boundaries) int {
	top := 1
	for i, pass := range b.PassAtOrBelow {
		top = max(top, min(pass, i)+1)
		if fail := b.FailAtOrAbove[i]; fail != nil && *fail <= i+1 {
			top = max(top, *fail)
		}
	}
	// A twelfth more (chosen), so that the region of Fail is seen at its narrowest.
	return top + top/12 + 1
}

// or is a limit that may be missing.
func or(x *int, fallback int) int {
	if x == nil {
		return fallback
	}
	return *x
}

// area returns the outlines of the cells at which the test ends: for the trials
// with index i those from low to high, if it ends there at all. Neighbours with the
// same limits are one piece.
func area(b design.Boundaries, cells func(i int) (low, high int, ends bool)) []plotter.XYs {
	var outlines []plotter.XYs
	var lower, upper plotter.XYs // of the piece so far, from left to right
	closePiece := func() {
		if len(lower) == 0 {
			return
		}
		// A polygon goes along the lower edge and back along the upper one.
		for i := len(upper) - 1; i >= 0; i-- {
			lower = append(lower, upper[i])
		}
		outlines = append(outlines, lower)
		lower, upper = nil, nil
	}
	for i := range b.PassAtOrBelow {
		low, high, ends := cells(i)
		if !ends {
			closePiece()
			continue
		}
		// Index i is the trial i+1; its column reaches half a unit to each side.
		left, right := float64(i)+0.5, float64(i)+1.5
		lower = extend(lower, left, right, float64(low)-0.5)
		upper = extend(upper, left, right, float64(high)+0.5)
	}
	closePiece()
	return outlines
}

// extend adds a level piece to steps.
func extend(steps plotter.XYs, left, right, y float64) plotter.XYs {
	if n := len(steps); n > 0 && steps[n-1].Y == y {
		steps[n-1].X = right
		return steps
	}
	return append(steps, plotter.XY{X: left, Y: y}, plotter.XY{X: right, Y: y})
}

// addTypical draws the mean path at a pass rate, as far as the panel goes, and its
// name above it.
func addTypical(panel *plot.Plot, p, share float64, trials, top int, dashes []vg.Length) error {
	// After n trials (1-p) n failures are expected; a steep path leaves the panel at
	// its top.
	end := plotter.XY{X: float64(trials), Y: (1 - p) * float64(trials)}
	if limit := float64(top) + 0.5; end.Y > limit {
		end = plotter.XY{X: limit / (1 - p), Y: limit}
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, end})
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: grey, Width: vg.Points(1), Dashes: dashes}
	name, err := plotter.NewLabels(plotter.XYLabels{
		XYs:    plotter.XYs{{X: share * end.X, Y: share * end.Y}},
		Labels: []string{"mean path at " + rate(p)},
	})
	if err != nil {
		return err
	}
	style := newFonts().style(8, xfont.WeightNormal)
	style.XAlign, style.YAlign = draw.XRight, draw.YBottom
	name.TextStyle[0], name.Offset = style, vg.Point{X: -vg.Points(4), Y: vg.Points(2)}
	panel.Add(line, name)
	return nil
}

// regionNames writes into the regions what a test there comes to.
func regionNames(b design.Boundaries, top int) (*plotter.Labels, error) {
	n := len(b.PassAtOrBelow)
	var names plotter.XYLabels
	// A name stands at a share of the trials, or at the first look after it: between
	// the looks of a test of groups there are no regions.
	add := func(share float64, name string, y func(pass int, fail *int) (float64, bool)) {
		for i := min(int(share*float64(n)), n-1); i < n; i++ { // the next look
			if at, ok := y(b.PassAtOrBelow[i], b.FailAtOrAbove[i]); ok {
				names.XYs = append(names.XYs, plotter.XY{X: float64(i + 1), Y: at})
				names.Labels = append(names.Labels, name)
				return
			}
		}
	}
	// The shares are chosen: Fail is high on the left, Pass low on the right.
	add(0.25, "Fail", func(_ int, fail *int) (float64, bool) {
		return float64(or(fail, 0)+top) / 2, fail != nil && *fail < top
	})
	add(0.5, "go on", func(pass int, fail *int) (float64, bool) {
		return (float64(pass) + float64(or(fail, 0))) / 2, pass >= 0 && fail != nil && *fail-pass > 2
	})
	add(0.7, "Pass", func(pass int, _ *int) (float64, bool) { return float64(pass) / 2, pass >= 0 })
	labels, err := plotter.NewLabels(names)
	if err != nil {
		return nil, err
	}
	style := newFonts().style(12, xfont.WeightBold)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for i := range labels.TextStyle {
		labels.TextStyle[i] = style
	}
	return labels, nil
}
