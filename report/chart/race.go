package chart

import (
	"fmt"
	"io"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Race is how far arms were behind the leader of their race, round by round.
type Race struct {
	Title, Below string
	Description  string // what a reader of the screen hears
	Lead         int    // at which a variant is dropped
	Arms         []RaceLine
}

// RaceLine is an arm of a name: how many passes it was behind after rounds that rise.
type RaceLine struct {
	Name           string
	Rounds, Behind []int
}

// MostRaceLines is how many arms can be told apart.
const MostRaceLines = len(strokes)

// Behind draws the lines as an SVG document, the leader at the top, with their names at their right ends.
func Behind(w io.Writer, r Race) error {
	if len(r.Arms) == 0 || len(r.Arms) > len(strokes) {
		return fmt.Errorf("chart: %d lines, but only %d can be told apart", len(r.Arms), len(strokes))
	}
	last := 1
	for _, arm := range r.Arms {
		if len(arm.Rounds) == 0 || len(arm.Rounds) != len(arm.Behind) {
			return fmt.Errorf("chart: line %q has %d rounds and %d values", arm.Name, len(arm.Rounds), len(arm.Behind))
		}
		last = max(last, arm.Rounds[len(arm.Rounds)-1])
	}
	panel := newPlot("", "round", "passes less those of the leader")
	panel.X.Min, panel.X.Max = 0, float64(last)
	panel.Y.Min, panel.Y.Max = -float64(r.Lead), 0.5
	// Chosen: one panel can be read on a phone.
	s := newSheetOf(5.5*vg.Inch, 4.5*vg.Inch, r.Title, r.Below)
	s.description = r.Description
	// As in ExpectedTrials the names stand to the right of the panel, behind a piece of their lines.
	room := vg.Length(0)
	for _, arm := range r.Arms {
		room = max(room, newFonts().style(9, xfont.WeightNormal).Width(arm.Name))
	}
	area := draw.Crop(s.area, 0, -min(room+0.7*vg.Inch, labelWidth), 0, 0)
	panel.Draw(area)
	data := panel.DataCanvas(area)
	x, y := panel.Transforms(&data)
	ends := make([]label, len(r.Arms))
	for i, arm := range r.Arms {
		at := []vg.Point{{X: x(0), Y: y(0)}}
		for k, round := range arm.Rounds {
			at = append(at, vg.Point{X: x(float64(round)), Y: y(-float64(min(arm.Behind[k], r.Lead)))})
		}
		strokes[i].draw(data, at, strokes[i].first)
		ends[i] = label{at[len(at)-1], arm.Name, strokes[i]}
	}
	name(s.area, ends)
	return s.writeTo(w)
}
