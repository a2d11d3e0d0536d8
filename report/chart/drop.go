package chart

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// errNoPosterior says that there is no distribution to draw.
var errNoPosterior = errors.New("no posterior to draw")

// mostBins bounds what is drawn of a result from a file. It is chosen, far beyond what is saved.
const mostBins = 1000

// Drop draws the posterior distribution of a drop as an SVG document: a column for each of its bins, darker within
// the interval, with lines at no drop and at delta.
func Drop(w io.Writer, p *compare.Posterior, delta float64) error {
	if p == nil || len(p.Bins.Shares) == 0 || len(p.Bins.Shares) > mostBins || !(p.Bins.High > p.Bins.Low) {
		return errNoPosterior
	}
	bins := p.Bins
	each := (bins.High - bins.Low) / float64(len(bins.Shares))
	// A result may come from a file: what is no probability cannot be drawn.
	top := 0.0
	for _, share := range bins.Shares {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("chart: a share of %v is not between 0 and 1", share)
		}
		top = math.Max(top, share)
	}
	if top == 0 {
		return errNoPosterior
	}
	panel := newPlot("", "drop of the pass rate, baseline minus candidate", "probability of each column")
	panel.X.Min, panel.X.Max = bins.Low, bins.High
	panel.Y.Min, panel.Y.Max = 0, top*1.12
	for i, share := range bins.Shares {
		low := bins.Low + each*float64(i)
		high := low + each
		column, err := plotter.NewPolygon(plotter.XYs{{X: low}, {X: low, Y: share}, {X: high, Y: share}, {X: high}})
		if err != nil {
			return fmt.Errorf("chart: %w", err)
		}
		column.LineStyle.Width = 0
		column.Color = paleBlue
		if middle := low + each/2; p.Interval.Low <= middle && middle <= p.Interval.High {
			column.Color = blue
		}
		panel.Add(column)
	}
	for _, mark := range []struct {
		at   float64
		name string
	}{{0, "no drop"}, {delta, "delta"}} {
		if mark.at < bins.Low || mark.at > bins.High {
			continue
		}
		if err := guideAt(panel, mark.at, top*1.06, mark.name); err != nil {
			return err
		}
	}
	s := newSheet("The drop of the pass rate after these trials", fmt.Sprintf(
		"Bayesian, beside the verdict: a mean of %s, %s between %s and %s (dark)", phrase.Points(p.Mean),
		phrase.Percent(p.Interval.Level), phrase.Points(p.Interval.Low), phrase.Points(p.Interval.High)))
	s.description = fmt.Sprintf("The pass rate dropped with probability %s, and by more than %s with probability %s.",
		phrase.Chance(p.Dropped), phrase.Points(delta), phrase.Chance(p.Beyond))
	panel.Draw(s.area)
	return s.writeTo(w)
}

// guideAt is a vertical line with a name above it.
func guideAt(panel *plot.Plot, at, top float64, name string) error {
	line, err := plotter.NewLine(plotter.XYs{{X: at}, {X: at, Y: top}})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	line.Color, line.Width, line.Dashes = color.Color(vermilion), vg.Points(1), dashed
	names, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: at, Y: top}}, Labels: []string{name}})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	for i := range names.TextStyle {
		set(&names.TextStyle[i], newFonts().style(8, 0))
		names.TextStyle[i].XAlign = -0.5
	}
	panel.Add(line, names)
	return nil
}
