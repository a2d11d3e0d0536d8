package chart

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// errNoMap says that a map has no axis, or numbers that cannot be drawn.
var errNoMap = errors.New("no map to draw")

// Behaviour is a map of trials with the names that belong to it.
type Behaviour struct {
	Map       *fingerprint.Map
	Baseline  string // name of the side
	Candidate string // of the other; "" if there is one alone
	Finding   string // what the test says, in a line; may be ""
}

// BehaviourMap draws the trials of a baseline and of a candidate on the first two
// principal axes as an SVG document: circles and triangles, larger ones for their
// means, and arrows for the columns that separate the sides most, six at most. An
// arrow points to where trials with more of its column lie. Of one side alone it draws
// the columns that spread its trials most. Of more than [mostMarks] trials a side it
// draws so many, evenly chosen.
func BehaviourMap(w io.Writer, b Behaviour) error {
	if err := checkMap(b.Map); err != nil {
		return err
	}
	// What is drawn later covers what was drawn before: the cross of the origin, the
	// trials, the arrows, and the means on top.
	sides := sidesOf(b)
	arrows := arrowsOf(b.Map)
	s := newSheet(behaviourTitle(b), b.Finding)
	s.description, s.style = behaviourDescription(b, sides, arrows), darkStyle()
	area := drawKey(s.area, sides, arrows)
	panel := newPlot("", axisLabel(b, 0), axisLabel(b, 1))
	panel.X.Tick.Marker, panel.Y.Tick.Marker = plot.DefaultTicks{}, plot.DefaultTicks{}
	panel.Add(origin{}, marks{sides}, arrows, means{sides})
	equalUnits(panel, area, b.Map, arrows)
	panel.Draw(area)
	return s.writeTo(w)
}

// checkMap refuses what cannot be drawn: a map may come from anywhere.
func checkMap(m *fingerprint.Map) error {
	if m == nil || len(m.Axes) == 0 || len(m.Points) == 0 {
		return errNoMap
	}
	numbers := append([]float64{}, m.Separation...)
	if len(m.Separation) != 0 && len(m.Separation) != len(m.Columns) {
		return fmt.Errorf("%w: a separation of %d numbers for %d columns", errNoMap, len(m.Separation), len(m.Columns))
	}
	for _, axis := range m.Axes {
		if len(axis.Loadings) != len(m.Columns) {
			return fmt.Errorf("%w: an axis of %d loadings for %d columns", errNoMap, len(axis.Loadings), len(m.Columns))
		}
		numbers = append(append(numbers, axis.Loadings...), axis.Share, axis.Difference)
	}
	for _, point := range m.Points {
		numbers = append(numbers, point.X, point.Y)
	}
	for _, x := range numbers {
		// NaN and infinity, and what becomes one when it is squared.
		if !(math.Abs(x) < 1e100) {
			return fmt.Errorf("%w: %v is among its numbers", errNoMap, x)
		}
	}
	return nil
}

// mapSide is the trials of a side.
type mapSide struct {
	// The role is baseline or candidate, and "" of a side that is alone; the name is
	// that of its recording.
	role, name string
	points     []fingerprint.Point
	color      color.RGBA
	style      draw.GlyphStyle
}

// sidesOf splits the trials by their side. Of a map of one side all trials are of it.
func sidesOf(b Behaviour) []mapSide {
	sides := []mapSide{{role: "baseline", name: b.Baseline, color: blue, style: glyph(blue, draw.CircleGlyph{})}}
	if b.Candidate != "" {
		sides = append(sides, mapSide{role: "candidate", name: b.Candidate, color: vermilion,
			style: glyph(vermilion, draw.PyramidGlyph{})})
	} else {
		sides[0].role = ""
	}
	for _, point := range b.Map.Points {
		k := 0
		if point.Candidate {
			k = len(sides) - 1
		}
		sides[k].points = append(sides[k].points, point)
	}
	return sides
}

// glyph is a mark that lets others show through.
func glyph(fill color.RGBA, shape draw.GlyphDrawer) draw.GlyphStyle {
	// An opacity of 0xa0 of 0xff is chosen: several marks on one place are darker
	// than one.
	return draw.GlyphStyle{Color: color.NRGBA{fill.R, fill.G, fill.B, 0xa0}, Radius: vg.Points(2.6), Shape: shape}
}

