package bench

import (
	"io"

	"github.com/tribunal-dev/tribunal/internal/chart"
)

// Draw draws the growth curves as an SVG document, time against size, both axes
// logarithmic.
func (r *SpeedReport) Draw(w io.Writer) error {
	g := chart.Growth{Title: "How long the work takes as it grows", Below: r.Machine.String()}
	for _, growth := range r.Growth {
		c := chart.GrowthCurve{Name: growth.Name + " (" + growth.Against + ")", Exponent: growth.TimeExponent}
		for _, p := range growth.Points {
			c.Sizes, c.Seconds = append(c.Sizes, float64(p.Size)), append(c.Seconds, p.Seconds)
		}
		g.Curves = append(g.Curves, c)
	}
	return chart.GrowthCurves(w, g)
}
