package report

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

const (
	// In columns. Everything between the headline and the closing sentence is
	// indented.
	indent = 2
	// The column in which the values of labelled lines begin, without the indent.
	labelWidth = 14 // of the labels of lines
	// Chosen: a text longer than so many lines, or a word wider than so many columns,
	// loses its middle. Messages of an agent may be of any length; what a result itself says is shorter.
	mostLines = 12 // of one text
	mostWord  = 48 // columns of a word in a text
)

// page collects the lines of a report as text: a part is added line by line, and all
// is written at once. So nothing is written of a report that has an error.
type page struct {
	// In columns, at least leastWidth.
	width         int
	margin        int // blanks before what is not at the edge
	labels        int // columns of the labels of lines
	word          int // columns of the widest word of a text that is shown whole
	colour, ascii bool
	lines         []string
	// The first error of a table, which flush returns.
	err error
}

// newPage is an empty page; only how characters look is taken from the options.
func newPage(width int, o Options) *page {
	return &page{width: width, margin: indent, labels: labelWidth, word: mostWord, colour: o.Colour, ascii: o.ASCII}
}

// flush writes the page in one piece.
func (p *page) flush(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	var content bytes.Buffer
	for _, line := range p.lines {
		content.WriteString(line)
		content.WriteByte('\n')
	}
	return write(w, content.Bytes())
}

// blank separates parts; there are never two in a row.
func (p *page) blank() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.lines = append(p.lines, "")
	}
}

// title is a word in the colour of a verdict, and text beside it.
func (p *page) title(d *document.Document, word string) {
	// Further lines of the text begin below its first.
	hang := table.Width(word) + indent
	if !d.Plain {
		word = p.paint(d.Colour, word)
	}
	for i, line := range p.wrap(d.Headline, p.width-hang) {
		start := strings.Repeat(" ", hang)
		if i == 0 {
			start = word + strings.Repeat(" ", indent)
		}
		p.lines = append(p.lines, start+line)
	}
}

// paragraph is text over the whole width.
func (p *page) paragraph(text string) {
	p.lines = append(p.lines, p.wrap(text, p.width)...)
}

// note is an indented text without a label.
func (p *page) note(text string) {
	// One that fits is kept as it is: wrapping would make runs of blanks one.
	if text = safe.Text(text); table.Width(text) <= p.width-p.margin {
		p.lines = append(p.lines, strings.Repeat(" ", p.margin)+text)
		return
	}
	for _, line := range p.wrap(text, p.width-p.margin) {
		p.lines = append(p.lines, strings.Repeat(" ", p.margin)+line)
	}
}

// labelled is text beside a label. Without text there is no line.
func (p *page) labelled(label, text string) {
	if text == "" {
		return
	}
	label = safe.Text(label)
	// Longer labels push their value to the right, by one blank at least.
	blanks := strings.Repeat(" ", max(p.labels-len(label), 1))
	width := len(label) + len(blanks)
	start := p.dim(label) + blanks
	for _, line := range p.wrap(text, p.width-p.margin-width) {
		p.lines = append(p.lines, strings.TrimRight(strings.Repeat(" ", p.margin)+start+line, " "))
		start = strings.Repeat(" ", width)
	}
}

// wrap cleans a text and breaks it into lines; overlong words lose their middle, and overlong texts lines of it.
func (p *page) wrap(text string, width int) []string {
	words := strings.Fields(safe.Text(text))
	for i, word := range words {
		words[i] = table.Shorten(word, min(p.word, width), p.ellipsis())
	}
	lines := table.Wrap(strings.Join(words, " "), width)
	if len(lines) > mostLines {
		lines = slices.Concat(lines[:mostLines/2], []string{p.ellipsis()}, lines[len(lines)-mostLines/2+1:])
	}
	return lines
}

// ellipsis stands where text was shortened.
func (p *page) ellipsis() string {
	if p.ascii {
		return "..."
	}
	return "…"
}

// strokes are the characters of bars: line drawing and blocks, or ASCII.
func (p *page) strokes() strokes {
	if p.ascii {
		return strokes{line: "-", estimate: "O", mark: "|", crossing: "+", full: "#", empty: "."}
	}
	return strokes{line: "━", estimate: "█", mark: "│", crossing: "┿", full: "█", empty: "·"}
}

// paint colours a text by a verdict, if there is colour at all: bold, and green, red
// or yellow.
func (p *page) paint(v verdict.Verdict, text string) string {
	if !p.colour || text == "" {
		return text
	}
	switch v {
	case verdict.Pass:
		return "\x1b[1;32m" + text + reset
	case verdict.Fail:
		return "\x1b[1;31m" + text + reset
	case verdict.Inconclusive:
		return "\x1b[1;33m" + text + reset
	}
	return text
}

// bold is for names and headings, and dim for what is there to be looked up.
func (p *page) bold(text string) string { return p.styled("\x1b[1m", text) }
func (p *page) dim(text string) string  { return p.styled("\x1b[2m", text) }

func (p *page) styled(style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return style + text + reset
}

const reset = "\x1b[0m"