// label returns who a side is: "baseline main.jsonl".
func (s mapSide) label() string {
	if s.name == s.role {
		return s.role
	}
	return strings.TrimSpace(s.role + " " + short(s.name, 70))
}

// mean returns the middle of the points.
func (s mapSide) mean() (x, y float64) {
	for _, point := range s.points {
		x += point.X / float64(len(s.points))
		y += point.Y / float64(len(s.points))
	}
	return x, y
}

// short returns a text that prints, cut to so many characters.
func short(text string, most int) string { return prose.CutRunes(prose.Excerpt(text), most) }

// behaviourTitle names both sides, or the one that there is.
func behaviourTitle(b Behaviour) string {
	if b.Candidate == "" {
		return "How the trials of " + short(b.Baseline, 60) + " differ"
	}
	return "How " + short(b.Baseline, 40) + " and " + short(b.Candidate, 40) + " behave"
}

// axisLabel says how much an axis shows; an axis that is not there shows nothing.
func axisLabel(b Behaviour, k int) string {
	if k >= len(b.Map.Axes) {
		return "there is one axis only"
	}
	axis := b.Map.Axes[k]
	label := fmt.Sprintf("axis %d: %.0f%% of the variance", k+1, 100*axis.Share)
	if b.Candidate != "" {
		label += fmt.Sprintf(", the sides %.2f standard deviations apart", math.Abs(axis.Difference))
	}
	return label
}

// behaviourDescription says in words what is to be seen, for readers of the screen:
// the marks, the axes, the finding and the arrows.
func behaviourDescription(b Behaviour, sides []mapSide, a arrows) string {
	var text []string
	shapes := []string{"circle", "triangle"}
	for k, s := range sides {
		text = append(text, fmt.Sprintf("Each %s is a trial of the %s; there are %d.", shapes[k], orTrials(s),
			len(s.points)))
	}
	for k := range b.Map.Axes {
		text = append(text, strings.ToUpper(axisLabel(b, k)[:1])+axisLabel(b, k)[1:]+".")
	}
	if b.Finding != "" {
		text = append(text, strings.ToUpper(b.Finding[:1])+b.Finding[1:]+".")
	}
	var names []string
	for _, one := range a.list {
		names = append(names, fmt.Sprintf("%s (%s)", one.name, towards(one)))
	}
	switch {
	case len(names) == 0:
	case b.Candidate == "":
		text = append(text, "The columns that spread the trials most, and where trials with more of them lie: "+
			strings.Join(names, ", ")+".")
	default:
		text = append(text, "The columns that separate the sides most, and where trials with more of them lie: "+
			strings.Join(names, ", ")+".")
	}
	return strings.Join(text, " ")
}

// orTrials is whose the trials are, in a sentence.
func orTrials(s mapSide) string {
	if s.role == "" {
		return "recording " + s.label()
	}
	return s.label()
}

// drawKey writes what the marks are above the panel, and returns what is left.
func drawKey(area draw.Canvas, sides []mapSide, a arrows) draw.Canvas {
	style := newFonts().style(9, xfont.WeightNormal)
	style.YAlign = draw.YCenter
	// The height of a line: 13 points for letters of 9.
	const line = 13 * vg.Inch / 72
	at := vg.Point{X: area.Min.X + vg.Points(18), Y: area.Max.Y - line/2}
	row := func(mark func(vg.Point), text string) {
		mark(vg.Point{X: at.X - vg.Points(9), Y: at.Y})
		area.FillText(style, at, text)
		at.Y -= line
	}
	for _, s := range sides {
		text := fmt.Sprintf("%s: %s", s.label(), prose.Count(len(s.points), "trial"))
		if len(s.points) > mostMarks {
			text += fmt.Sprintf(", %d of them shown", mostMarks)
		}
		if len(sides) > 1 {
			text += "; the large mark is their mean"
		}
		row(func(p vg.Point) { area.DrawGlyph(s.style, p) }, text)
	}
	if len(a.list) > 0 {
		text := "a column that separates the sides: trials with more of it lie that way"
		if len(sides) == 1 {
			text = "a column that spreads the trials: those with more of it lie that way"
		}
		row(func(p vg.Point) {
			drawArrow(area, vg.Point{X: p.X - vg.Points(8), Y: p.Y}, vg.Point{X: p.X + vg.Points(6), Y: p.Y})
		}, text)
	}
	return draw.Crop(area, 0, 0, 0, at.Y-area.Max.Y)
}
