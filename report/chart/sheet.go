package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of Okabe and Ito, and tints of them for areas.
var (
	blue      = color.RGBA{0x00, 0x72, 0xb2, 0xff} // Pass
	vermilion = color.RGBA{0xd5, 0x5e, 0x00, 0xff} // Fail
	black     = color.RGBA{0x00, 0x00, 0x00, 0xff}
	white     = color.RGBA{0xff, 0xff, 0xff, 0xff}
	grey      = color.RGBA{0x66, 0x66, 0x66, 0xff}
	faint     = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	paleBlue  = color.RGBA{0xcc, 0xe3, 0xf0, 0xff}
	paleRed   = color.RGBA{0xf7, 0xdf, 0xcc, 0xff}
)

// In inches on paper; a viewer scales them. The sizes are chosen.
const (
	width   = 9 * vg.Inch
	height  = 7.4 * vg.Inch
	edge    = 0.15 * vg.Inch
	heading = 0.5 * vg.Inch
	gutter  = 0.25 * vg.Inch
	// upperShare is the part of the height that the upper panel takes.
	upperShare = 0.54
)

// sheet is a drawing of a heading and panels.
type sheet struct {
	canvas *vgsvg.Canvas
	area   draw.Canvas
	// For readers of the screen: the heading and the line below it.
	title string

	description string // for who cannot see the drawing; may be ""
	style       string // rules for viewers that know style sheets; may be ""
}

// newSheet returns a sheet with a title and a line below it.
func newSheet(title, below string) *sheet { return newSheetOf(width, height, title, below) }

// newSheetOf is newSheet in a size of its own: letters are larger on a smaller one.
func newSheetOf(width, height vg.Length, title, below string) *sheet {
	s := &sheet{canvas: vgsvg.New(width, height), title: title + " " + below}
	whole := draw.New(s.canvas)
	// A ground of its own: without one, black text would vanish on a dark page.
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	top := whole.Max.Y - edge
	for _, line := range []struct {
		text  string
		style text.Style
	}{{title, newFonts().style(12, xfont.WeightBold)}, {below, newFonts().style(9, xfont.WeightNormal)}} {
		line.style.XAlign, line.style.YAlign = draw.XCenter, draw.YTop
		whole.FillText(line.style, vg.Point{X: whole.Center().X, Y: top}, line.text)
		top -= 1.4 * line.style.Font.Size
	}
	s.area = draw.Crop(whole, edge, -edge, edge, -edge-heading)
	return s
}

// panels are one above two.
func (s *sheet) panels() (upper, left, right draw.Canvas) {
	// Crop moves each edge by so much: negative values come from the right and from
	// above.
	size := s.area.Size()
	upper = draw.Crop(s.area, 0, 0, size.Y*(1-upperShare)+gutter/2, 0)
	lower := draw.Crop(s.area, 0, 0, 0, -size.Y*upperShare-gutter/2)
	left = draw.Crop(lower, 0, -size.X/2-gutter/2, 0, 0)
	right = draw.Crop(lower, size.X/2+gutter/2, 0, 0, 0)
	return upper, left, right
}

// family is what a viewer may use: fonts with the widths that were measured with.
const family = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"

// writeTo writes the document, with its title and description for readers of the
// screen.
func (s *sheet) writeTo(w io.Writer) error {
	var document bytes.Buffer
	if _, err := s.canvas.WriteTo(&document); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	// The library has no place for titles, descriptions and style sheets, and names
	// one font alone: all of it is put into the text that it wrote.
	content := bytes.ReplaceAll(document.Bytes(), []byte("font-family:Liberation Sans"), []byte(family))
	// Where the opening tag of the document ends, as the library writes it.
	const opened = "xlink\">\n"
	head := opened + "<title>" + html.EscapeString(s.title) + "</title>\n"
	if s.description != "" {
		head += "<desc>" + html.EscapeString(s.description) + "</desc>\n"
	}
	if s.style != "" {
		head += "<style>\n" + s.style + "</style>\n"
	}
	content = bytes.Replace(content, []byte(opened), []byte(head), 1)
	n, err := w.Write(content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}

// fonts measures text with fonts that come with the program, whatever the machine
// has.
type fonts struct{ handler text.Handler }

func newFonts() fonts {
	return fonts{text.Plain{Fonts: font.NewCache(liberation.Collection())}}
}

// style is black text of a size and weight. Liberation Sans is as wide as Arial and
// Helvetica, so what was measured fits whichever of them a viewer has.
func (f fonts) style(size vg.Length, weight xfont.Weight) text.Style {
	return text.Style{
		Color:   black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: f.handler,
	}
}

// newPlot returns an empty panel in the style of the sheet.
func newPlot(title, x, y string) *plot.Plot {
	f := newFonts()
	p := plot.New()
	p.TextHandler = f.handler
	p.Title.Text, p.Title.Padding = title, vg.Points(4)
	set(&p.Title.TextStyle, f.style(10, xfont.WeightBold))
	for axis, label := range map[*plot.Axis]string{&p.X: x, &p.Y: y} {
		axis.Label.Text = label
		set(&axis.Label.TextStyle, f.style(9, xfont.WeightNormal))
		set(&axis.Tick.Label, f.style(8, xfont.WeightNormal))
		// Without a gap between the axes and the data, boundaries meet the axis at 0.
		axis.Padding = 0
	}
	p.Legend.TextStyle = f.style(8, xfont.WeightNormal)
	p.Legend.Padding = vg.Points(2)
	p.Legend.ThumbnailWidth = vg.Points(24)
	return p
}

// set changes the font of a style and leaves its alignment.
func set(style *text.Style, to text.Style) {
	style.Font, style.Color, style.Handler = to.Font, to.Color, to.Handler
}
