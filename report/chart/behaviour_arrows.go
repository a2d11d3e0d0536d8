package chart

import (
	"image/color"
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tribunal-dev/tribunal/fingerprint"
)

// mostArrows is how many columns are drawn. Chosen: names of more would cover the
// trials.
const mostArrows = 6

// arrow is a column: where the trials with more of it lie.
type arrow struct {
	name string
	x, y float64 // in the units of the map
}

// arrows are drawn between the trials and the means of the sides.
type arrows struct{ list []arrow }

// arrowsOf chooses the columns that separate the sides most, or if there is one side
// those that the axes hold most of. Columns that stand out of the plane have no
// direction in it and are left out, as are those that separate hardly.
func arrowsOf(m *fingerprint.Map) (a arrows) {
	// The weight of a column: its part in the direction that separates the sides, or
	// its part in the variance of the map.
	weights := make([]float64, len(m.Columns))
	for j := range m.Columns {
		if len(m.Separation) > 0 {
			weights[j] = math.Abs(m.Separation[j])
			continue
		}
		for _, axis := range m.Axes {
			weights[j] += axis.Loadings[j] * axis.Loadings[j] * axis.Share
		}
	}
	order := make([]int, len(weights))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if weights[a] > weights[b] {
			return -1
		}
		if weights[a] < weights[b] {
			return 1
		}
		return 0
	})
	longest := 0.0
	for _, j := range order {
		// A tenth of the largest weight is chosen; a column below it hardly matters.
		if len(a.list) == mostArrows || weights[j] < weights[order[0]]/10 {
			break
		}
		one := arrow{name: short(m.Columns[j].Name, 32), x: m.Axes[0].Loadings[j]}
		if len(m.Axes) > 1 {
			one.y = m.Axes[1].Loadings[j]
		}
		// Loadings are at most 1. One that is so short points out of the plane.
		if length := math.Hypot(one.x, one.y); length > 0.02 {
			longest = math.Max(longest, length)
			a.list = append(a.list, one)
		}
	}
	// Loadings and trials have different units: the lengths tell of each other, and
	// only the direction of an arrow refers to the trials.
	scale := reach(m) / math.Max(longest, 1e-9)
	for i := range a.list {
		a.list[i].x *= scale
		a.list[i].y *= scale
	}
	return a
}

// reach is how long the longest arrow is: as far as nine of ten trials lie from the
// middle.
func reach(m *fingerprint.Map) float64 {
	radii := make([]float64, len(m.Points))
	for i, point := range m.Points {
		radii[i] = math.Hypot(point.X, point.Y)
	}
	slices.Sort(radii)
	// The 90 % quantile: a single trial far out would make the arrows longer than the
	// crowd.
	if r := radii[(len(radii)-1)*9/10]; r > 0 {
		return r
	}
	return math.Max(radii[len(radii)-1], 1)
}

// towards says in words where an arrow points.
func towards(a arrow) string {
	words := ""
	switch {
	// Below 0.4 (some 22 degrees) the smaller direction is not mentioned.
	case math.Abs(a.y) < 0.4*math.Abs(a.x):
	case a.y > 0:
		words = "up"
	default:
		words = "down"
	}
	switch {
	case math.Abs(a.x) < 0.4*math.Abs(a.y):
		return words
	case words != "":
		words += " and "
	}
	if a.x > 0 {
		return words + "right"
	}
	return words + "left"
}

// Plot draws the arrows from the origin, and their names beside the tips.
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	// Names stand beyond the tips, on the side to which the arrow points, and within
	// the panel. They are collected for each side, since only those of one side can
	// meet.
	from := vg.Point{X: x(0), Y: y(0)}
	style := newFonts().style(9, xfont.WeightBold)
	style.YAlign = draw.YCenter
	height := style.Font.Size + vg.Points(3)
	var names [2][]nameTag // to the left and to the right
	for _, one := range a.list {
		tip := vg.Point{X: x(one.x), Y: y(one.y)}
		drawArrow(c, from, tip)
		side := 0
		if one.x >= 0 {
			side = 1
		}
		width := style.Width(one.name)
		left := tip.X + vg.Points(5)
		if side == 0 {
			left = tip.X - vg.Points(5) - width
		}
		left = min(max(left, c.Min.X), c.Max.X-width)
		above := vg.Points(5)
		if one.y < 0 {
			above = -above
		}
		names[side] = append(names[side], nameTag{one.name, left, tip.Y + above, width, tip})
	}
	for _, tags := range names {
		spread(tags, height, c.Min.Y+height/2, c.Max.Y-height/2)
		for _, tag := range tags {
			tag.draw(c, style, height)
		}
	}
}

// nameTag is the name of an arrow where it is written.
type nameTag struct {
	text string
	// Where the text begins, and the height of its middle.
	left, y vg.Length
	width   vg.Length
	// Of the arrow.
	tip vg.Point
}

// spread moves names apart that would be written over each other, and keeps them
// between the limits where there is room.
func spread(tags []nameTag, height, low, high vg.Length) {
	slices.SortStableFunc(tags, func(a, b nameTag) int {
		if a.y < b.y {
			return -1
		}
		if a.y > b.y {
			return 1
		}
		return 0
	})
	// First upwards, each as far above the one below as it is high. Then half of the
	// largest move goes back, so that the names stay around their arrows.
	moved := vg.Length(0)
	for i := range tags {
		wanted := max(tags[i].y, low)
		if i > 0 {
			wanted = max(wanted, tags[i-1].y+height)
		}
		moved = max(moved, wanted-max(tags[i].y, low))
		tags[i].y = wanted
	}
	for i := range tags { // half of it downwards, and all of what lies above the limit
		tags[i].y -= moved / 2
	}
	for i := len(tags) - 1; i >= 0; i-- {
		limit := high
		if i < len(tags)-1 {
			limit = tags[i+1].y - height
		}
		tags[i].y = min(tags[i].y, limit)
	}
}

// draw writes the name on a ground of its own, with a line to its arrow if it had to
// move away.
func (t nameTag) draw(c draw.Canvas, style draw.TextStyle, height vg.Length) {
	low, high := t.y-height/2, t.y+height/2
	if t.tip.Y < low-vg.Points(4) || t.tip.Y > high+vg.Points(4) {
		near := vg.Point{X: min(max(t.tip.X, t.left), t.left+t.width), Y: t.y}
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: vg.Points(0.6)}, t.tip.X, t.tip.Y, near.X, near.Y)
	}
	ground := color.NRGBA{0xff, 0xff, 0xff, 0xc0}
	c.FillPolygon(ground, []vg.Point{
		{X: t.left - 1, Y: low}, {X: t.left + t.width + 1, Y: low}, {X: t.left + t.width + 1, Y: high},
		{X: t.left - 1, Y: high},
	})
	c.FillText(style, vg.Point{X: t.left, Y: t.y}, t.text)
}

// drawArrow draws a line with a head at its end.
func drawArrow(c draw.Canvas, from, to vg.Point) {
	line := draw.LineStyle{Color: black, Width: vg.Points(1.4)}
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	length := math.Hypot(dx, dy)
	if length == 0 {
		return
	}
	dx, dy = dx/length, dy/length
	// The head is no longer than the arrow.
	head := math.Min(6, length)
	// A point seen from the tip: so far back along the arrow, and so far to its side.
	at := func(along, across float64) vg.Point {
		return vg.Point{X: to.X - vg.Length(along*dx-across*dy), Y: to.Y - vg.Length(along*dy+across*dx)}
	}
	neck := at(head*0.8, 0)
	c.StrokeLine2(line, from.X, from.Y, neck.X, neck.Y)
	c.FillPolygon(black, []vg.Point{to, at(head, head*0.4), at(head, -head*0.4)})
}
